package agent_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"selffix/internal/modelfake"
	"selffix/pipeline/agent"
)

func TestRealAgentRepairs(t *testing.T) {
	for _, way := range ways() {
		t.Run(way.name, func(t *testing.T) {
			g := newGround(t, modelfake.Script{Turns: []modelfake.Turn{{Text: "replaced below"}}})
			file := g.write(t, "src/checkout/src/sum.ts", "export const sum = (a: number, b: number) => a - b\n")
			report := g.write(t, "in/bundle.json", "sum(1, 2) is -1, 3 is expected\n")
			g.serve(t, modelfake.Script{Turns: []modelfake.Turn{
				{Thinking: "The report comes first.", Text: canary, Calls: []modelfake.Call{
					call("Glob", `{"pattern":"*","path":"`+g.layout.Bundle+`"}`), call("Read", `{"file_path":"`+report+`"}`),
				}},
				{Fault: modelfake.FaultOverloaded},
				{Calls: []modelfake.Call{call("Read", `{"file_path":"`+file+`"}`)}},
				{Calls: []modelfake.Call{
					call("Edit", `{"file_path":"`+file+`","old_string":"a - b","new_string":"a + b"}`),
					call("Write", `{"file_path":"`+report+`","content":"`+canary+`"}`),
				}},
				{Text: "The sign was wrong. " + canary},
			}})
			o := way.run(t, g)
			if o.err != nil {
				t.Fatalf("%v\n%s\n%s\n%+v", o.err, o.stdout, o.stderr, g.proxy.Meter())
			}
			if got := g.read(t, "src/checkout/src/sum.ts"); !strings.Contains(got, "a + b") {
				t.Errorf("the file is %q", got)
			}
			if got := g.read(t, "in/bundle.json"); strings.Contains(got, canary) {
				t.Error("the bundle was written")
			}
			judgeRepair(t, g)
			// The canary is in what the program says; it must not be in what is taken of it.
			if !strings.Contains(o.stdout, canary) || strings.Contains(fmt.Sprintf("%v %+v %v", o.result, o.result, o.err), canary) {
				t.Errorf("got %v", o.result)
			}
		})
	}
}

func judgeRepair(t *testing.T, g *ground) {
	t.Helper()
	results := g.model.Results()
	if len(results) != 5 {
		t.Fatalf("%d of 5 calls were answered", len(results))
	}
	for _, r := range results {
		if wantError := r.Tool == "Write"; r.IsError != wantError {
			t.Errorf("%s answered %q", r.Tool, r.Text)
		}
	}
	m := g.proxy.Meter()
	if m.Settled != 4 || m.Kept != 0 || m.Statuses[529] != 1 || len(m.Refusals) != 0 || m.CostUSD <= 0 || m.DroppedBetas != 0 {
		t.Errorf("meter: %+v", m)
	}
	for _, r := range g.model.Requests() {
		if r.Header.Get("Authorization") != "" || r.Header.Get("X-Api-Key") != modelToken || bytes.Contains(r.Body, []byte(g.key.Reveal())) {
			t.Error("a request reached the model with other credentials than the proxy's")
		}
		for _, name := range []string{"Read", "Edit", "Write", "Glob", "Grep"} {
			if !bytes.Contains(r.Body, []byte(`"name":"`+name+`","description"`)) {
				t.Errorf("the tool %s is not offered", name)
			}
		}
		var body struct {
			Tools []json.RawMessage `json:"tools"`
		}
		if err := json.Unmarshal(r.Body, &body); err != nil || len(body.Tools) != 5 {
			t.Errorf("%d tools are offered, %v", len(body.Tools), err)
		}
	}
}

// The proxy takes what the program sends of other kinds: a picture; and the settings keep from it what it refuses, a PDF.
func TestRealAgentReadsPicturesAndNoDocuments(t *testing.T) {
	g := newGround(t, modelfake.Script{Turns: []modelfake.Turn{{Text: "replaced below"}}})
	picture := g.write(t, "src/checkout/a.png", "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01\x00\x00\x00\x01\x08\x06\x00\x00\x00\x1f\x15\xc4\x89\x00\x00\x00\rIDATx\x9cc\xf8\xcf\xc0\xf0\x1f\x00\x05\x00\x01\xff\xab\xce\x93\xb8\x00\x00\x00\x00IEND\xaeB`\x82")
	document := "%PDF-1.4\n1 0 obj\n<</Type/Catalog/Pages 2 0 R>>\nendobj\n2 0 obj\n<</Type/Pages/Kids[3 0 R]/Count 1>>\nendobj\n3 0 obj\n<</Type/Page/Parent 2 0 R/MediaBox[0 0 3 3]>>\nendobj\nxref\n0 4\ntrailer\n<</Size 4/Root 1 0 R>>\nstartxref\n9\n%%EOF\n"
	g.write(t, "src/checkout/docs/a.pdf", document)
	g.write(t, "src/checkout/B.PDF", document)
	g.serve(t, modelfake.Script{Turns: []modelfake.Turn{
		{Calls: []modelfake.Call{
			call("Read", `{"file_path":"`+picture+`"}`), call("Read", `{"file_path":"`+g.layout.Checkout+`/docs/a.pdf"}`), call("Read", `{"file_path":"`+g.layout.Checkout+`/B.PDF"}`),
		}},
		{Text: "done"},
	}})
	o := g.run(t)
	if o.err != nil {
		t.Fatalf("%v\n%s\n%+v", o.err, o.stdout, g.proxy.Meter())
	}
	for i, r := range g.model.Results() {
		if r.IsError != (i > 0) || (i == 0) != strings.Contains(r.Text, `"type":"base64"`) {
			t.Errorf("call %d: %.200s", i, r.Text)
		}
	}
}

