package engine

import (
	"bufio"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"selffix/internal/demo"
	"selffix/internal/demo/sandbox"
	"selffix/pipeline"
	"selffix/pipeline/evidence"
)

// tokens are all that the stand-ins hand out.
func tokens() []string {
	var all []string
	for _, text := range sandbox.Secrets() {
		all = append(all, text)
	}
	return all
}

// stands serves the stand-ins of a play on this machine. Their policy names them by the aliases under which an engine binds them.
func stands(t *testing.T, worker string) demo.Caller {
	t.Helper()
	s := exec.Command(worker, "sandbox", "serve", "--play", "repair", "--listen", "0.0.0.0")
	s.Stderr = os.Stderr
	out, err := s.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = s.Process.Signal(os.Interrupt)
		_ = s.Wait()
	})
	if _, err := bufio.NewReader(out).ReadString('\n'); err != nil {
		t.Fatalf("the stand-ins did not start: %v", err)
	}
	return sandbox.Client("http://127.0.0.1:" + strconv.Itoa(demo.ControlPort))
}

// ask sends one message to the stand-ins.
func ask[T any](t *testing.T, call demo.Caller, name demo.Message, in any) T {
	t.Helper()
	var out T
	text, err := json.Marshal(in)
	if err != nil {
		t.Fatal(err)
	}
	data, err := call(t.Context(), name, text)
	if err == nil {
		err = json.Unmarshal(data, &out)
	}
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return out
}

type nothing struct{}

// loop plays the workflows' calls: from the red pull request to the reviewed commit, each as a call of its own.
func loop(t *testing.T, c *client, worker string) {
	call := stands(t, worker)
	o, err := demo.Open(t.Context(), call)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	file := func(name, text string) string {
		p := filepath.Join(dir, name)
		if err := os.WriteFile(p, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return p
	}
	secrets := map[string]string{
		"SF_READ": o.Secrets[pipeline.SecretGitHubRead], "SF_WRITE": o.Secrets[pipeline.SecretGitHubWrite],
		"SF_STATUS": o.Secrets[pipeline.SecretGitHubStatus], "SF_MODEL": o.Secrets[pipeline.SecretModel],
	}
	github := []string{"with-sandbox", "--github", "tcp://127.0.0.1:" + strconv.Itoa(demo.GitHubPort)}
	with := func(first []string, more ...string) []string { return append(append([]string{}, first...), more...) }

	red := ask[demo.Judged](t, call, demo.MessageVerdict, demo.TestRun{
		Commit: o.Head, State: "failure", Began: time.Now().UTC(), Passed: 1, Failing: []string{"splits an amount"}, Output: "one test fails\n",
	})
	policy, event := file("policy.yaml", o.Policy), file("event.json", red.Event)
	run := ids(t, ask[demo.Started](t, call, demo.MessageRun, nothing{}).Run)
	given := []string{"--policy", policy, "--event", event, "--run", run.id, "--attempt", run.attempt}

	verdict := c.call(secrets, with(github, with([]string{"gate"}, with(given, "--token", "env://SF_READ", "json")...)...)...)
	if d := decision(t, verdict); d != "act" {
		t.Fatalf("gate: %s", d)
	}
	again := c.call(secrets, with(github, "gate", "--policy", policy, "--event", event, "--run", run.id, "--attempt", "2", "--token", "env://SF_READ", "json")...)
	if d := decision(t, again); d != "nothing" {
		t.Errorf("gate of a re-run: %s, want nothing, and exit code 0", d)
	}
	if _, code := c.run(secrets, with([]string{"call", "--mod", c.module}, with(github, "gate", "--policy", policy, "--event", event, "--run", run.id, "--attempt", "2",
		"--token", "env://SF_READ", "require")...)...); code == 0 {
		t.Error("require of a gate that does not act: exit code 0")
	}
	ask[nothing](t, call, demo.MessageFix, nothing{})

	checkout := c.call(secrets, with(github, "checkout", "--policy", policy, "--verdict", verdict, "--token", "env://SF_READ")...)
	repair := c.call(secrets, "with-sandbox", "--model", "tcp://127.0.0.1:"+strconv.Itoa(demo.ModelPort), "agent", "--policy", policy, "--verdict", verdict,
		"--tree", checkout, "--bundle", file("bundle.json", bundle(t)), "--model-token", "env://SF_MODEL", "check")
	if o := outcome(t, repair); o.Decision != pipeline.Continue {
		t.Fatalf("check: %+v", o)
	}
	rechecked := c.call(nil, "recheck", "--policy", policy, "--verdict", verdict, "--objects", checkout,
		"--candidate", filepath.Join(repair, "candidate.json"), "--patch", filepath.Join(repair, "fix.patch"))
	if o := outcome(t, rechecked); o.Decision != pipeline.Continue {
		t.Fatalf("recheck: %+v", o)
	}
	if said, err := os.ReadFile(c.call(nil, "push-dry-run", "--policy", policy, "--result", rechecked, "require")); err != nil {
		t.Errorf("push-dry-run: %q, %v", said, err)
	}
	receipt := c.call(secrets, with(github, with([]string{"push"}, with(given, "--result", rechecked, "--token", "env://SF_WRITE", "json")...)...)...)
	pushed := read(t, receipt)
	if pushed["pushed"] != true {
		t.Fatalf("push: %v", pushed)
	}

	s := ask[demo.Started](t, call, demo.MessageLabel, nothing{})
	run = ids(t, s.Run)
	review := c.call(secrets, with(github, "review-gate", "--policy", policy, "--event", file("label.json", s.Event), "--event-name", run.event,
		"--run", run.id, "--attempt", run.attempt, "--token", "env://SF_STATUS", "json")...)
	if d := decision(t, review); d != "act" {
		t.Errorf("review gate: %s", d)
	}
	state := ask[demo.State](t, call, demo.MessageState, nothing{})
	if state.Head != pushed["commit"] || strings.Join(state.Review, " ") != "pending success" {
		t.Errorf("GitHub shows the head %s and %v, want the pushed commit %v, pending then success", state.Head, state.Review, pushed["commit"])
	}
}

// bundle is a failure report as evidence hands it on.
func bundle(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	name := filepath.Join(dir, "report.txt")
	if err := os.WriteFile(name, []byte("the shares do not sum up\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	to := t.TempDir()
	if err := evidence.Give(to, name); err != nil {
		t.Fatal(err)
	}
	b, err := evidence.ReadFile(to)
	if err != nil {
		t.Fatal(err)
	}
	text, err := evidence.Write(b)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

type runIDs struct{ id, attempt, event string }

func ids(t *testing.T, text string) runIDs {
	t.Helper()
	r, err := pipeline.ReadRun([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return runIDs{strconv.FormatInt(r.RunID, 10), strconv.Itoa(r.Attempt), r.EventName}
}

func read(t *testing.T, name string) map[string]any {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	var m map[string]any
	if err := json.Unmarshal(data, &m); err != nil {
		t.Fatalf("%v\n%s", err, data)
	}
	return m
}

func decision(t *testing.T, name string) string {
	t.Helper()
	d, _ := read(t, name)["decision"].(string)
	return d
}
