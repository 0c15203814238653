package gates_test

import (
	"testing"
	"time"

	"selffix/gates"
	"selffix/pipeline/policy"
)

// A field that GitHub left out is never compared: each one alone ends in "undecided", also where the rest of the record
// would allow.
func TestGateRecordsWithAMissingField(t *testing.T) {
	extra := func(edit func(*gates.WorkflowRun)) func(*gates.Facts, *policy.Policy) {
		return func(f *gates.Facts, _ *policy.Policy) {
			r := run(1, now.Add(-time.Hour), job("gate", "completed", "failure", now.Add(-time.Hour)))
			edit(&r)
			f.Runs.Value = append(f.Runs.Value, r)
		}
	}
	st := func(edit func(*gates.Status)) func(*gates.Facts, *policy.Policy) {
		return func(f *gates.Facts, _ *policy.Policy) { edit(&f.Statuses.Value[2]) }
	}
	listed := func(edit func(*gates.PullRequest)) func(*gates.Facts, *policy.Policy) {
		return func(f *gates.Facts, _ *policy.Policy) {
			pr := pull()
			pr.Number, pr.HeadSHA = 12, other
			edit(&pr)
			f.Open.Value = append(f.Open.Value, pr)
		}
	}
	record := func(edit func(*gates.PullRequest)) func(*gates.Facts, *policy.Policy) {
		return func(f *gates.Facts, _ *policy.Policy) { edit(&f.Pull.Value) }
	}
	first := func(edit func(*gates.Commit)) func(*gates.Facts, *policy.Policy) {
		return func(f *gates.Facts, _ *policy.Policy) { edit(&f.Commits.Value[0]) }
	}
	maybe, records := gates.Undecided, "SF-GATE-033"
	runCases(t, []gateCase{
		{"run whole", extra(func(*gates.WorkflowRun) {}), gates.Act, "SF-GATE-000"},
		{"run id", extra(func(r *gates.WorkflowRun) { r.ID = 0 }), maybe, records},
		{"run attempt", extra(func(r *gates.WorkflowRun) { r.Attempt = 0 }), maybe, records},
		{"run status", extra(func(r *gates.WorkflowRun) { r.Status = "" }), maybe, records},
		{"run time", extra(func(r *gates.WorkflowRun) { r.CreatedAt = time.Time{} }), maybe, records},
		{"run of the future", extra(func(r *gates.WorkflowRun) { r.CreatedAt = now.Add(time.Hour) }), maybe, records},
		{"status id", st(func(s *gates.Status) { s.ID = 0 }), maybe, records},
		{"status context", st(func(s *gates.Status) { s.Context = "" }), maybe, records},
		{"status state", st(func(s *gates.Status) { s.State = "" }), maybe, records},
		{"listed whole", listed(func(*gates.PullRequest) {}), gates.Act, "SF-GATE-000"},
		{"listed number", listed(func(r *gates.PullRequest) { r.Number = 0 }), maybe, records},
		{"listed state", listed(func(r *gates.PullRequest) { r.State = "" }), maybe, records},
		{"listed head", listed(func(r *gates.PullRequest) { r.HeadSHA = "c3c3c3c" }), maybe, records},
		{"author", record(func(r *gates.PullRequest) { r.AuthorID = 0 }), maybe, records},
		{"base repository", record(func(r *gates.PullRequest) { r.BaseRepoID = 0 }), maybe, records},
		{"head branch", record(func(r *gates.PullRequest) { r.HeadRef = "" }), maybe, records},
		{"base branch", record(func(r *gates.PullRequest) { r.BaseRef = "" }), maybe, records},
		{"opened", record(func(r *gates.PullRequest) { r.CreatedAt = time.Time{} }), maybe, records},
		{"commit id", first(func(c *gates.Commit) { c.SHA = "" }), maybe, "SF-GATE-034"},
		{"commit tree", first(func(c *gates.Commit) { c.Tree = "" }), maybe, "SF-GATE-034"},
		{"commit author date", first(func(c *gates.Commit) { c.AuthorDate = time.Time{} }), maybe, "SF-GATE-034"},
		{"commit committer date", first(func(c *gates.Commit) { c.CommitterDate = time.Time{} }), maybe, "SF-GATE-034"},
		{"deployment id", func(f *gates.Facts, _ *policy.Policy) { f.Deployment.Value.ID = -1 }, maybe, records},
		{"event repository", func(f *gates.Facts, _ *policy.Policy) { f.Event.Repository = "" }, maybe, "SF-GATE-006"},
	})
	for name, edit := range map[string]func(*policy.Policy){
		"maintainer login":  func(p *policy.Policy) { p.Maintainer.Login = "" },
		"bot context":       func(p *policy.Policy) { p.Bot.Context = "" },
		"bot window":        func(p *policy.Policy) { p.Bot.Window = 0 },
		"per pull request":  func(p *policy.Policy) { p.Attempts.PerPullRequest = 0 },
		"default branch":    func(p *policy.Policy) { p.Branches.Default = "" },
		"negative bot id":   func(p *policy.Policy) { p.Bot.ID = -1 },
		"digest not a hash": func(p *policy.Policy) { p.Digest = "abc" },
	} {
		runCases(t, []gateCase{{"policy " + name, func(_ *gates.Facts, p *policy.Policy) { edit(p) }, maybe, "SF-GATE-002"}})
	}
}

