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
	"syscall"
	"testing"
	"time"

	"selffix/internal/modelfake"
	"selffix/internal/play"
	"selffix/internal/testrepo"
	"selffix/pipeline"
	"selffix/pipeline/agent"
	"selffix/pipeline/local"
	"selffix/testdata"
)

// worker is this program as the tests' main linked it.
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

// Every bad input is refused before anything runs, with what to do.
func TestFixRefusesBadInput(t *testing.T) {
	dir := t.TempDir()
	p := play.Play{Name: "input", Report: "red\n"}
	scene, err := p.Stage(t.Context(), testdata.Files, dir, "http://127.0.0.1:9")
	if err != nil {
		t.Fatal(err)
	}
	write := func(name, text string) string {
		t.Helper()
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return file
	}
	full := filepath.Join(dir, "full")
	partial := filepath.Join(dir, "partial")
	for _, d := range []string{full, partial} {
		if err := os.Mkdir(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	write("full/old", "x")
	write("partial/.partial", "")
	seed, err := os.ReadFile(scene.Policy)
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name, flag, value string
		say               string
	}{
		{"commit not found", "--commit", strings.Repeat("1", 40), "commit not found"},
		{"commit that is a tree", "--commit", strings.TrimSpace(testrepo.Git(t, scene.Repo, "rev-parse", "HEAD^{tree}")), "want a commit"},
		{"commit that is a flag", "--commit", "--all", "commit not found"},
		{"no repository", "--repo", full, "repository"},
		{"token with a newline", "--model-token-file", write("split", "sandbox-a\nb"), "token"},
		{"no token", "--model-token-file", write("empty", "\n"), "token"},
		{"real token in a sandbox", "--model-token-file", write("real", "s"+"k-ant-"+"x"), "sandbox"},
		{"token file missing", "--model-token-file", filepath.Join(dir, "none"), "token"},
		{"policy missing", "--policy", filepath.Join(dir, "none"), "policy"},
		{"policy with an unknown key", "--policy", write("bad.yaml", string(seed)+"more: 1\n"), "policy"},
		{"out not empty", "--out", full, "not empty"},
		{"bundle missing", "--bundle", filepath.Join(dir, "none"), "bundle"},
		{"bundle too large", "--bundle", write("large", strings.Repeat("x", 256<<10+1)), "bundle"},
		{"unknown format", "--format", "xml", "format"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := fixed{}
			args := []string{"fix", "--repo", scene.Repo, "--commit", "HEAD", "--bundle", scene.Report, "--policy", scene.Policy,
				"--model-token-file", scene.TokenFile, "--out", filepath.Join(dir, "out")}
			f.run(t, append(args, tt.flag, tt.value)...)
			if f.code != exitUndecided || !strings.Contains(f.stderr, tt.say) {
				t.Errorf("exit code %d, want 2 and %q in %q", f.code, tt.say, f.stderr)
			}
			if _, err := os.Stat(filepath.Join(dir, "out")); err == nil {
				t.Error("it made the out folder")
			}
		})
	}
	t.Run("disabled policy", func(t *testing.T) {
		f := fixed{}
		f.run(t, "fix", "--repo", scene.Repo, "--commit", "HEAD", "--bundle", scene.Report, "--out", filepath.Join(dir, "out"),
			"--model-token-file", scene.TokenFile, "--policy", write("off.yaml", strings.Replace(string(seed), "enabled: true", "enabled: false", 1)))
		if f.code != exitNo || !strings.Contains(f.stdout, "enabled") {
			t.Errorf("exit code %d, %q", f.code, f.stdout)
		}
	})
	t.Run("partial bundle", func(t *testing.T) {
		f := fixed{}
		f.run(t, "fix", "--repo", scene.Repo, "--commit", "HEAD", "--bundle", partial, "--out", filepath.Join(dir, "out-partial"),
			"--model-token-file", scene.TokenFile, "--policy", scene.Policy)
		if f.code != exitUndecided || !strings.Contains(f.stdout, "partial") {
			t.Errorf("exit code %d, %q", f.code, f.stdout)
		}
	})
	t.Run("offline without tools", func(t *testing.T) {
		f := fixed{}
		t.Setenv("XDG_CACHE_HOME", t.TempDir())
		f.run(t, "fix", "--repo", scene.Repo, "--commit", "HEAD", "--bundle", scene.Report, "--out", filepath.Join(dir, "out-offline"),
			"--model-token-file", scene.TokenFile, "--policy", scene.Policy, "--offline")
		if f.code != exitUndecided || !strings.Contains(f.stdout, "--offline") {
			t.Errorf("exit code %d, %q", f.code, f.stdout)
		}
	})
}

