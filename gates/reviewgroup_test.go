package gates_test

import (
	"testing"

	"selffix/gates"
	"selffix/pipeline/policy"
)

func TestQueueEntry(t *testing.T) {
	p := seedPolicy(t)
	for ref, number := range map[string]int{
		"refs/heads/gh-readonly-queue/main/pr-7-" + tested:        7,
		"refs/heads/gh-readonly-queue/main/pr-07-" + tested:       0,
		"refs/heads/gh-readonly-queue/main/pr-7-" + tested[:12]:   0,
		"refs/heads/gh-readonly-queue/release/pr-7-" + tested:     0,
		"refs/heads/gh-readonly-queue/main/pr-7-" + tested + "/x": 0,
		"gh-readonly-queue/main/pr-7-" + tested:                   0,
	} {
		n, base, ok := gates.QueueEntry(ref, p)
		if n != number || ok != (number > 0) || ok && base != tested {
			t.Errorf("%s: %d %s %v", ref, n, base, ok)
		}
	}
}

func TestDecideGroup(t *testing.T) {
	p := seedPolicy(t)
	act := gates.Verdict{Decision: gates.Act, Rule: "SF-REVIEW-001"}
	held := gates.Verdict{Decision: gates.Nothing, Rule: "SF-REVIEW-020", Reason: "held"}
	maybe := gates.Verdict{Decision: gates.Undecided, Rule: "SF-REVIEW-090", Reason: "unread"}
	posted := read(gates.Posted{ID: 900, Commit: tested})
	statuses := read([]gates.Status{{ID: 900, Context: "maintainer-review", State: "pending", CreatorID: robotID, CreatedAt: now}})
	for _, c := range []struct {
		name     string
		verdicts []gates.Verdict
		statuses gates.Read[[]gates.Status]
		d        gates.Decision
		rule     string
	}{
		{"all", []gates.Verdict{act, act}, statuses, gates.Act, "SF-REVIEW-000"},
		{"first held", []gates.Verdict{held, act}, statuses, gates.Nothing, "SF-REVIEW-041"},
		{"last held", []gates.Verdict{act, held}, statuses, gates.Nothing, "SF-REVIEW-041"},
		{"held and unread", []gates.Verdict{held, maybe}, statuses, gates.Undecided, "SF-REVIEW-041"},
		{"unread and held", []gates.Verdict{maybe, held}, statuses, gates.Undecided, "SF-REVIEW-041"},
		{"zero verdict", []gates.Verdict{{}}, statuses, gates.Undecided, "SF-REVIEW-041"},
		{"empty", nil, statuses, gates.Undecided, "SF-REVIEW-040"},
		{"own pending missing", []gates.Verdict{act}, read([]gates.Status{}), gates.Undecided, "SF-REVIEW-031"},
	} {
		t.Run(c.name, func(t *testing.T) {
			numbers := make([]int, len(c.verdicts))
			for i := range numbers {
				numbers[i] = i + 1
			}
			v := gates.DecideGroup(numbers, c.verdicts, posted, c.statuses, p)
			if v.Decision.ExitCode() != c.d.ExitCode() || v.Rule != c.rule {
				t.Errorf("%s (%s): %s", v.Decision, v.Rule, v.Reason)
			}
		})
	}
}

func TestPrefilterReview(t *testing.T) {
	good := gates.ReviewEvent{Name: "pull_request_target", Repository: testRepo, RepositoryID: repoID, DefaultBranch: "main", PullRequest: 7, Head: tested}
	group := gates.ReviewEvent{Name: "merge_group", Repository: testRepo, RepositoryID: repoID, DefaultBranch: "main", Head: tested,
		GroupRef: "refs/heads/gh-readonly-queue/main/pr-7-" + other, GroupBase: other, GroupBaseRef: "refs/heads/main"}
	app := func(p *policy.Policy) { p.Review.AcceptBranchWriters, p.Review.AppID = false, 4242 }
	for i, c := range []struct {
		event gates.ReviewEvent
		edit  func(*gates.ReviewEvent, *policy.Policy)
		rule  string // "": passes
	}{
		{good, func(*gates.ReviewEvent, *policy.Policy) {}, ""},
		{good, func(e *gates.ReviewEvent, p *policy.Policy) { app(p) }, ""},
		{good, func(e *gates.ReviewEvent, p *policy.Policy) { p.Enabled = false }, "SF-REVIEW-002"},
		{good, func(e *gates.ReviewEvent, p *policy.Policy) { e.Name = "pull_request" }, "SF-REVIEW-005"},
		{good, func(e *gates.ReviewEvent, p *policy.Policy) { e.Head = "main" }, "SF-REVIEW-005"},
		{good, func(e *gates.ReviewEvent, p *policy.Policy) { e.PullRequest = 0 }, "SF-REVIEW-005"},
		{good, func(e *gates.ReviewEvent, p *policy.Policy) { e.DefaultBranch = "trunk" }, "SF-REVIEW-005"},
		{group, func(*gates.ReviewEvent, *policy.Policy) {}, ""},
		{group, func(e *gates.ReviewEvent, p *policy.Policy) { app(p) }, "SF-REVIEW-007"},
		{group, func(e *gates.ReviewEvent, p *policy.Policy) { e.GroupBaseRef = "refs/heads/release" }, "SF-REVIEW-012"},
		{group, func(e *gates.ReviewEvent, p *policy.Policy) { e.GroupBase = "" }, "SF-REVIEW-012"},
	} {
		p, e := seedPolicy(t), c.event
		c.edit(&e, &p)
		v := gates.PrefilterReview(e, p)
		if (v == nil) != (c.rule == "") || v != nil && v.Rule != c.rule {
			t.Errorf("case %d: %+v, want %q", i, v, c.rule)
		}
	}
}