func TestReviewRecordsWithAMissingField(t *testing.T) {
	maybe := gates.Undecided
	twin := func(edit func(*gates.PullRequest)) func(*gates.ReviewFacts, *policy.Policy) {
		return func(f *gates.ReviewFacts, _ *policy.Policy) { edit(&f.Open.Value[0]); edit(&f.Pull.Value) }
	}
	last := func(edit func(*gates.PullRequest)) func(*gates.ReviewFacts, *policy.Policy) {
		return func(f *gates.ReviewFacts, _ *policy.Policy) { edit(&f.Pull.Value) }
	}
	act := func(edit func(*gates.Activity)) func(*gates.ReviewFacts, *policy.Policy) {
		return func(f *gates.ReviewFacts, _ *policy.Policy) { edit(&f.Activity.Value[1]) }
	}
	first := func(edit func(*gates.Commit)) func(*gates.ReviewFacts, *policy.Policy) {
		return func(f *gates.ReviewFacts, _ *policy.Policy) { edit(&f.Commits.Value[0]) }
	}
	extra := func(edit func(*gates.Status)) func(*gates.ReviewFacts, *policy.Policy) {
		return func(f *gates.ReviewFacts, _ *policy.Policy) {
			s := gates.Status{ID: 5, Context: "ci", State: "success", CreatorID: strangerID, CreatedAt: now}
			edit(&s)
			f.Statuses.Value = append(f.Statuses.Value, s)
		}
	}
	reviewCases(t, reviewed, []reviewCase{
		{"head", twin(func(r *gates.PullRequest) { r.HeadSHA = tested[:7] }), maybe, "SF-REVIEW-090"},
		{"base repository", twin(func(r *gates.PullRequest) { r.BaseRepoID = 0 }), maybe, "SF-REVIEW-090"},
		{"base branch", twin(func(r *gates.PullRequest) { r.BaseRef = "" }), maybe, "SF-REVIEW-090"},
		{"head branch", twin(func(r *gates.PullRequest) { r.HeadRef = "" }), maybe, "SF-REVIEW-090"},
		{"another repository", twin(func(r *gates.PullRequest) { r.BaseRepoID = 78; r.HeadRepoID = 78 }), maybe, "SF-REVIEW-090"},
		{"not open in the list", twin(func(r *gates.PullRequest) { r.State = "closed" }), gates.Nothing, "SF-REVIEW-010"},
		{"default branch", twin(func(r *gates.PullRequest) { r.DefaultBranch = "trunk" }), gates.Nothing, "SF-REVIEW-012"},
		{"last number", last(func(r *gates.PullRequest) { r.Number = 8 }), maybe, "SF-REVIEW-090"},
		{"last base repository", last(func(r *gates.PullRequest) { r.BaseRepoID = 78 }), maybe, "SF-REVIEW-090"},
		{"last merged", last(func(r *gates.PullRequest) { r.Merged = true }), gates.Nothing, "SF-REVIEW-010"},
		{"last head branch", last(func(r *gates.PullRequest) { r.HeadRef = "x" }), maybe, "SF-REVIEW-013"},
		{"last head repository", last(func(r *gates.PullRequest) { r.HeadRepoID = 5 }), maybe, "SF-REVIEW-013"},
		{"last default branch", last(func(r *gates.PullRequest) { r.DefaultBranch = "x" }), maybe, "SF-REVIEW-013"},
		{"activity id", act(func(a *gates.Activity) { a.ID = 0 }), maybe, "SF-REVIEW-090"},
		{"activity commit", act(func(a *gates.Activity) { a.After = "" }), maybe, "SF-REVIEW-090"},
		{"activity without what it began at", act(func(a *gates.Activity) { a.Before = "" }), maybe, "SF-REVIEW-090"},
		{"activity of the future", act(func(a *gates.Activity) { a.At = now.Add(time.Hour) }), maybe, "SF-REVIEW-090"},
		{"author name", first(func(c *gates.Commit) { c.AuthorName = "" }), maybe, "SF-REVIEW-016"},
		{"author address", first(func(c *gates.Commit) { c.AuthorEmail = "" }), maybe, "SF-REVIEW-016"},
		{"committer address", first(func(c *gates.Commit) { c.CommitterMail = "" }), maybe, "SF-REVIEW-016"},
		{"label event id", both(func(e *gates.LabelEvent) { e.ID = 0 }), maybe, "SF-REVIEW-090"},
		{"status id", extra(func(s *gates.Status) { s.ID = 0 }), maybe, "SF-REVIEW-090"},
		{"status context", extra(func(s *gates.Status) { s.Context = "" }), maybe, "SF-REVIEW-090"},
		{"status time", extra(func(s *gates.Status) { s.CreatedAt = time.Time{} }), maybe, "SF-REVIEW-090"},
		{"own status without a creator", func(f *gates.ReviewFacts, _ *policy.Policy) { f.Statuses.Value[0].CreatorID = 0 }, maybe, "SF-REVIEW-031"},
		{"posted id", func(f *gates.ReviewFacts, _ *policy.Policy) { f.Pending.Value.ID = 0 }, maybe, "SF-REVIEW-031"},
		{"event number", func(f *gates.ReviewFacts, _ *policy.Policy) { f.PullRequest = 0 }, maybe, "SF-REVIEW-005"},
		{"event repository", func(f *gates.ReviewFacts, _ *policy.Policy) { f.ID = 0 }, maybe, "SF-REVIEW-005"},
	})
	for name, edit := range map[string]func(*policy.Policy){
		"robot id":       func(p *policy.Policy) { p.Robot.ID = 0 },
		"label":          func(p *policy.Policy) { p.Review.Label = "" },
		"context":        func(p *policy.Policy) { p.Review.Context = "" },
		"default branch": func(p *policy.Policy) { p.Branches.Default = "" },
	} {
		reviewCases(t, reviewed, []reviewCase{{"policy " + name, func(_ *gates.ReviewFacts, p *policy.Policy) { edit(p) }, maybe, "SF-REVIEW-003"}})
	}
}
