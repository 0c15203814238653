package engine

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"selffix/internal/demo"
	"selffix/internal/demo/sandbox"
	"selffix/internal/modelfake"
	"selffix/internal/play"
	"selffix/internal/testrepo"
	"selffix/pipeline"
	"selffix/pipeline/verify"
	"selffix/testdata"
)

// TestEngine is one test, so that one session of the engine's cache serves all, and all that was said is searched at the end.
func TestEngine(t *testing.T) {
	c := connect(t)
	worker := build(t)
	for _, part := range []struct {
		name string
		run  func(*testing.T, *client, string)
	}{
		{"functions", functions}, {"check", check}, {"fix", fix}, {"verify", verified}, {"loop", loop}, {"log", silent}, {"demo", demonstrate}, {"log of the demo", silentDemo},
	} {
		t.Run(part.name, func(t *testing.T) {
			own := *c
			own.t = t
			part.run(t, &own, worker)
		})
	}
}

// silent: no token, and nothing that the report, the model or a tool's input holds, was printed or exported.
func silent(_ *testing.T, c *client, _ string) { c.silent(append(tokens(), canaries()...)...) }

// silentDemo: nor in the demo, but for the stand-in of the bot's command line, which brings the one key that it answers to along.
func silentDemo(_ *testing.T, c *client, _ string) {
	c.silent(slices.DeleteFunc(tokens(), func(s string) bool { return s == sandbox.Secrets()[pipeline.SecretBot] })...)
}

// canaries are words that only a tool's input, the model's text and the report hold.
func canaries() []string {
	return []string{"canaryToolInput7f3a", "canaryModelText7f3a", "canaryReport7f3a"}
}

// build builds the command of this machine, which serves the stand-ins and repairs without an engine.
func build(t *testing.T) string {
	t.Helper()
	to := filepath.Join(t.TempDir(), "self-fix")
	b := exec.Command("go", "build", "-trimpath", "-o", to, "./cmd/self-fix")
	b.Dir = testrepo.Root(t)
	b.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := b.CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
	return to
}

