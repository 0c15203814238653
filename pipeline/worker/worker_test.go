package worker

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"selffix/gates"
	"selffix/pipeline"
	"selffix/pipeline/checkout"
	"selffix/pipeline/diff"
	"selffix/pipeline/evidence"
	"selffix/pipeline/fence"
)

// The inner half, started by itself, does nothing: it finds that it is behind no fence.
func TestInsideRefusesWithoutAFence(t *testing.T) {
	out := t.TempDir()
	mapping, err := json.Marshal(paths{{Inside: "/out", Outside: out}, {Inside: "/in", Outside: out}})
	if err != nil {
		t.Fatal(err)
	}
	for name := range innerSteps() {
		err := Inside(context.Background(), string(name), string(mapping), Process{Stderr: &bytes.Buffer{}})
		if !errors.Is(err, ErrNoFence) {
			t.Errorf("%s: %v, want ErrNoFence", name, err)
		}
	}
	if err := Inside(context.Background(), SelfTestName, "[]", Process{}); !errors.Is(err, ErrNoFence) {
		t.Errorf("self-test: %v, want ErrNoFence", err)
	}
	if entries, err := os.ReadDir(out); err != nil || len(entries) != 0 {
		t.Errorf("it wrote: %v, %v", entries, err)
	}
}

// Every step of every plan that is fenced has an inner half, and no other has; so no exposed step runs in the
// outer one by mistake.
func TestHalvesFollowFromThePlan(t *testing.T) {
	for _, p := range pipeline.Plans() {
		for _, s := range p.Steps {
			_, outer := outerSteps()[s.Name]
			_, inner := innerSteps()[s.Name]
			switch s.Profile() {
			case pipeline.ProfileNone:
				if inner {
					t.Errorf("%s is not fenced and has an inner half", s.Name)
				}
			case pipeline.ProfileTools:
				if outer || !inner {
					t.Errorf("%s is fenced: outer half %v, inner half %v", s.Name, outer, inner)
				}
			case pipeline.ProfileAgent:
				if outer || inner {
					t.Errorf("%s is the agent's: outer half %v, inner half %v", s.Name, outer, inner)
				}
			case pipeline.ProfileCode:
				if outer || inner {
					t.Errorf("%s runs pull request code: outer half %v, inner half %v", s.Name, outer, inner)
				}
			}
		}
	}
}

func TestUnknownStep(t *testing.T) {
	for _, name := range []string{"", "none", "step", "../check"} {
		if err := Step(context.Background(), name, Options{Stderr: &bytes.Buffer{}}); !errors.Is(err, ErrStep) {
			t.Errorf("%q: %v, want ErrStep", name, err)
		}
	}
}

func TestPaths(t *testing.T) {
	p := paths{{Inside: "/in/objects.git", Outside: "/far/objects"}, {Inside: "/in", Outside: "/run/in"}, {Inside: "/src/checkout", Outside: "/run/copy"}}
	for inside, want := range map[string]string{
		"/in/policy.yaml": "/run/in/policy.yaml", "/in": "/run/in", "/in/objects.git/objects": "/far/objects/objects",
		"/in/objects.gitx": "/run/in/objects.gitx", "/src/checkout/a": "/run/copy/a", "/other": "/other",
	} {
		if got := p.of(inside); got != want {
			t.Errorf("%s lies at %s, want %s", inside, got, want)
		}
	}
	if got := (paths)(nil).of("/in/x"); got != "/in/x" {
		t.Errorf("in a container /in/x lies at %s", got)
	}
}

func TestReadLayoutRefuses(t *testing.T) {
	good := `{"mounts":[{"inside":"/in","outside":"/x","write":false}],"new_root":"","listen":"","relay":"","offline":false}`
	for name, text := range map[string]string{
		"relative path": strings.Replace(good, `"/x"`, `"x"`, 1),
		"climbing path": strings.Replace(good, `"/in"`, `"/in/../etc"`, 1),
		"unknown key":   strings.Replace(good, `"offline"`, `"no_fence":true,"offline"`, 1),
		"missing key":   strings.Replace(good, `"listen":"",`, ``, 1),
		"no JSON":       "",
	} {
		file := filepath.Join(t.TempDir(), "layout.json")
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := ReadLayout(file); err == nil {
			t.Errorf("%s was read", name)
		}
	}
}

