package checker

import (
	"slices"
	"testing"

	"selffix/internal/scratch"
	"selffix/internal/testrepo"
)

// TestMutation runs every rule's examples. Those that pass are accepted by all rules together; of those that are refused
// the rule's own finding is there and goes when the rule is off, and for at least one the verdict turns when the rules that it names
// as redundant are off too: so no rule can be taken out, or stop working, without a test that fails.
func TestMutation(t *testing.T) {
	p := seedPolicy(t)
	for _, r := range Rules() {
		t.Run(string(r.ID)+"-"+r.File, func(t *testing.T) {
			t.Parallel()
			accepts, refuses, err := Examples(r)
			if err != nil {
				t.Fatal(err)
			}
			if len(accepts) == 0 || len(refuses) == 0 {
				t.Fatalf("%d examples that pass and %d that are refused, want some of both", len(accepts), len(refuses))
			}
			in := Input{Repo: testrepo.Base(t), Base: "HEAD", Policy: p, Scratch: scratch.Options{Parent: t.TempDir()}}
			if base := slices.Concat(accepts, refuses)[0].Base; len(base) > 0 {
				testrepo.Commit(t, in.Repo, base)
			}
			for _, e := range accepts {
				if report := judge(t, in, e, Rules()); report.Verdict != Accept {
					t.Errorf("accept/%s: %s, %v", e.Name, report.Verdict, report.Findings)
				}
			}
			turned := false
			for _, e := range refuses {
				report := judge(t, in, e, Rules())
				if report.Verdict != Refuse || !finds(report, r.ID) {
					t.Errorf("refuse/%s: %s without a finding of the rule; %v", e.Name, report.Verdict, report.Findings)
				}
				if off := turnOff(t, in, e, report, turned, r.ID); finds(off, r.ID) {
					t.Errorf("refuse/%s: the rule is off and still reports", e.Name)
				}
				off := turnOff(t, in, e, report, turned, append(slices.Clone(r.Redundant), r.ID)...)
				turned = turned || off.Verdict == Accept
				if off.Verdict != Accept {
					t.Logf("refuse/%s: without the rule and the redundant ones it is still refused: %v", e.Name, off.Findings)
				}
			}
			if !turned {
				t.Error("no verdict turns without the rule and those that it names as redundant")
			}
		})
	}
}

// turnOff checks an example without some rules. Rules with a Check do not depend on one another, so once a verdict was seen to turn in a check of its own,
// leaving out their findings does for them; rules of reading change how the patch is read and are checked each time.
func turnOff(t *testing.T, in Input, e Example, all Report, turned bool, ids ...RuleID) Report {
	t.Helper()
	kept := slices.DeleteFunc(slices.Clone(all.Findings), func(f Finding) bool { return slices.Contains(ids, f.Rule) })
	reads := slices.ContainsFunc(Rules(), func(r Rule) bool {
		return slices.Contains(ids, r.ID) && (r.Check == nil || r.ID == idSizeBytes)
	})
	if !reads && (turned || len(kept) > 0) {
		return Report{Verdict: Refuse, Findings: kept}.accepted()
	}
	return judge(t, in, e, without(ids...))
}

// accepted gives a report without findings its verdict.
func (r Report) accepted() Report {
	if len(r.Findings) == 0 {
		r.Verdict = Accept
	}
	return r
}

// judge checks an example. A check that comes to no verdict, since the rule that would have given it is off, is one that does not accept.
func judge(t *testing.T, in Input, e Example, rules []Rule) Report {
	t.Helper()
	in.Patch = []byte(e.Patch)
	report, err := CheckRules(t.Context(), in, rules)
	if err != nil {
		return Report{Verdict: Undecided}
	}
	return report
}

// finds reports whether a finding is of the rule.
func finds(report Report, id RuleID) bool {
	return slices.ContainsFunc(report.Findings, func(f Finding) bool { return f.Rule == id })
}

// without is every rule but some.
func without(ids ...RuleID) []Rule {
	return slices.DeleteFunc(Rules(), func(r Rule) bool { return slices.Contains(ids, r.ID) })
}

// TestRuleTable holds the list of rules to its form.
func TestRuleTable(t *testing.T) {
	seen := map[RuleID]bool{}
	files := map[string]bool{}
	for _, r := range Rules() {
		if seen[r.ID] || files[r.File] {
			t.Errorf("rule %s, file %s: there twice", r.ID, r.File)
		}
		seen[r.ID], files[r.File] = true, true
		if r.Kind == "" || r.Title == "" || r.Why == "" || r.File == "" {
			t.Errorf("rule %s lacks a kind, a title, a reason or a file", r.ID)
		}
	}
	for _, r := range Rules() {
		for _, id := range r.Redundant {
			if !seen[id] || id == r.ID {
				t.Errorf("rule %s names %s as redundant, which is no other rule", r.ID, id)
			}
		}
	}
}
