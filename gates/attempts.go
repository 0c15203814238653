package gates

import (
	"fmt"
	"strconv"
	"time"

	"selffix/internal/lazyregexp"
	"selffix/pipeline/policy"
)

// WorkflowFile is the file name of the workflow whose runs are attempts.
const WorkflowFile = "self-fix.yml"

// Rerunnable is how long after a run's creation GitHub lets people re-run it: attempts of today may belong
// to runs as old as this.
const Rerunnable = 31 * 24 * time.Hour

// CommentMark begins every comment of self-fix, so that other workflows' comments, which have the same author, do not count.
const CommentMark = "<!-- self-fix -->"

// FixJob is the name that the fix job of pull request n has. The workflow sets it, since a run of the
// "status" event carries the default branch's commit and says nothing about the pull request.
func FixJob(n int) string { return fmt.Sprintf("fix pr-%d", n) }

// RunTitle is the run-name that the workflow sets.
func RunTitle(sha string) string { return "self-fix " + sha }

var (
	fixForm   = lazyregexp.New(`^fix pr-([1-9][0-9]{0,8})$`)
	titleForm = lazyregexp.New(`^self-fix ([0-9a-f]{40})$`)
)

// tally is how many attempts were made.
type tally struct{ pull, day int }

// attempts is gates 3 and 4.
func attempts(f Facts, p policy.Policy) *stop {
	if s := need(ruleUnread, "the pull request's commits", f.Commits); s != nil {
		return s
	}
	if s := wholeCommits(ruleCommits, f.Commits.Value, f.Pull.Value); s != nil {
		return s
	}
	if s := need(ruleUnread, "the runs of the workflow", f.Runs); s != nil {
		return s
	}
	if s := runRecords(f); s != nil {
		return s
	}
	if s := need(ruleUnread, "the pull request's comments", f.Comments); s != nil {
		return s
	}
	if n := f.Comments.Value.All; n < f.Pull.Value.Comments {
		return undecided(ruleRecords, "%d comments are listed and the record of pull request %d counts %d", n, f.Pull.Value.Number, f.Pull.Value.Comments)
	}
	if f.Clock.First.IsZero() || f.Clock.Last.Before(f.Clock.First) {
		return undecided(ruleRecords, "GitHub's clock is unknown")
	}
	n := f.count(p)
	if n.pull >= p.Attempts.PerPullRequest {
		return nothing(rulePerPull, "%d attempts so far on pull request %d, of %d", n.pull, f.Pull.Value.Number, p.Attempts.PerPullRequest)
	}
	if n.day >= p.Attempts.PerDay {
		return nothing(rulePerDay, "%d attempts so far today, of %d", n.day, p.Attempts.PerDay)
	}
	return nil
}

// runRecords refuses a listing that cannot have been read in full.
func runRecords(f Facts) *stop {
	own := false
	for _, r := range f.Runs.Value {
		if r.ID <= 0 || r.Attempt <= 0 || !f.Clock.records(r.CreatedAt) || r.Status == "" {
			return undecided(ruleRecords, "a run lacks its id, attempt, state or time")
		}
		if s := r.wholeJobs(); s != nil {
			return s
		}
		if r.ID == f.Run.ID {
			own = true
			if r.Attempt > 1 {
				return nothing(ruleRerun, "this run is recorded in attempt %d", r.Attempt)
			}
		}
	}
	if !own {
		return undecided(ruleOwnRun, "the listing of runs lacks this run")
	}
	return nil
}

