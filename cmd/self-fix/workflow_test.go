package main

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"selffix/internal/ghfake"
	"selffix/internal/install"
	"selffix/internal/modelfake"
	"selffix/internal/play"
	"selffix/pipeline/policy"
	"selffix/testdata"
)

// newHosted installs self-fix in a repository on a GitHub on loopback, whose maintainer's pull request is red as the play says.
func newHosted(t *testing.T, p play.Play, app ghfake.App) *hosted {
	t.Helper()
	for _, tool := range []string{"bash", "jq", "git", "tar", "sha256sum"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("the workflows need %s, which hosted machines have", tool)
		}
	}
	files, change := map[string]string{}, map[string]string{}
	err := fs.WalkDir(testdata.Files, "app", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := fs.ReadFile(testdata.Files, name)
		files[strings.TrimPrefix(name, "app/")] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range p.Files {
		change[f.Path] = f.Text
	}
	sc, err := ghfake.NewScene(t.Context(), ghfake.Options{Dir: t.TempDir()}, ghfake.SceneOptions{Files: files, Change: change, Private: true, ReviewApp: app}) // in a public one, every token may read
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := sc.Server.Close(); err != nil {
			t.Error(err)
		}
	})
	at := play.StepPaths("/nowhere")
	if os.Geteuid() != 0 {
		at = play.Paths{Checkout: ".", In: "../in", Outside: "/nowhere"}
	}
	script, err := p.Script(at)
	if err != nil {
		t.Fatal(err)
	}
	model, err := modelfake.Start(modelfake.Options{Key: play.Token, Script: script})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { model.Close() })
	h := &hosted{t: t, scene: sc, event: "status", payload: sc.Repo.StatusEvent(sc.Status), programs: t.TempDir(),
		secrets: map[string]string{"CLAUDE_CODE_OAUTH_TOKEN": play.Token, "TESTSPRITE_API_KEY": "sandbox-" + "bot"},
		context: map[string]string{"github.event.state": "failure", "github.event.context": sc.Context, "github.event.sender.id": strconv.FormatInt(sc.Bot.ID, 10)}}
	h.installed(model.URL, app.ID)
	report := filepath.Join(t.TempDir(), "report.txt")
	if err := os.WriteFile(report, []byte(p.Report), 0o644); err != nil {
		t.Fatal(err)
	}
	h.extra = []string{"PLAYED_REPORT=" + report, "XDG_CACHE_HOME=" + cacheHome()}
	return h
}

// installed writes what init would write, with a sandbox's policy, and the stand-ins.
func (h *hosted) installed(model string, app int64) {
	h.t.Helper()
	seed, err := fs.ReadFile(testdata.Files, "policy/seed.yaml")
	if err != nil {
		h.t.Fatal(err)
	}
	text := strings.NewReplacer("https://api.github.com", h.scene.Server.URL, "https://github.com", h.scene.Server.URL).Replace(play.Sandbox(string(seed), model))
	if app != 0 {
		text = strings.Replace(text, "accept_branch_writers: true", fmt.Sprintf("app_id: %d", app), 1)
	}
	p, err := policy.Parse([]byte(text))
	if err != nil {
		h.t.Fatal(err)
	}
	if h.files, err = install.Workflows(p); err != nil {
		h.t.Fatal(err)
	}
	packed := archive(h.t, standIn)
	h.files[install.PolicyPath] = []byte(text)
	h.files[install.LockfilePath] = []byte("{}")
	h.files[install.PinsPath] = fmt.Appendf(nil, "dagger_version=v0.21.8\ndagger_cli_sha256=%x\ndagger_engine_sha256=%s\nmodule=github.com/o/self-fix@%s\n",
		sha256.Sum256(packed), strings.Repeat("b", 64), strings.Repeat("c", 40))
	if err := os.WriteFile(filepath.Join(h.programs, "archive"), packed, 0o644); err != nil {
		h.t.Fatal(err)
	}
	curl := "#!/bin/bash\nwhile (($#)); do [[ $1 != --output ]] || cp -- '" + h.programs + "/archive' \"$2\"; shift; done\n"
	if err := os.WriteFile(filepath.Join(h.programs, "curl"), []byte(curl), 0o755); err != nil {
		h.t.Fatal(err)
	}
}