// Betas that a newer program asks for, or one whose environment was not as it should be, do not end a run.
func TestRealAgentWithMoreBetas(t *testing.T) {
	g := newGround(t, modelfake.Script{Turns: []modelfake.Turn{{Text: "done"}}})
	o := g.run(t, func(c *agent.Command) {
		c.Env = slices.DeleteFunc(c.Env, func(e string) bool {
			return strings.HasPrefix(e, "CLAUDE_CODE_DISABLE_EXPERIMENTAL_BETAS=") || strings.HasPrefix(e, "FORCE_PROMPT_CACHING_5M=") ||
				strings.HasPrefix(e, "CLAUDE_CODE_MAX_OUTPUT_TOKENS=")
		})
	})
	if m := g.proxy.Meter(); o.err != nil || m.DroppedBetas == 0 || m.Settled != 1 {
		t.Errorf("%v\n%s\n%+v", o.err, o.stdout, m)
	}
}

// Settings that the program cannot read are dropped by it without a word. They must then allow nothing; and ours must be read, which
// shows by what they alone deny.
func TestRealAgentSettings(t *testing.T) {
	for _, c := range []struct {
		name, settings string
		allowed        bool // the plain edit
	}{
		{"as built in", "", true},
		{"cut short", `{"permissions": {"defaultMode": "dontAsk", "allow": ["Edit(./**)"]`, false},
		{"of another type", `{"permissions": {"allow": "Edit(./**)"}}`, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := newGround(t, modelfake.Script{Turns: []modelfake.Turn{{Text: "replaced below"}}})
			g.write(t, "src/checkout/.github/workflows/ci.yml", "on: push\n")
			g.serve(t, modelfake.Script{Turns: []modelfake.Turn{
				{Calls: []modelfake.Call{
					call("Write", `{"file_path":"`+g.layout.Checkout+`/plain.txt","content":"x"}`),
					call("Write", `{"file_path":"`+g.layout.Checkout+`/.github/workflows/new.yml","content":"x"}`),
				}},
				{Text: "done"},
			}})
			o := g.run(t, func(cmd *agent.Command) {
				if c.settings == "" {
					return
				}
				i := slices.Index(cmd.Args, "--settings")
				cmd.Args[i+1] = g.write(t, "settings.json", c.settings)
			})
			_, plain := os.Stat(filepath.Join(g.layout.Checkout, "plain.txt"))
			_, workflow := os.Stat(filepath.Join(g.layout.Checkout, ".github/workflows/new.yml"))
			if (plain == nil) != c.allowed || workflow == nil {
				t.Errorf("plain: %v, workflow: %v; %v\n%s", plain, workflow, o.err, o.stdout)
			}
		})
	}
}

// What the proxy refuses for good ends the run as a failure.
func TestRealAgentFails(t *testing.T) {
	for _, c := range []struct {
		name   string
		turns  []modelfake.Turn
		change func(*ground)
	}{
		{"no money left", []modelfake.Turn{{Text: "never said"}}, func(g *ground) { g.policy.Agent.MaxUSD = 0.001 }},
		{"another model answers", []modelfake.Turn{{Text: "x", Fault: modelfake.FaultWrongModel}}, func(*ground) {}},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := newGround(t, modelfake.Script{Turns: c.turns})
			c.change(g)
			g.front(t)
			o := g.run(t, func(cmd *agent.Command) { cmd.Env = append(cmd.Env, "CLAUDE_CODE_MAX_RETRIES=0") })
			if o.err == nil || strings.Contains(o.err.Error(), "proxy") {
				t.Errorf("got %v and %v\n%s", o.result, o.err, o.stdout)
			}
		})
	}
}