// wholeJobs refuses a list of jobs that cannot be the whole: a run that did anything has a job, and one whose
// gate let it go on has a fix job, skipped or not. Each attempt before the last one left a job.
func (r WorkflowRun) wholeJobs() *stop {
	if !r.JobsRead {
		return nil
	}
	earlier := map[int]bool{}
	for _, j := range r.Jobs {
		if 0 < j.RunAttempt && j.RunAttempt < r.Attempt {
			earlier[j.RunAttempt] = true
		}
	}
	if len(earlier) != r.Attempt-1 {
		return undecided(ruleRecords, "run %d is in attempt %d and the jobs of an earlier attempt are not listed", r.ID, r.Attempt)
	}
	if r.Status != "completed" {
		return nil
	}
	passed := false
	for _, j := range r.Jobs {
		if !j.isOther() {
			return nil
		}
		passed = passed || j.Name == "gate" && j.Conclusion == "success"
	}
	if len(r.Jobs) == 0 || passed {
		return undecided(ruleRecords, "run %d is over and its jobs are not all listed", r.ID)
	}
	return nil
}

// count takes the larger number of each source: runs can be deleted by anyone with write access, commits
// and comments can be removed from the pull request. None of them ever makes the number smaller.
func (f Facts) count(p policy.Policy) tally {
	midnight := Midnight(f.Clock.First)
	var n tally
	for _, r := range f.Runs.Value {
		c := r.attempts(f.Run, f.Pull.Value.Number, f.Commits.Value, midnight)
		n.pull += c.pull
		n.day += c.day
	}
	robots := 0
	for _, c := range f.Commits.Value {
		if IsRobot(c, p) {
			robots++
		}
	}
	n.pull = max(n.pull, robots, f.Comments.Value.Own)
	return n
}

// attempts counts the fix jobs of one run that may have started. A run's own attempt is not counted in
// itself; GitHub refuses nothing to a re-run, so nothing else is left out.
func (r WorkflowRun) attempts(own Run, pull int, commits []Commit, midnight time.Time) tally {
	if r.ID == own.ID && r.Attempt == own.Attempt || r.Skipped() {
		return tally{}
	}
	today := func(t time.Time) bool { return !t.Before(midnight) }
	if !r.JobsRead {
		return tally{pull: 1, day: r.dayIf(today(r.CreatedAt) || today(r.UpdatedAt))}
	}
	var n tally
	fixSeen, gateSkipped := false, false
	for _, j := range r.Jobs {
		if j.Name == "gate" && j.Status == "completed" && j.Conclusion == "skipped" {
			gateSkipped = true
		}
		if j.isOther() {
			continue
		}
		fixSeen = true
		if j.Status == "completed" && j.Conclusion == "skipped" {
			continue
		}
		if today(r.CreatedAt) || j.StartedAt.IsZero() || today(j.StartedAt) {
			n.day++
		}
		if m := fixForm.FindStringSubmatch(j.Name); m == nil || m[1] == strconv.Itoa(pull) {
			n.pull++
		}
	}
	if fixSeen || r.Status == "completed" || gateSkipped {
		return n
	}
	return r.pending(commits, today(r.CreatedAt))
}

// Skipped reports whether the run provably did nothing: what the statuses of other bots leave behind.
func (r WorkflowRun) Skipped() bool {
	return r.Status == "completed" && r.Conclusion == "skipped" && r.Attempt == 1
}

// pending counts a run that goes on and whose fix job does not exist yet. It is an attempt on every pull
// request, except on those whose commits exclude the one that the run was started for: gate 2 will end it there.
func (r WorkflowRun) pending(commits []Commit, today bool) tally {
	n := tally{pull: 1, day: r.dayIf(today)}
	m := titleForm.FindStringSubmatch(r.Title)
	if m == nil {
		return n
	}
	for _, c := range commits {
		if c.SHA == m[1] {
			return n
		}
	}
	n.pull = 0
	return n
}

func (r WorkflowRun) dayIf(today bool) int {
	if today {
		return 1
	}
	return 0
}

// isOther reports whether the job is one of the workflow's others. Every other name, also an empty or an
// unexpanded one, may be the fix job.
func (j Job) isOther() bool {
	return j.Name == "gate" || j.Name == "recheck" || j.Name == "push"
}

// Midnight is the beginning of t's day in UTC.
func Midnight(t time.Time) time.Time {
	y, m, d := t.UTC().Date()
	return time.Date(y, m, d, 0, 0, 0, 0, time.UTC)
}
