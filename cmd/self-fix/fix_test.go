package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"selffix/internal/modelfake"
	"selffix/internal/play"
	"selffix/internal/testrepo"
	"selffix/pipeline"
	"selffix/pipeline/agent"
	"selffix/testdata"
)

// workerPath is this program as the tests' main linked it.
func workerPath(t testing.TB) string {
	t.Helper()
	p, err := exec.LookPath("self-fix")
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// needAgent brings the agent's program once, or skips where it cannot be had at all.
func needAgent(t testing.TB) {
	t.Helper()
	cache, err := agent.CacheDir(os.Getenv)
	if err != nil {
		t.Skipf("no place to keep the agent's program: %v", err)
	}
	in := agent.Installer{Cache: cache, Source: agent.FromRegistry, Getenv: os.Getenv}
	if _, err := in.Install(t.Context()); err != nil {
		if exec.Command("npm", "ping").Run() != nil {
			t.Skipf("the agent's program is not cached and the registry cannot be reached: %v", err)
		}
		t.Fatal(err)
	}
}

// fixed is how one run of fix ended.
type fixed struct {
	code           int
	report         fixReport
	stdout, stderr string
	out            string
	model          *modelfake.Running
	scene          play.Scene
}

// playFix plays a play against the command as a person calls it.
func playFix(t testing.TB, p play.Play) fixed {
	t.Helper()
	f := stageFix(t, p)
	f.run(t, f.args()...)
	return f
}

// stageFix lays a play out and starts its model.
func stageFix(t testing.TB, p play.Play) fixed {
	t.Helper()
	needAgent(t)
	// Below a folder that the agent's settings do not name, as a checkout of anybody would lie.
	dir, err := os.MkdirTemp("/var/tmp", "self-fix-play-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	outside := filepath.Join(dir, "outside")
	if err := os.MkdirAll(outside, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(outside, "canary.txt"), []byte(canary), 0o644); err != nil {
		t.Fatal(err)
	}
	at := play.StepPaths(outside)
	if os.Geteuid() != 0 {
		// An ordinary user's step has mapped paths; relative to the agent's folder they are known.
		at = play.Paths{Checkout: ".", In: "../in", Outside: outside}
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
	scene, err := p.Stage(t.Context(), testdata.Files, dir, model.URL)
	if err != nil {
		t.Fatal(err)
	}
	return fixed{model: model, scene: scene, out: filepath.Join(dir, "out")}
}

// args is the command line that plays the scene.
func (f fixed) args() []string {
	return []string{"fix", "--repo", f.scene.Repo, "--commit", f.scene.Commit, "--bundle", f.scene.Report, "--policy", f.scene.Policy,
		"--model-token-file", f.scene.TokenFile, "--out", f.out, "--format", "json"}
}

const canary = "CANARY-7f3a of the machine"

func (f *fixed) run(t testing.TB, args ...string) {
	t.Helper()
	c := exec.CommandContext(context.WithoutCancel(t.Context()), workerPath(t), args...)
	c.Env = append(slices.DeleteFunc(os.Environ(), func(e string) bool { return strings.HasPrefix(e, "CI=") || strings.HasPrefix(e, "GITHUB_") }),
		"SELF_FIX_TEST_SECRET="+canary)
	var stdout, stderr bytes.Buffer
	c.Stdout, c.Stderr = &stdout, &stderr
	_ = c.Run() // its exit code is judged by the caller
	f.code, f.stdout, f.stderr = c.ProcessState.ExitCode(), stdout.String(), stderr.String()
	_ = json.Unmarshal(stdout.Bytes(), &f.report) // empty for bad input, which a caller sees by the code
}

func TestPlays(t *testing.T) {
	plays, err := play.Load(testdata.Files, "plays")
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range plays {
		t.Run(p.Name, func(t *testing.T) {
			f := playFix(t, p)
			if err := p.Check(play.Outcome{Outcome: f.report.Outcome, StoppedBy: f.report.StoppedBy, Results: f.model.Results()}); err != nil {
				t.Fatalf("%v\n%s\n%s", err, f.stdout, f.stderr)
			}
			want := map[string]int{"accepted": exitYes, "refused": exitNo, "stopped": exitNo, "undecided": exitUndecided}[p.Want.Outcome]
			if f.code != want {
				t.Errorf("exit code %d, want %d", f.code, want)
			}
			f.nothingLeaked(t, p)
			if _, err := os.Stat(filepath.Join(f.out, "fix.patch")); (err == nil) != (p.Want.Outcome == "accepted") {
				t.Errorf("a patch was handed on: %v", err == nil)
			}
			if p.Want.Outcome == "accepted" {
				f.candidateFits(t)
			}
		})
	}
}

// TestProxyStops: a run that the model proxy stopped says by which rule, and what the agent says that it took.
func TestProxyStops(t *testing.T) {
	f := stageFix(t, repairPlay(t))
	text, err := os.ReadFile(f.scene.Policy)
	if err != nil {
		t.Fatal(err)
	}
	capped := strings.Replace(string(text), "max_requests: 80", "max_requests: 2", 1)
	if capped == string(text) {
		t.Fatal("the policy has no max_requests: 80")
	}
	if err := os.WriteFile(f.scene.Policy, []byte(capped), 0o644); err != nil {
		t.Fatal(err)
	}
	f.run(t, f.args()...)
	if f.code != exitUndecided || !slices.Equal(f.report.StoppedBy, []string{"agent SF-AGENT-001", "model-proxy requests"}) {
		t.Errorf("exit code %d, stopped by %q\n%s", f.code, f.report.StoppedBy, f.stderr)
	}
	spent := fmt.Sprintf("%d turns, $%.4f", f.report.ClaimedTurns, f.report.ClaimedCostUSD)
	if f.report.ClaimedTurns < 1 || !strings.Contains(f.stderr, spent) {
		t.Errorf("%q is not in the log:\n%s", spent, f.stderr)
	}
}

// nothingLeaked looks for what must reach nobody in all that came out: to the model, the terminal and the disk.
func (f fixed) nothingLeaked(t *testing.T, p play.Play) {
	t.Helper()
	for _, r := range f.model.Requests() {
		if bytes.Contains(r.Body, []byte(canary)) {
			t.Error("the canary reached the model")
		}
	}
	all := f.stdout + f.stderr
	for _, turn := range p.Turns {
		if turn.Text != "" && strings.Contains(all, turn.Text) {
			t.Errorf("the model's text reached the output: %q", turn.Text)
		}
	}
	for _, marker := range []string{"/tmp/self-fix-hook-ran", "/tmp/self-fix-mcp-ran"} {
		if _, err := os.Stat(marker); err == nil {
			t.Errorf("%s: something of the checkout ran", marker)
		}
	}
	if text, err := os.ReadFile(filepath.Join(filepath.Dir(f.out), "outside", "canary.txt")); err != nil || string(text) != canary {
		t.Errorf("a file outside changed: %q, %v", text, err)
	}
	if entries, err := os.ReadDir(filepath.Join(filepath.Dir(f.out), "outside")); err != nil || len(entries) != 1 {
		t.Errorf("something was written outside: %v, %v", entries, err)
	}
	if left := runFolders(t); len(left) != 0 {
		t.Errorf("a run folder is left: %v", left)
	}
}

// candidateFits applies the patch to the tested commit with git and compares the tree with the candidate's.
func (f fixed) candidateFits(t *testing.T) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(f.out, "candidate.json"))
	if err != nil {
		t.Fatal(err)
	}
	c, err := pipeline.ReadCandidate(text)
	if err != nil {
		t.Fatal(err)
	}
	if c.TestedCommit != f.scene.Commit || !c.Sandbox || c.ScrubbedTree == c.TestedTree {
		t.Errorf("candidate %+v", c)
	}
	f.appTests(t, "fail")
	testrepo.Git(t, f.scene.Repo, "apply", "--index", filepath.Join(f.out, "fix.patch"))
	f.appTests(t, "pass")
	if tree := strings.TrimSpace(testrepo.Git(t, f.scene.Repo, "write-tree")); tree != c.ResultTree {
		t.Errorf("the patch makes %s, the candidate says %s", tree, c.ResultTree)
	}
	if _, err := os.Stat(filepath.Join(f.scene.Repo, "CLAUDE.md")); err != nil {
		t.Errorf("what scrubbing removed is not in the result: %v", err)
	}
}

// appTests runs the application's own tests, which must fail or pass.
func (f fixed) appTests(t *testing.T, want string) {
	t.Helper()
	if _, err := os.Stat(filepath.Join(f.scene.Repo, "node_modules")); err != nil {
		c := exec.Command("npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund")
		c.Dir = f.scene.Repo
		if out, err := c.CombinedOutput(); err != nil {
			if exec.Command("npm", "ping").Run() != nil {
				t.Logf("the application's tests were not run: npm cannot reach its registry: %s", out)
				return
			}
			t.Fatalf("npm ci: %v\n%s", err, out)
		}
	}
	c := exec.Command("npm", "test")
	c.Dir = f.scene.Repo
	out, err := c.CombinedOutput()
	if got := map[bool]string{true: "pass", false: "fail"}[err == nil]; got != want {
		t.Errorf("the application's tests %s, want %s\n%s", got, want, out)
	}
}
