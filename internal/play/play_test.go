package play

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"selffix/internal/modelfake"
	"selffix/testdata"
)

const good = `{"name":"n","doc":"d","files":[],"report":"red",
 "turns":[{"text":"t","calls":[{"tool":"Read","input":{"file_path":"{CHECKOUT}/a","{IN}":1}}]}],
 "want":{"outcome":"refused","stopped_by":["checker X"],"calls":[{"turn":0,"call":0,"layer":"settings"}]}}`

func TestParseRefuses(t *testing.T) {
	if _, err := Parse([]byte(good)); err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string][2]string{
		"unknown key":       {`"doc":"d"`, `"doc":"d","more":1`},
		"duplicate key":     {`"doc":"d"`, `"doc":"d","doc":"e"`},
		"no doc":            {`"doc":"d"`, `"doc":""`},
		"no report":         {`"report":"red"`, `"report":""`},
		"unknown outcome":   {`"refused"`, `"pushed"`},
		"no reason to stop": {`["checker X"]`, `[]`},
		"no such call":      {`"call":0`, `"call":1`},
		"no such turn":      {`"turn":0`, `"turn":7`},
		"unknown layer":     {`"settings"`, `"luck"`},
		"unknown fault":     {`"text":"t"`, `"text":"t","fault":"x"`},
		"cut":               {`"want"`, ``},
	} {
		if _, err := Parse([]byte(strings.Replace(good, change[0], change[1], 1))); !errors.Is(err, ErrPlay) {
			t.Errorf("%s: %v, want ErrPlay", name, err)
		}
	}
}

func TestScriptFillsPlaceholders(t *testing.T) {
	p, err := Parse([]byte(good))
	if err != nil {
		t.Fatal(err)
	}
	s, err := p.Script(StepPaths("/outside"))
	if err != nil {
		t.Fatal(err)
	}
	if got := string(s.Turns[0].Calls[0].Input); got != `{"file_path":"/src/checkout/a","/in":1}` {
		t.Errorf("input %s", got)
	}
	if got := string(p.Turns[0].Calls[0].Input); !strings.Contains(got, "{CHECKOUT}") {
		t.Error("the play itself was changed")
	}
}

func TestCheckNamesEveryDifference(t *testing.T) {
	p, err := Parse([]byte(good))
	if err != nil {
		t.Fatal(err)
	}
	right := Outcome{Outcome: "refused", StoppedBy: []string{"checker X", "checker Y"}, Results: []modelfake.Result{{Tool: "Read", Text: "denied", IsError: true}}}
	if err := p.Check(right); err != nil {
		t.Errorf("what the play wants: %v", err)
	}
	wrong := Outcome{Outcome: "accepted", Results: []modelfake.Result{{Tool: "Read", Text: "canary"}}}
	err = p.Check(wrong)
	for _, part := range []string{`ended as "accepted"`, `want "checker X"`, `answered by "none", want "settings"`} {
		if err == nil || !strings.Contains(err.Error(), part) {
			t.Errorf("no %q in %v", part, err)
		}
	}
	if err := p.Check(Outcome{Outcome: "refused", StoppedBy: right.StoppedBy}); err == nil {
		t.Error("a call that was never answered passes")
	}
}

func TestLayerOf(t *testing.T) {
	for text, want := range map[string]Layer{
		"Error: No such tool available: Bash": LayerTools, "EACCES: permission denied, open '/x'": LayerFence,
		"Permission to use Write has been denied": LayerSettings, "/x is outside /src/checkout": LayerSettings, "File does not exist.": LayerFence,
	} {
		if got := LayerOf(modelfake.Result{Text: text, IsError: true}); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	if got := LayerOf(modelfake.Result{Text: "EACCES in a file that was read"}); got != LayerNone {
		t.Errorf("a result that is no error: %q", got)
	}
}

func TestPlaysAndScene(t *testing.T) {
	plays, err := Load(testdata.Files, "plays")
	if err != nil || len(plays) < 5 {
		t.Fatalf("%d plays, %v", len(plays), err)
	}
	first, err := plays[0].Stage(t.Context(), testdata.Files, t.TempDir(), "http://127.0.0.1:9")
	if err != nil {
		t.Fatal(err)
	}
	again, err := plays[0].Stage(t.Context(), testdata.Files, t.TempDir(), "http://127.0.0.1:9")
	if err != nil || again.Commit != first.Commit {
		t.Errorf("commit %s, then %s, %v: want the same each time", first.Commit, again.Commit, err)
	}
	policy, err := os.ReadFile(first.Policy)
	if err != nil || !strings.Contains(string(policy), "sandbox: true") || !strings.Contains(string(policy), "http://127.0.0.1:9") {
		t.Errorf("policy: %v\n%s", err, policy)
	}
	p := plays[0]
	p.Files = []File{{Path: "../outside", Text: "x"}}
	dir := t.TempDir()
	if _, err := p.Stage(t.Context(), testdata.Files, filepath.Join(dir, "scene"), "x"); !errors.Is(err, ErrPlay) {
		t.Errorf("a file outside: %v, want ErrPlay", err)
	}
	if _, err := os.Stat(filepath.Join(dir, "outside")); err == nil {
		t.Error("it was written")
	}
}