func TestShowRefusedNeverInCI(t *testing.T) {
	c := exec.Command(workerPath(t), "fix", "--repo", ".", "--commit", "HEAD", "--bundle", "x", "--policy", "x", "--model-token-file", "x",
		"--out", filepath.Join(t.TempDir(), "out"), "--show-refused")
	c.Env = append(os.Environ(), "GITHUB_ACTIONS=true")
	out, _ := c.CombinedOutput()
	if c.ProcessState.ExitCode() != exitUndecided || !strings.Contains(string(out), "never shown in CI") {
		t.Errorf("exit code %d: %s", c.ProcessState.ExitCode(), out)
	}
}

// Whenever a run is ended, nothing of it goes on, and the next run starts clean.
func TestFixEndedWhileTheAgentWorks(t *testing.T) {
	hang := play.Play{Name: "hang", Doc: "d", Report: "red", Turns: []modelfake.Turn{{Fault: modelfake.FaultHang}}}
	for name, signal := range map[string]syscall.Signal{"SIGTERM": syscall.SIGTERM, "SIGKILL": syscall.SIGKILL} {
		t.Run(name, func(t *testing.T) {
			f := stageFix(t, hang)
			c := exec.Command(workerPath(t), f.args()...)
			if err := c.Start(); err != nil {
				t.Fatal(err)
			}
			eventually(t, "the agent asks the model", func() bool { return len(f.model.Requests()) > 0 })
			if err := c.Process.Signal(signal); err != nil {
				t.Fatal(err)
			}
			_ = c.Wait() // how it ended is looked at below
			if signal == syscall.SIGTERM && c.ProcessState.ExitCode() != exitUndecided {
				t.Errorf("exit code %d, want 2", c.ProcessState.ExitCode())
			}
			eventually(t, "no process of the run is left", func() bool { return len(processesOf(t, "claude")) == 0 })
			if signal == syscall.SIGKILL {
				// The next run of this user sweeps, whatever it is for.
				eventually(t, "the next run swept", func() bool {
					ip, err := local.New(local.Options{Worker: workerPath(t)})
					if err != nil {
						t.Fatal(err)
					}
					if err := ip.Close(); err != nil {
						t.Fatal(err)
					}
					return len(runFolders(t)) == 0
				})
			}
			if left := runFolders(t); len(left) != 0 {
				t.Errorf("left behind: %v", left)
			}
			if _, err := os.Stat(filepath.Join(f.out, "fix.patch")); err == nil {
				t.Error("a patch was handed on")
			}
		})
	}
}

func runFolders(t *testing.T) []string {
	t.Helper()
	left, err := filepath.Glob(fmt.Sprintf("/var/tmp/self-fix-run-%d-*", os.Getuid()))
	if err != nil {
		t.Fatal(err)
	}
	return left
}

// processesOf lists processes of a program.
func processesOf(t *testing.T, program string) []string {
	t.Helper()
	lines, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, l := range lines {
		text, err := os.ReadFile(l)
		if err == nil && strings.HasSuffix(strings.Split(string(text), "\x00")[0], "/"+program) {
			found = append(found, l)
		}
	}
	return found
}

func eventually(t *testing.T, what string, done func() bool) {
	t.Helper()
	for range 1200 {
		if done() {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Fatalf("not within a minute: %s", what)
}

// BenchmarkFix is a whole repair without the model's own time, warm: the scripted model answers at once.
func BenchmarkFix(b *testing.B) {
	plays, err := play.Load(testdata.Files, "plays")
	if err != nil {
		b.Fatal(err)
	}
	i := slices.IndexFunc(plays, func(p play.Play) bool { return p.Name == "repair" })
	for b.Loop() {
		b.StopTimer()
		f := stageFix(b, plays[i])
		b.StartTimer()
		f.run(b, f.args()...)
		if f.code != exitYes {
			b.Fatalf("exit code %d: %s", f.code, f.stderr)
		}
	}
}
