package gates_test

import (
	"testing"
	"time"

	"selffix/gates"
	"selffix/pipeline/policy"
)

// An old commit with an old deployment leaves the policy's window as the only lower bound.
func TestEvidenceWindowIsThePolicys(t *testing.T) {
	p := seedPolicy(t)
	f := passing(p)
	old := now.Add(-20 * p.Bot.Window)
	f.Commits.Value[1].CommitterDate, f.Deployment.Value.CreatedAt = old, old
	v := gates.Decide(f, p)
	if v.Target == nil {
		t.Fatalf("%s: %s", v.Rule, v.Reason)
	}
	w := v.Target.Evidence
	if got := w.NotAfter.Sub(w.NotBefore); got != p.Bot.Window {
		t.Errorf("the window is %s long, the policy says %s", got, p.Bot.Window)
	}
}

// The event's own status must be the bot's failure, also where another one of the bot's is.
func TestEventsStatusInTheListing(t *testing.T) {
	no := gates.Nothing
	runCases(t, []gateCase{
		{"of another context", func(f *gates.Facts, _ *policy.Policy) {
			f.Statuses.Value[0].Context, f.Statuses.Value[1].State = "ci", "failure"
		}, no, "SF-GATE-010"},
		{"a success before a failure", func(f *gates.Facts, _ *policy.Policy) {
			later := f.Statuses.Value[0]
			later.ID, later.CreatedAt = 301, now.Add(-time.Minute)
			f.Statuses.Value[0].State = "success"
			f.Statuses.Value = append(f.Statuses.Value, later)
		}, no, "SF-GATE-010"},
	})
}

// A conclusion without an end is no proof that a run did nothing.
func TestSkippedRunThatGoesOn(t *testing.T) {
	r := run(1, now.Add(-time.Hour), job("gate", "completed", "success", now.Add(-time.Hour)), job(gates.FixJob(7), "in_progress", "", now.Add(-time.Hour)))
	r.Status, r.Conclusion = "in_progress", "skipped"
	s := r
	s.ID = 2
	runCases(t, []gateCase{{"counted", func(f *gates.Facts, _ *policy.Policy) {
		f.Runs.Value = append(f.Runs.Value, r, s)
	}, gates.Nothing, "SF-GATE-030"}})
}

// What is listed as closed or merged is not judged, whatever its own record says later.
func TestReviewOfAListedPullThatIsNotOpen(t *testing.T) {
	for _, base := range []func() gates.ReviewFacts{reviewed, unmarked} {
		reviewCases(t, base, []reviewCase{
			{"closed", func(f *gates.ReviewFacts, _ *policy.Policy) { f.Open.Value[0].State = "closed" }, gates.Nothing, "SF-REVIEW-010"},
			{"merged", func(f *gates.ReviewFacts, _ *policy.Policy) { f.Open.Value[0].Merged = true }, gates.Nothing, "SF-REVIEW-010"},
		})
	}
}

// emptyOnTop is a reviewed pull request with an empty commit of the maintainer's, pushed after the label.
func emptyOnTop() gates.ReviewFacts {
	f := reviewed()
	empty := commit(other[:39]+"f", treeB, tested)
	f.Commits.Value = append(f.Commits.Value, empty)
	f.Activity.Value = append(f.Activity.Value, gates.Activity{ID: 9, Before: tested, After: empty.SHA, ActorID: maintainerID, At: now})
	for _, pr := range []*gates.PullRequest{&f.Pull.Value, &f.Open.Value[0], &f.ByCommit.Value[0]} {
		pr.HeadSHA, pr.Commits = empty.SHA, 3
	}
	f.Pending.Value.Commit = empty.SHA
	return f
}

func TestReviewOfAnEmptyCommitThatARobotHadAHandIn(t *testing.T) {
	reviewCases(t, emptyOnTop, []reviewCase{
		{"none", func(*gates.ReviewFacts, *policy.Policy) {}, gates.Act, "SF-REVIEW-000"},
		{"pushed by the robot", func(f *gates.ReviewFacts, _ *policy.Policy) { f.Activity.Value[2].ActorID = robotID }, gates.Nothing, "SF-REVIEW-023"},
		{"pushed by a nameless account", func(f *gates.ReviewFacts, _ *policy.Policy) { f.Activity.Value[2].ActorID = 0 }, gates.Nothing, "SF-REVIEW-023"},
		{"with an old date and the robot's subject", func(f *gates.ReviewFacts, _ *policy.Policy) {
			f.Commits.Value[2].Message = "self-fix: again"
		}, gates.Nothing, "SF-REVIEW-024"},
	})
}

// Only the attempt that evaluates is left out of what it counts: a re-run of the same run is a further one.
func TestAnotherAttemptOfTheOwnRunIsCounted(t *testing.T) {
	p := seedPolicy(t)
	f := passing(p)
	r := ownWorkflowRun()
	r.Attempt, r.JobsRead = 2, true
	r.Jobs = []gates.Job{job(gates.FixJob(7), "completed", "failure", now.Add(-time.Minute))}
	f.Runs.Value[0] = r
	for _, fact := range gates.Decide(f, p).Facts {
		if fact.Name == "attempts on the pull request" && fact.Value != "1" {
			t.Errorf("%s attempts are shown, want 1", fact.Value)
		}
	}
}
