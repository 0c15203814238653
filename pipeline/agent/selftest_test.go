package agent_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"selffix/internal/modelfake"
	"selffix/pipeline/agent"
)

// self is the test binary, where a user of the fence's may run it.
func self(t *testing.T, g *ground) string {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	raw, err := os.ReadFile(exe)
	if err != nil {
		t.Fatal(err)
	}
	p := filepath.Join(g.root, "worker", "self-fix")
	if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(p, raw, 0o755); err != nil {
		t.Fatal(err)
	}
	return p
}

func TestSelfTestInTheFence(t *testing.T) {
	g := newGround(t, modelfake.Script{Turns: []modelfake.Turn{{Text: "never asked"}}})
	outside := filepath.Dir(g.write(t, "outside/secret.txt", "x"))
	input, err := g.command(t).Ground(outside).Input()
	if err != nil {
		t.Fatal(err)
	}
	program := self(t, g)
	r, stdout, stderr := g.fenced(t, []string{program, selfTestArg}, []string{program}, bytes.NewReader(input))
	report, err := agent.ReadReport([]byte(stdout))
	if err != nil {
		t.Fatalf("%v: %v\n%s\n%s", err, r, stdout, stderr)
	}
	if !strings.HasPrefix(report.String(), "held: allowed, tcp, dns, metadata") {
		t.Errorf("got %q", report)
	}
	left, err := filepath.Glob(filepath.Join(g.root, "*", ".self-fix*"))
	if err != nil || len(left) > 0 || len(g.model.Requests()) > 0 {
		t.Errorf("it left %v and %d requests", left, len(g.model.Requests()))
	}
}

// Without a fence the same test must see it.
func TestSelfTestWithoutAFence(t *testing.T) {
	dir := scratch(t)
	layout := agent.Layout{Checkout: dir + "/checkout", Bundle: dir + "/in", Home: dir + "/home", Temp: dir + "/tmp"}
	for _, d := range []string{layout.Checkout, layout.Bundle, layout.Home, layout.Temp} {
		if err := os.Mkdir(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	g := agent.Ground{
		Write: []string{layout.Checkout, layout.Home, layout.Temp}, Read: []string{layout.Bundle}, Outside: []string{dir}, Env: agent.EnvNames(),
	}
	input, err := g.Input()
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := agent.SelfTest(bytes.NewReader(input), &out, []string{"GITHUB_TOKEN=x"}); err != nil {
		t.Fatal(err)
	}
	report, err := agent.ReadReport(out.Bytes())
	if !errors.Is(err, agent.ErrSelfTest) {
		t.Fatalf("got %v", err)
	}
	for _, c := range report.Checks {
		wantHeld := c.Name == "allowed" || c.Name == "dns" || c.Name == "metadata" || c.Name == "tcp" // these depend on the machine's network
		if c.Held && !wantHeld {
			t.Errorf("%q held without a fence", c.Name)
		}
	}
	if !report.Checks[0].Held {
		t.Error("the control failed without a fence")
	}
	left, err := filepath.Glob(filepath.Join(dir, "*", ".self-fix*"))
	if err != nil || len(left) > 0 {
		t.Errorf("it left %v", left)
	}
}

func TestReadReport(t *testing.T) {
	var good agent.Report
	good.Schema = "self-fix/self-test/v1"
	for _, name := range strings.Fields("allowed tcp dns metadata loopback sockets proc home devices environment write links programs") {
		good.Checks = append(good.Checks, agent.Check{Name: name, Held: true})
	}
	encode := func(change func(*agent.Report)) []byte {
		r := good
		r.Checks = slices.Clone(r.Checks)
		change(&r)
		raw, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		return raw
	}
	if _, err := agent.ReadReport(encode(func(*agent.Report) {})); err != nil {
		t.Fatal(err)
	}
	for name, raw := range map[string][]byte{
		"empty":           nil,
		"cut":             encode(func(*agent.Report) {})[:100],
		"another schema":  encode(func(r *agent.Report) { r.Schema = "x" }),
		"one did not":     encode(func(r *agent.Report) { r.Checks[3].Held = false }),
		"one is missing":  encode(func(r *agent.Report) { r.Checks = r.Checks[1:] }),
		"one is unknown":  encode(func(r *agent.Report) { r.Checks[2].Name = "x" }),
		"one more":        encode(func(r *agent.Report) { r.Checks = append(r.Checks, r.Checks[0]) }),
		"another order":   encode(func(r *agent.Report) { r.Checks[0], r.Checks[1] = r.Checks[1], r.Checks[0] }),
		"no checks":       encode(func(r *agent.Report) { r.Checks = nil }),
		"held is missing": []byte(strings.Replace(string(encode(func(*agent.Report) {})), `,"held":true`, "", 1)),
		"an unknown key":  []byte(strings.Replace(string(encode(func(*agent.Report) {})), `"schema"`, `"x":1,"schema"`, 1)),
		"too long":        append(encode(func(*agent.Report) {}), bytes.Repeat([]byte(" "), 1<<17)...),
	} {
		if _, err := agent.ReadReport(raw); !errors.Is(err, agent.ErrSelfTest) {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

func TestSelfTestInput(t *testing.T) {
	for _, in := range []string{"", "{}", `{"write":[],"read":[],"outside":[],"env":["HOME"]}`, `{"write":["/x"],"read":[],"outside":[],"env":[]}`, strings.Repeat(" ", 1<<17)} {
		var out bytes.Buffer
		if err := agent.SelfTest(strings.NewReader(in), &out, nil); !errors.Is(err, agent.ErrSelfTest) || out.Len() > 0 {
			t.Errorf("%.20q: got %v, %q", in, err, out.String())
		}
	}
}