func playNamed(t *testing.T, name string) play.Play {
	t.Helper()
	all, err := play.Load(testdata.Files, "plays")
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(all, func(p play.Play) bool { return p.Name == name })
	if i < 0 {
		t.Fatalf("no play %q", name)
	}
	return all[i]
}

// review runs the review gate for an event of the pull request.
func (h *hosted) review(action string, by ghfake.User) jobEnd {
	h.t.Helper()
	h.event, h.payload = "pull_request_target", h.scene.Pull.Event(action, by)
	h.context = map[string]string{"github.event_name": "pull_request_target", "github.event.pull_request.number": strconv.Itoa(h.scene.Pull.Number)}
	ends := h.run("review-gate.yml")
	if ends["merge-group"].ran {
		h.t.Error("the merge group's job ran")
	}
	return ends["review-gate"]
}

// The whole loop as the workflow files say it, each job with the token that its permissions give.
func TestWorkflowRepairs(t *testing.T) {
	needAgent(t)
	h := newHosted(t, playNamed(t, "repair"), ghfake.App{})
	ends := h.run("self-fix.yml")
	for _, job := range []string{"gate", "fix", "recheck", "push"} {
		if e := ends[job]; !e.ran || e.failed {
			t.Fatalf("%s: ran %v, failed %v\n%s", job, e.ran, e.failed, e.log)
		}
	}
	if !strings.Contains(ends["push"].summary, "### self-fix push: pushed") {
		t.Errorf("summary %q\n%s", ends["push"].summary, ends["push"].log)
	}
	head := h.scene.Pull.Head()
	if head == h.scene.Tested {
		t.Fatal("nothing was pushed")
	}
	review := func() string {
		states := h.scene.Repo.Statuses(head, "maintainer-review")
		if len(states) == 0 {
			return ""
		}
		return states[len(states)-1].State
	}
	for _, secret := range []string{play.Token, "sandbox-" + "bot", "sandbox-job-"} {
		for job, e := range ends {
			if strings.Contains(e.log+e.summary, secret) {
				t.Errorf("%s: its log shows a secret", job)
			}
		}
	}
	if got := review(); got != "pending" {
		t.Errorf("after the push: %q", got)
	}
	if e := h.review("synchronize", ghfake.ActionsBot()); e.failed || review() != "pending" || !strings.Contains(e.summary, "review: nothing") {
		t.Errorf("without a label: %q, %+v", review(), e)
	}
	h.scene.Server.Clock.Advance(time.Minute) // a person reads the change first
	h.scene.Pull.Label(h.scene.Maintainer, "reviewed")
	if e := h.review("labeled", h.scene.Maintainer); e.failed || review() != "success" {
		t.Errorf("with the label: %q, %+v", review(), e)
	}
}

// A hijacked agent's patch ends in its job: nothing is handed on, and the summary names the rules.
func TestWorkflowRefuses(t *testing.T) {
	needAgent(t)
	h := newHosted(t, playNamed(t, "hijacked-environment"), ghfake.App{})
	ends := h.run("self-fix.yml")
	if e := ends["fix"]; !e.ran || e.failed || e.outputs["decision"] != "refuse" || !strings.Contains(e.summary, "- `SF-ENV-") {
		t.Errorf("fix: %+v", e)
	}
	if ends["recheck"].ran || ends["push"].ran || len(h.artifacts) > 0 || h.scene.Pull.Head() != h.scene.Tested {
		t.Errorf("something went on: %+v, artifacts %v", ends, h.artifacts)
	}
}