// functions: what "dagger functions" lists is what callers and workflows use.
func functions(t *testing.T, c *client, _ string) {
	out, code := c.run(nil, "functions", "--mod", c.module)
	if code != 0 {
		t.Fatalf("dagger functions: exit code %d", code)
	}
	want := []string{
		"agent", "check", "checkout", "demo", "doctor", "evidence", "fix", "gate", "push", "push-dry-run", "recheck", "review-gate", "secrets-map",
		"self-test", "with-sandbox",
	}
	var got []string
	for _, line := range strings.Split(out, "\n") {
		if m := regexp.MustCompile(`^([a-z][a-z-]+)\s{2,}\S`).FindStringSubmatch(line); m != nil {
			got = append(got, m[1])
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("functions %v, want %v\n%s", got, want, out)
	}
	help, code := c.run(nil, "call", "--mod", c.module, "gate", "--help")
	for _, text := range []string{"--policy", "--event", "--run", "--attempt", "--token", "GITHUB_RUN_ID"} {
		if code != 0 || !strings.Contains(help, text) {
			t.Errorf("the help of gate lacks %s (exit code %d)", text, code)
		}
	}
	data, err := os.ReadFile(c.call(nil, "secrets-map"))
	if err != nil || !strings.Contains(string(data), "model-proxy") {
		t.Errorf("secrets map: %v\n%s", err, data)
	}
}

// check: the self-test holds in a real container, and "dagger check" runs it.
func check(t *testing.T, c *client, _ string) {
	data, err := os.ReadFile(c.call(nil, "self-test"))
	if err != nil || !strings.Contains(string(data), "self-test: held: allowed, tcp, dns, metadata,") {
		t.Errorf("self-test: %v\n%s", err, data)
	}
	list, code := c.run(nil, "--mod", c.module, "check", "-l")
	if code != 0 || !strings.Contains(list, "self-test") {
		t.Errorf("dagger check -l: exit code %d\n%s", code, list)
	}
	if _, code := c.run(nil, "--mod", c.module, "check"); code != 0 {
		t.Errorf("dagger check: exit code %d", code)
	}
}

// fix: the engine's repair and the one without an engine have the same tree and verdict.
func fix(t *testing.T, c *client, worker string) {
	data, err := testdata.Files.ReadFile("plays/repair.json")
	if err != nil {
		t.Fatal(err)
	}
	// What the report and the model say, and what the agent is told to look for, is nobody's to read in a log.
	said := strings.Replace(string(data), `"pattern": "split"`, `"pattern": "split|`+canaries()[0]+`"`, 1)
	p, err := play.Parse([]byte(said))
	if err != nil || said == string(data) || len(p.Turns) == 0 {
		t.Fatalf("the play has changed: %v", err)
	}
	p.Turns[0].Text += " " + canaries()[1]
	p.Report += canaries()[2] + "\n"
	at := play.StepPaths("/outside")
	if os.Geteuid() != 0 {
		at = play.Paths{Checkout: ".", In: "../in", Outside: "/outside"} // an ordinary user's step has mapped paths
	}
	local := stage(t, p, at)
	here := filepath.Join(local.dir, "out")
	cmd := exec.Command(worker, "fix", "--repo", local.Repo, "--commit", local.Commit, "--bundle", local.Report, "--policy", local.Policy,
		"--model-token-file", local.TokenFile, "--out", here)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("self-fix fix: %v\n%s", err, out)
	}

	far := stage(t, p, play.StepPaths("/outside"))
	port := far.model[strings.LastIndex(far.model, ":")+1:]
	text, err := os.ReadFile(far.Policy)
	if err != nil {
		t.Fatal(err)
	}
	far.Policy = far.write(t, "engine.yaml", strings.ReplaceAll(string(text), far.model, "http://"+demo.ModelAlias+":"+port))
	there := c.call(map[string]string{"SELF_FIX_TEST_MODEL": play.Token}, "with-sandbox", "--model", "tcp://127.0.0.1:"+port, "fix", "--repo", far.Repo,
		"--commit", far.Commit, "--bundle", far.Report, "--policy", far.Policy, "--model-token", "env://SELF_FIX_TEST_MODEL")
	if o := outcome(t, there); o.Decision != pipeline.Continue {
		t.Fatalf("dagger call fix: %+v", o)
	}
	a, b := candidate(t, here), candidate(t, there)
	if a.ResultTree == "" || a.ResultTree != b.ResultTree || a.TestedCommit != b.TestedCommit || a.PatchSHA256 != b.PatchSHA256 || a.Check.Verdict != b.Check.Verdict {
		t.Errorf("without an engine tree %s, patch %s, check %v; with one tree %s, patch %s, check %v", a.ResultTree, a.PatchSHA256, a.Check, b.ResultTree, b.PatchSHA256, b.Check)
	}
	// What a run cost counts what the agent says of its machine; that there is a meter proves that the service was asked.
	if b.ClaimedTurns == 0 || b.ClaimedTurns != a.ClaimedTurns || b.ClaimedCostUSD == 0 {
		t.Errorf("turns %d and %d, cost %f and %f, want the same turns, and a cost", a.ClaimedTurns, b.ClaimedTurns, a.ClaimedCostUSD, b.ClaimedCostUSD)
	}
	report, err := os.ReadFile(filepath.Join(there, "report.json"))
	if err != nil || !strings.Contains(string(report), `"accept"`) {
		t.Errorf("report: %v\n%s", err, report)
	}
	verdict := c.call(nil, "check", "--repo", far.Repo, "--base", far.Commit, "--policy", far.Policy, "--patch", filepath.Join(there, "fix.patch"), "require")
	if said, err := os.ReadFile(verdict); err != nil || string(said) != "accept" {
		t.Errorf("check of the accepted patch: %q, %v", said, err)
	}
}

