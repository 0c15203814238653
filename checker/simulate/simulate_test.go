package simulate

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"selffix/checker"
	"selffix/internal/testrepo"
	"selffix/pipeline/policy"
)

func seed(t *testing.T) policy.Policy {
	t.Helper()
	p, err := policy.Load(filepath.Join(testrepo.Root(t), "testdata", "policy", "seed.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// history makes, on top of the base, a harmless commit, one outside the roots, one that touches a security module and a file outside,
// a merge, and an empty commit. It returns the ids of the first three.
func history(t *testing.T) (string, []string) {
	t.Helper()
	dir := testrepo.Base(t)
	money := "export function roundCents(value: number): number {\n  return Math.round(value);\n}\n\nexport function isWhole(value: number): boolean {\n  return Math.abs(value) % 100 === 0;\n}\n"
	good := testrepo.Commit(t, dir, map[string]string{"packages/core/src/money.ts": money})
	docs := testrepo.Commit(t, dir, map[string]string{"docs/notes.md": "more notes\n"})
	both := testrepo.Commit(t, dir, map[string]string{
		"packages/web/src/lib/env.ts": "export const serverEnv = { region: \"us\" };\n", "docs/notes.md": "even more notes\n"})
	testrepo.Git(t, dir, "checkout", "-q", "-b", "side", good)
	testrepo.Commit(t, dir, map[string]string{"README.md": "side\n"})
	testrepo.Git(t, dir, "checkout", "-q", "main")
	testrepo.Git(t, dir, "merge", "-q", "--no-ff", "-m", "merge", "side")
	return dir, []string{both, docs, good}
}

func TestRun(t *testing.T) {
	dir, want := history(t)
	s, err := Run(context.Background(), Input{Repo: dir, Last: 10, Policy: seed(t)})
	if err != nil {
		t.Fatal(err)
	}
	if s.Accepted != 1 || s.Refused != 2 || s.Undecided != 0 || len(s.Commits) != 3 {
		t.Fatalf("got %d accepted, %d refused, %d undecided of %d, want 1, 2, 0 of 3", s.Accepted, s.Refused, s.Undecided, len(s.Commits))
	}
	for i, id := range want {
		if s.Commits[i].ID != id {
			t.Errorf("commit %d is %s, want %s: newest first, merges and the root left out", i, s.Commits[i].ID, id)
		}
	}
	outside := find(t, s, "path-outside")
	if outside.Total != 2 || outside.Alone != 1 || s.Rules[0] != outside {
		t.Errorf("path-outside: %+v, want 2 refusals, 1 of them alone, and first place", outside)
	}
	if sec := find(t, s, "path-security"); sec.Total != 1 || sec.Alone != 0 {
		t.Errorf("path-security: %+v, want 1 refusal, never alone", sec)
	}
}

func find(t *testing.T, s Summary, kind string) Tally {
	t.Helper()
	for _, r := range s.Rules {
		if r.Kind == kind {
			return r
		}
	}
	t.Fatalf("no rule of kind %s refused anything: %+v", kind, s.Rules)
	return Tally{}
}

func TestRunRefusesBadInput(t *testing.T) {
	dir := testrepo.Base(t)
	for name, in := range map[string]Input{
		"no commits":    {Repo: dir, Last: 0, Policy: seed(t)},
		"too many":      {Repo: dir, Last: MaxCommits + 1, Policy: seed(t)},
		"no repository": {Repo: t.TempDir(), Last: 1, Policy: seed(t)},
	} {
		if _, err := Run(context.Background(), in); !errors.Is(err, ErrHistory) {
			t.Errorf("%s: got %v, want ErrHistory", name, err)
		}
	}
}

// A history is only read: a configuration that runs a command on every use of the index must not run it.
func TestRunObeysNoConfiguration(t *testing.T) {
	dir, _ := history(t)
	marker := filepath.Join(t.TempDir(), "ran")
	script := filepath.Join(t.TempDir(), "monitor")
	if err := os.WriteFile(script, []byte("#!/bin/sh\n: > "+marker+"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	testrepo.Git(t, dir, "config", "core.fsmonitor", script)
	testrepo.Git(t, dir, "config", "diff.external", script)
	if _, err := Run(context.Background(), Input{Repo: dir, Last: 10, Policy: seed(t)}); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(marker); err == nil {
		t.Error("the repository's configuration ran a command")
	}
	// The positive control: git itself obeys it.
	testrepo.Git(t, dir, "status")
	if _, err := os.Stat(marker); err != nil {
		t.Errorf("the control did not run the command: %v", err)
	}
}

func TestTallyCountsUndecided(t *testing.T) {
	var s Summary
	tallies := map[checker.RuleID]*Tally{}
	s.add("a", checker.Report{}, tallies)
	s.close(tallies)
	if s.Undecided != 1 || s.Accepted != 0 || len(s.Rules) != 0 {
		t.Errorf("a report without a verdict counts as %+v, want undecided", s)
	}
}
