package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"selffix/gates"
	"selffix/internal/ghfake"
)

// action is a GitHub Actions run of one command against a fake GitHub on loopback.
type action struct {
	t     testing.TB
	scene *ghfake.Scene
	dir   string
	vars  map[string]string
	args  []string
	made  *atomic.Int64 // nanoseconds in which the fake of a benchmark made its answers
}

// newAction sets the usual scene: a red pull request of the maintainer on which all four gates hold.
func newAction(t *testing.T, command string, o ghfake.SceneOptions) *action {
	t.Helper()
	sc, err := ghfake.NewScene(t.Context(), ghfake.Options{Dir: t.TempDir()}, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := sc.Server.Close(); err != nil {
			t.Error(err)
		}
	})
	a := &action{t: t, scene: sc, dir: t.TempDir()}
	a.reset(command)
	return a
}

// reset brings variables and files back to those of a run on which all four gates hold.
func (a *action) reset(command string) {
	a.t.Helper()
	sc := a.scene
	a.vars = map[string]string{
		"GITHUB_EVENT_NAME": "status", "GITHUB_EVENT_PATH": filepath.Join(a.dir, "event.json"), "GITHUB_REPOSITORY": "maintainer/app",
		"GITHUB_REPOSITORY_ID": strconv.FormatInt(sc.Repo.ID(), 10), "GITHUB_RUN_ID": strconv.FormatInt(sc.RunID, 10), "GITHUB_RUN_ATTEMPT": "1",
		"GITHUB_JOB": "gate", "GITHUB_API_URL": sc.Server.URL, "GITHUB_TOKEN": ghfake.ReadToken, "GITHUB_OUTPUT": filepath.Join(a.dir, "output"),
	}
	a.args = []string{command, "--policy", filepath.Join(a.dir, "policy.yaml"), "--format", "json", "--out", filepath.Join(a.dir, "verdict.json")}
	a.write("output", nil)
	a.write("event.json", sc.Repo.StatusEvent(sc.Status))
	a.policy(func(s string) string { return s })
}

// restore brings the scene, variables and files back to start.
func (a *action) restore(command string, start ghfake.Checkpoint) {
	a.t.Helper()
	if err := a.scene.Server.Restore(start); err != nil {
		a.t.Fatal(err)
	}
	a.scene.Server.Clock.Set(time.Time{})
	a.reset(command)
}

func (a *action) write(name string, data []byte) {
	a.t.Helper()
	if err := os.WriteFile(filepath.Join(a.dir, name), data, 0o600); err != nil {
		a.t.Fatal(err)
	}
}

// policy writes the seed's policy as a sandbox's, then edited.
func (a *action) policy(edit func(string) string) {
	a.t.Helper()
	raw, err := os.ReadFile("../../testdata/policy/seed.yaml")
	if err != nil {
		a.t.Fatal(err)
	}
	text := strings.Replace(string(raw), "sandbox: false", "sandbox: true", 1)
	text = strings.Replace(text, "https://api.github.com", a.scene.Server.URL, 1)
	a.write("policy.yaml", []byte(edit(text)))
}

// run executes the command. The verdict is that of --out, the zero one if none was written.
func (a *action) run() (code int, v gates.Verdict, text string) {
	a.t.Helper()
	a.scene.Server.ForgetRequests()
	var out, errs bytes.Buffer
	ctx, cancel := context.WithTimeout(a.t.Context(), time.Minute)
	defer cancel()
	code = run(ctx, a.args, env{Stdin: strings.NewReader(""), Stdout: &out, Stderr: &errs, Getenv: func(k string) string { return a.vars[k] }})
	text = out.String() + errs.String()
	for _, secret := range []string{a.vars["GITHUB_TOKEN"]} {
		if secret != "" && strings.Contains(text, secret) {
			a.t.Errorf("the output shows the token: %s", text)
		}
	}
	data, err := os.ReadFile(filepath.Join(a.dir, "verdict.json"))
	if err != nil {
		return code, v, text
	}
	if !bytes.Equal(data, out.Bytes()) {
		a.t.Errorf("standard output and --out differ:\n%s\n%s", out.String(), data)
	}
	if v, err = gates.ReadVerdict(data); err != nil {
		a.t.Errorf("the verdict cannot be read back: %v\n%s", err, data)
	}
	return code, v, text
}

// requests lists what was asked of GitHub, as method and route.
func (a *action) requests() []string {
	var list []string
	for _, r := range a.scene.Server.Requests() {
		list = append(list, r.Route)
	}
	return list
}

func (a *action) outputs() string {
	a.t.Helper()
	data, err := os.ReadFile(filepath.Join(a.dir, "output"))
	if err != nil {
		a.t.Fatal(err)
	}
	return string(data)
}