func TestReadIdentity(t *testing.T) {
	commit, digest := strings.Repeat("a", 40), strings.Repeat("b", 64)
	local := `{"schema":"` + pipeline.LocalSchema + `","tested_commit":"` + commit + `","policy_sha256":"` + digest + `"}`
	nothing, err := gates.Verdict{Decision: gates.Nothing, Rule: "SF-GATE-001", Reason: "no"}.JSON()
	if err != nil {
		t.Fatal(err)
	}
	tests := map[string]struct {
		text string
		ok   bool
	}{
		"local target":               {local, true},
		"local without a policy":     {strings.Replace(local, digest, "", 1), false},
		"local with a short commit":  {strings.Replace(local, commit, "abc", 1), false},
		"local with a key more":      {strings.Replace(local, "{", `{"pull_request":1,`, 1), false},
		"another schema":             {strings.Replace(local, "v1", "v2", 1), false},
		"verdict that does not act":  {string(nothing), false},
		"empty":                      {"", false},
		"act that names no target":   {`{"decision":"act","rule":"SF-GATE-001","reason":"x","facts":[]}`, false},
		"both duplicated and forged": {strings.Replace(local, "{", `{"schema":"x",`, 1), false},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "verdict.json")
			if err := os.WriteFile(file, []byte(tt.text), 0o644); err != nil {
				t.Fatal(err)
			}
			id, err := readIdentity(file)
			if (err == nil) != tt.ok || (err != nil && !errors.Is(err, ErrIdentity)) {
				t.Fatalf("%+v, %v", id, err)
			}
			if err == nil && (id.TestedCommit != commit || id.RepositoryID != 0 || !id.local) {
				t.Errorf("%+v", id)
			}
		})
	}
}

// An outcome is fixed words: whatever an error quotes stays out of it.
func TestExplain(t *testing.T) {
	const hostile = "::error::\x1b]8;;http://evil.example"
	for err, want := range map[error]pipeline.Outcome{
		fmt.Errorf("%s: %w", hostile, evidence.ErrPartial):   {Rule: "SF-EVIDENCE-001"},
		fmt.Errorf("%s: %w", hostile, evidence.ErrNone):      {Rule: "SF-EVIDENCE-003", Decision: pipeline.Stop},
		fmt.Errorf("%s: %w", hostile, checkout.ErrCommit):    {Rule: "SF-CHECKOUT-001"},
		fmt.Errorf("%s: %w", hostile, diff.ErrNoChange):      {Rule: "SF-DIFF-001", Decision: pipeline.Stop},
		fmt.Errorf("%s: %w", hostile, fence.ErrUnavailable):  {Rule: "SF-FENCE-001"},
		fmt.Errorf("%w: %w", checkout.ErrFetch, unix.ENOSPC): {Rule: "SF-DISK-001"},
		errors.New(hostile): {Rule: "SF-STEP-001"},
		errors.Join(errors.New(hostile), evidence.ErrTooLarge):   {Rule: "SF-EVIDENCE-002"},
		fmt.Errorf("%w: %w", ErrStepEnd, context.Canceled):       {Rule: "SF-FENCE-005"},
		fmt.Errorf("%w: %w", checkout.ErrTree, errors.New("x")):  {Rule: "SF-CHECKOUT-002", Decision: pipeline.Stop},
		fmt.Errorf("%w: %w", checkout.ErrLimit, errors.New("x")): {Rule: "SF-CHECKOUT-003", Decision: pipeline.Stop},
	} {
		got := explain(err)
		if got.Rule != want.Rule || got.Decision != want.Decision || got.Reason == "" || strings.Contains(got.Reason, "evil") {
			t.Errorf("explain(%q) = %+v, want %+v", err, got, want)
		}
		if got.Decision == pipeline.Continue {
			t.Errorf("an error goes on: %+v", got)
		}
	}
	var rules []string
	for _, r := range reasons() {
		if r.decision == pipeline.Continue || r.text == "" {
			t.Errorf("%+v", r)
		}
		if slices.Contains(rules, r.rule) && r.rule != "SF-DISK-001" {
			t.Errorf("rule %s stands twice", r.rule)
		}
		rules = append(rules, r.rule)
	}
}

// What an inner process wrote before it failed does not stand: the outer half's word replaces it, whatever
// lies there.
func TestWriteOutcomeReplaces(t *testing.T) {
	for name, lay := range map[string]func(string) error{
		"nothing":      func(string) error { return nil },
		"a file":       func(p string) error { return os.WriteFile(p, []byte(`{"decision":"continue"}`), 0o644) },
		"a link":       func(p string) error { return os.Symlink("/nonexistent/target", p) },
		"a folder":     func(p string) error { return os.MkdirAll(filepath.Join(p, "x"), 0o755) },
		"a FIFO":       func(p string) error { return unix.Mkfifo(p, 0o644) },
		"a file of 0s": func(p string) error { return os.WriteFile(p, nil, 0) },
	} {
		dir := t.TempDir()
		file := filepath.Join(dir, OutcomeName)
		if err := lay(file); err != nil {
			t.Fatal(err)
		}
		if err := writeOutcome(dir, pipeline.Outcome{Rule: "SF-X-001", Reason: "r"}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if text, err := os.ReadFile(file); err != nil || string(text) != `{"decision":"","rule":"SF-X-001","reason":"r"}` {
			t.Errorf("%s: %q, %v", name, text, err)
		}
	}
}