// The review app posts with the one key of the one job that has it; a merge group's run has none, and posts only where the
// policy accepts branch writers.
func TestWorkflowReview(t *testing.T) {
	app, key := appWithKey(t)
	for name, by := range map[string]ghfake.App{"app": app, "token": {}} {
		h := newHosted(t, playNamed(t, "repair"), by)
		h.secrets["SELF_FIX_REVIEW_APP_KEY"] = key
		e := h.review("opened", h.scene.Maintainer)
		posted := h.scene.Repo.Statuses(h.scene.Tested, "maintainer-review")
		if e.failed || len(posted) == 0 || posted[len(posted)-1].State != "success" {
			t.Errorf("%s: %+v, %+v", name, posted, e)
		}
		if strings.Contains(e.log+e.summary, "PRIVATE KEY") {
			t.Errorf("%s: the log shows the key", name)
		}
		group := h.group()
		after := h.scene.Repo.Statuses(h.scene.Tested, "maintainer-review")
		want, more := "review: act", true
		if name == "app" {
			want, more = "review: nothing", false
		}
		if group.failed || !strings.Contains(group.summary, want) || len(after) > len(posted) != more {
			t.Errorf("%s: merge group: failed %v, %q, statuses %+v\n%s", name, group.failed, group.summary, after, group.log)
		}
	}
}

// group runs the review gate for a merge group whose commit is the pull request's.
func (h *hosted) group() jobEnd {
	h.t.Helper()
	h.event, h.payload = "merge_group", h.scene.Repo.MergeGroupEvent(h.scene.Tested, h.scene.Pull.Number, h.scene.Maintainer)
	ref := "refs/heads/gh-readonly-queue/main/pr-1-" + h.scene.Repo.Head("main")
	if err := h.scene.Repo.SetBranch(h.scene.Maintainer, strings.TrimPrefix(ref, "refs/heads/"), h.scene.Tested); err != nil {
		h.t.Fatal(err)
	}
	h.context = map[string]string{"github.event_name": "merge_group", "github.event.merge_group.head_ref": ref}
	ends := h.run("review-gate.yml")
	if ends["review-gate"].ran {
		h.t.Error("the pull request's job ran for a merge group")
	}
	return ends["merge-group"]
}

// appWithKey is a review app of a sandbox, with its private key as the secret holds it.
func appWithKey(t *testing.T) (ghfake.App, string) {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	block := pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(key)})
	return ghfake.App{ID: 4242, Slug: "review", InstallationID: 77, PublicKey: &key.PublicKey, Bot: ghfake.User{ID: 5001, Login: "review[bot]", Type: "Bot"},
		Permissions: ghfake.Permissions{"statuses": "write", "metadata": "read"}}, ghfake.SandboxPrefix + string(block)
}

// What must not start anything costs no machine, and what is in doubt fails the gate's job.
func TestWorkflowStopsEarly(t *testing.T) {
	h := newHosted(t, playNamed(t, "repair"), ghfake.App{})
	start := h.scene.Server.Checkpoint()
	context, files := h.context, h.files
	tests := []struct {
		name        string
		set         func()
		ran, failed bool
	}{
		{"another bot's status", func() { h.context["github.event.sender.id"] = "1" }, false, false},
		{"another status", func() { h.context["github.event.context"] = "other" }, false, false},
		{"a success", func() { h.context["github.event.state"] = "success" }, false, false},
		{"two attempts", func() {
			now := h.scene.Server.Clock.Now()
			h.scene.AddAttempt(1, now.Add(-50*time.Minute), "failure")
			h.scene.AddAttempt(1, now.Add(-30*time.Minute), "failure")
		}, true, false},
		{"broken answers", func() {
			h.scene.Server.Inject(ghfake.Fault{Route: "GET /repos/{owner}/{repo}/pulls/{number}", Distortion: ghfake.Broken()[0]})
		}, true, true},
		{"pins that are not filled in", func() {
			h.files[install.PinsPath] = []byte("dagger_version=v0.21.8\ndagger_cli_sha256=unset\ndagger_engine_sha256=unset\nmodule=unset\n")
		}, true, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			h.t = t
			if err := h.scene.Server.Restore(start); err != nil {
				t.Fatal(err)
			}
			h.context, h.files = map[string]string{}, map[string][]byte{}
			for k, v := range context {
				h.context[k] = v
			}
			for k, v := range files {
				h.files[k] = v
			}
			tt.set()
			ends := h.run("self-fix.yml")
			if e := ends["gate"]; e.ran != tt.ran || e.failed != tt.failed {
				t.Errorf("gate: %+v", e)
			}
			if ends["fix"].ran {
				t.Error("the fix job ran")
			}
		})
	}
}