// verified: the project's own tests run on the repaired tree where the policy asks for it, alone in their container.
func verified(t *testing.T, c *client, _ string) {
	data, err := testdata.Files.ReadFile("plays/repair.json")
	if err != nil {
		t.Fatal(err)
	}
	p, err := play.Parse(data)
	if err != nil {
		t.Fatal(err)
	}
	repair := func(command string) pipeline.Outcome {
		s := stage(t, p, play.StepPaths("/outside"))
		port := s.model[strings.LastIndex(s.model, ":")+1:]
		text, err := os.ReadFile(s.Policy)
		if err != nil {
			t.Fatal(err)
		}
		policy := s.write(t, "engine.yaml", strings.ReplaceAll(string(text), s.model, "http://"+demo.ModelAlias+":"+port)+
			"\nverify:\n  enabled: true\n  command: "+command+"\n  timeout: 2m\n")
		dir := c.call(map[string]string{"SELF_FIX_TEST_MODEL": play.Token}, "with-sandbox", "--model", "tcp://127.0.0.1:"+port, "fix", "--repo", s.Repo,
			"--commit", s.Commit, "--bundle", s.Report, "--policy", policy, "--model-token", "env://SELF_FIX_TEST_MODEL", "--packages", s.Repo)
		o := outcome(t, dir)
		if _, err := os.Stat(filepath.Join(dir, "fix.patch")); (err == nil) != (o.Decision == pipeline.Continue) {
			t.Errorf("%s: outcome %+v, and the patch: %v", command, o, err)
		}
		return o
	}
	if o := repair("[npm, test]"); o.Decision != pipeline.Continue {
		t.Errorf("the application's own tests: %+v", o)
	}
	if o := repair("[npm, run, no-such-script]"); o.Decision != pipeline.Stop || o.Rule != verify.RuleFails {
		t.Errorf("a check that fails: %+v, want a stop", o)
	}
}

// scene is a play laid out, with a scripted model of its own.
type scene struct {
	play.Scene
	dir, model string
}

func stage(t *testing.T, p play.Play, at play.Paths) scene {
	t.Helper()
	dir, err := os.MkdirTemp("/var/tmp", "self-fix-engine-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	script, err := p.Script(at)
	if err != nil {
		t.Fatal(err)
	}
	model, err := modelfake.Start(modelfake.Options{Key: play.Token, Script: script})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { model.Close() })
	s := scene{dir: dir, model: model.URL}
	if s.Scene, err = p.Stage(t.Context(), testdata.Files, dir, model.URL); err != nil {
		t.Fatal(err)
	}
	return s
}

func (s scene) write(t *testing.T, name, text string) string {
	t.Helper()
	p := filepath.Join(s.dir, name)
	if err := os.WriteFile(p, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return p
}

func outcome(t *testing.T, dir string) pipeline.Outcome {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, "outcome.json"))
	if err != nil {
		t.Fatal(err)
	}
	o, err := pipeline.ReadOutcome(data)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

func candidate(t *testing.T, dir string) pipeline.Candidate {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, "candidate.json"))
	if err != nil {
		t.Fatal(err)
	}
	c, err := pipeline.ReadCandidate(data)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// demonstrate: the plays of "make demo" end on an engine as they do without one.
func demonstrate(t *testing.T, c *client, _ string) {
	dir := c.call(nil, "demo")
	data, err := os.ReadFile(filepath.Join(dir, "report.json"))
	if err != nil {
		t.Fatal(err)
	}
	r, err := demo.ReadReport(data)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Plays) != 2 || r.Plays[0].Outcome != demo.Pushed || r.Plays[1].Outcome != demo.Refused {
		t.Fatalf("plays %s", data)
	}
	if bot, review := r.Plays[0].Bot, r.Plays[0].Review; !slices.Equal(bot, []string{"failure", "success"}) || !slices.Equal(review, []string{"pending", "success"}) {
		t.Errorf("bot %v, review %v", bot, review)
	}
	if len(r.Plays[1].StoppedBy) < 3 {
		t.Errorf("the hijacked play was stopped by %v", r.Plays[1].StoppedBy)
	}
	if page, err := os.ReadFile(filepath.Join(dir, "report.html")); err != nil || !json.Valid(data) || !strings.Contains(string(page), "<html") {
		t.Errorf("report.html: %v", err)
	}
}
