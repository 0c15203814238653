package gates_test

import (
	"fmt"
	"testing"
	"time"

	"selffix/gates"
	"selffix/pipeline/policy"
)

func TestAttempts(t *testing.T) {
	today, before := now.Add(-3*time.Hour), now.Add(-20*time.Hour) // before is yesterday, after the pull request was opened
	fix := func(n int) string { return gates.FixJob(n) }
	gateOK := job("gate", "completed", "success", today)
	done := func(id int64, n int) gates.WorkflowRun {
		return run(id, today, gateOK, job(fix(n), "completed", "failure", today))
	}
	add := func(rs ...gates.WorkflowRun) func(*gates.Facts, *policy.Policy) {
		return func(f *gates.Facts, _ *policy.Policy) { f.Runs.Value = append(f.Runs.Value, rs...) }
	}
	twice := func(r gates.WorkflowRun) func(*gates.Facts, *policy.Policy) {
		second := r
		second.ID++
		return add(r, second)
	}
	with := func(j gates.Job) gates.WorkflowRun { return run(1, today, gateOK, j) }
	going := func(title string, jobs ...gates.Job) gates.WorkflowRun {
		r := run(1, today, jobs...)
		r.Status, r.Conclusion, r.Title = "in_progress", "", title
		return r
	}
	again := func(attempt int, jobs ...gates.Job) gates.WorkflowRun {
		r := going(gates.RunTitle(other), jobs...)
		r.Attempt = attempt
		return r
	}
	rerun := run(1, now.Add(-40*time.Hour), gateOK, job(fix(3), "completed", "failure", now.Add(-40*time.Hour)), job(fix(3), "completed", "failure", today))
	rerun.Attempt = 2
	act, no, maybe := gates.Act, gates.Nothing, gates.Undecided
	six := []gates.WorkflowRun{done(1, 11), done(2, 12), done(3, 13), done(4, 14), done(5, 15), done(6, 16)}
	runCases(t, []gateCase{
		{"one", add(done(1, 7)), act, "SF-GATE-000"},
		{"two", twice(done(1, 7)), no, "SF-GATE-030"},
		{"two of another", twice(done(1, 17)), act, "SF-GATE-000"},
		{"five today", add(six[:5]...), act, "SF-GATE-000"},
		{"six today", add(six...), no, "SF-GATE-031"},
		{"queued", twice(with(job(fix(7), "queued", "", time.Time{}))), no, "SF-GATE-030"},
		{"waiting with started_at", twice(with(job(fix(7), "waiting", "", today))), no, "SF-GATE-030"},
		{"cancelled without a runner", twice(with(job(fix(7), "completed", "cancelled", time.Time{}))), no, "SF-GATE-030"},
		{"unknown words", twice(with(job(fix(7), "superseded", "superseded", today))), no, "SF-GATE-030"},
		{"skipped in capitals is unknown", twice(with(job(fix(7), "COMPLETED", "SKIPPED", today))), no, "SF-GATE-030"},
		{"skipped", twice(with(job(fix(7), "completed", "skipped", today))), act, "SF-GATE-000"},
		{"skipped, unexpanded name", twice(with(job("fix pr-${{ needs.gate.outputs.pr }}", "completed", "skipped", today))), act, "SF-GATE-000"},
		{"conclusion without completion", twice(with(job(fix(7), "in_progress", "skipped", today))), no, "SF-GATE-030"},
		{"name that cannot be read counts for all", twice(with(job("fix pr-", "completed", "failure", today))), no, "SF-GATE-030"},
		{"empty name counts for all", twice(with(job("", "completed", "failure", today))), no, "SF-GATE-030"},
		{"name with another number inside", twice(with(job("fix pr-77", "completed", "failure", today))), act, "SF-GATE-000"},
		{"two attempts of one run", func(f *gates.Facts, p *policy.Policy) {
			r := run(1, today, gateOK, job(fix(7), "completed", "failure", today), job(fix(7), "completed", "failure", today))
			r.Attempt = 2
			f.Runs.Value = append(f.Runs.Value, r)
		}, no, "SF-GATE-030"},
		{"re-run today of an old run counts for the day", func(f *gates.Facts, p *policy.Policy) {
			p.Attempts.PerDay = 1
			f.Runs.Value = append(f.Runs.Value, rerun)
		}, no, "SF-GATE-031"},
		{"old run does not count for the day", func(f *gates.Facts, p *policy.Policy) {
			p.Attempts.PerDay = 1
			f.Runs.Value = append(f.Runs.Value, run(1, before, gateOK, job(fix(3), "completed", "failure", before)))
		}, act, "SF-GATE-000"},
		{"run of yesterday whose job started today", func(f *gates.Facts, p *policy.Policy) {
			p.Attempts.PerDay = 1
			f.Runs.Value = append(f.Runs.Value, run(1, before, gateOK, job(fix(3), "completed", "failure", today)))
		}, no, "SF-GATE-031"},
		{"run of yesterday whose job has no time", func(f *gates.Facts, p *policy.Policy) {
			p.Attempts.PerDay = 1
			f.Runs.Value = append(f.Runs.Value, run(1, before, gateOK, job(fix(3), "queued", "", time.Time{})))
		}, no, "SF-GATE-031"},
		{"going on, no fix job yet, same commit", twice(going(gates.RunTitle(tested), gateOK)), no, "SF-GATE-030"},
		{"going on, no fix job yet, title unreadable", twice(going("x", gateOK)), no, "SF-GATE-030"},
		{"going on, no fix job yet, another commit", twice(going(gates.RunTitle(other), gateOK)), act, "SF-GATE-000"},
		{"going on, gate skipped", twice(going("x", job("gate", "completed", "skipped", today))), act, "SF-GATE-000"},
		{"going on, other jobs only", twice(going("x", gateOK, job("recheck", "queued", "", time.Time{}))), no, "SF-GATE-030"},
		{"over, gate said no", twice(run(1, today, job("gate", "completed", "failure", today))), act, "SF-GATE-000"},
		{"over, gate passed, no fix job listed", add(run(1, today, gateOK)), maybe, "SF-GATE-033"},
		{"over, no job listed", add(run(1, today)), maybe, "SF-GATE-033"},
		{"jobs unread counts", func(f *gates.Facts, p *policy.Policy) {
			r := run(1, today)
			r.JobsRead = false
			s := r
			s.ID = 2
			f.Runs.Value = append(f.Runs.Value, r, s)
		}, no, "SF-GATE-030"},
		{"whole run skipped", func(f *gates.Facts, p *policy.Policy) {
			for i := range int64(50) {
				r := run(i+1, today)
				r.Conclusion, r.JobsRead = "skipped", false
				f.Runs.Value = append(f.Runs.Value, r)
			}
		}, act, "SF-GATE-000"},
		{"skipped in its second attempt", func(f *gates.Facts, p *policy.Policy) {
			r := run(1, today, job(fix(7), "completed", "failure", today))
			r.Conclusion, r.Attempt = "skipped", 2
			s := r
			s.ID = 2
			f.Runs.Value = append(f.Runs.Value, r, s)
		}, no, "SF-GATE-030"},
		{"goes on in its second attempt, the first one's jobs missing", add(again(2, gates.Job{ID: 1, RunAttempt: 2, Name: "gate", Status: "queued"})), maybe, "SF-GATE-033"},
		{"goes on in its third attempt, the second one's jobs missing", add(again(3, gateOK, job(fix(3), "completed", "failure", today))), maybe, "SF-GATE-033"},
		{"goes on in its second attempt, the first one listed", add(again(2, gateOK, job(fix(3), "completed", "failure", today))), act, "SF-GATE-000"},
		{"own run missing", func(f *gates.Facts, p *policy.Policy) { f.Runs.Value = nil }, maybe, "SF-GATE-032"},
		{"own run recorded as a re-run", func(f *gates.Facts, p *policy.Policy) { f.Runs.Value[0].Attempt = 2 }, no, "SF-GATE-004"},
		{"run without time", func(f *gates.Facts, p *policy.Policy) { f.Runs.Value[0].CreatedAt = time.Time{} }, maybe, "SF-GATE-033"},
		{"unread", func(f *gates.Facts, p *policy.Policy) { f.Runs = gates.Read[[]gates.WorkflowRun]{} }, maybe, "SF-GATE-090"},
		{"comments unread", func(f *gates.Facts, p *policy.Policy) { f.Comments = gates.Read[gates.Comments]{} }, maybe, "SF-GATE-090"},
		{"deleted runs, two comments remain", func(f *gates.Facts, p *policy.Policy) { f.Comments.Value = gates.Comments{All: 2, Own: 2} }, no, "SF-GATE-030"},
		{"fewer comments than counted", func(f *gates.Facts, p *policy.Policy) { f.Pull.Value.Comments = 2 }, maybe, "SF-GATE-033"},
		{"a comment since the record was read", func(f *gates.Facts, p *policy.Policy) { f.Comments.Value.All = 2 }, act, "SF-GATE-000"},
		{"deleted runs, two robot commits remain", func(f *gates.Facts, p *policy.Policy) {
			f.Commits.Value = []gates.Commit{robotCommit(parent, treeA, other), robotCommit(tested, treeB, parent)}
		}, no, "SF-GATE-030"},
		{"clock half known", func(f *gates.Facts, p *policy.Policy) { f.Clock.First = time.Time{} }, maybe, "SF-GATE-033"},
		{"clock that ends before it begins", func(f *gates.Facts, p *policy.Policy) { f.Clock.First = now.Add(time.Hour) }, maybe, "SF-GATE-033"},
		{"clock unknown", func(f *gates.Facts, p *policy.Policy) { f.Clock = gates.Clock{} }, maybe, "SF-GATE-033"},
	})
}

func TestDayBoundary(t *testing.T) {
	midnight := time.Date(2026, 3, 10, 0, 0, 0, 0, time.UTC)
	at := func(created time.Time, clock gates.Clock, d gates.Decision) gateCase {
		return gateCase{fmt.Sprintf("%s at %s", created.Format(time.TimeOnly), clock.First.Format(time.TimeOnly)), func(f *gates.Facts, p *policy.Policy) {
			p.Attempts.PerDay, p.Attempts.PerPullRequest = 1, 9
			f.Clock = clock
			for i := range f.Runs.Value {
				f.Runs.Value[i].CreatedAt = clock.First.Add(-time.Second)
			}
			shift := clock.Last.Sub(now)
			f.Statuses.Value = f.Statuses.Value[:1]
			f.Statuses.Value[0].CreatedAt = f.Statuses.Value[0].CreatedAt.Add(shift)
			f.Deployment.Value.CreatedAt = f.Deployment.Value.CreatedAt.Add(shift)
			f.Pull.Value.CreatedAt = f.Pull.Value.CreatedAt.Add(shift)
			f.Commits.Value[1].CommitterDate = f.Commits.Value[1].CommitterDate.Add(shift)
			f.Runs.Value = append(f.Runs.Value, run(1, created, job("gate", "completed", "success", created), job("fix pr-3", "completed", "failure", created)))
		}, d, map[gates.Decision]string{gates.Act: "SF-GATE-000", gates.Nothing: "SF-GATE-031"}[d]}
	}
	one := func(t time.Time) gates.Clock { return gates.Clock{First: t, Last: t} }
	runCases(t, []gateCase{
		at(midnight.Add(-time.Second), one(midnight.Add(time.Hour)), gates.Act),
		at(midnight, one(midnight.Add(time.Hour)), gates.Nothing),
		at(midnight.Add(-time.Second), one(midnight.Add(-time.Second)), gates.Nothing),
		at(midnight.Add(-time.Second), one(midnight), gates.Act),
		// An evaluation that begins before midnight counts that day, although it ends after it.
		at(midnight.Add(-time.Hour), gates.Clock{First: midnight.Add(-time.Second), Last: midnight.Add(time.Second)}, gates.Nothing),
	})
}

func TestWholeCommits(t *testing.T) {
	maybe := gates.Undecided
	runCases(t, []gateCase{
		{"unread", func(f *gates.Facts, p *policy.Policy) { f.Commits = gates.Read[[]gates.Commit]{} }, maybe, "SF-GATE-090"},
		{"none counted", func(f *gates.Facts, p *policy.Policy) { f.Pull.Value.Commits = 0; f.Commits.Value = nil }, maybe, "SF-GATE-034"},
		{"one missing", func(f *gates.Facts, p *policy.Policy) { f.Commits.Value = f.Commits.Value[1:] }, maybe, "SF-GATE-034"},
		{"head missing", func(f *gates.Facts, p *policy.Policy) { f.Commits.Value[1].SHA = other }, maybe, "SF-GATE-034"},
		{"one twice", func(f *gates.Facts, p *policy.Policy) { f.Commits.Value[0] = f.Commits.Value[1] }, maybe, "SF-GATE-034"},
		{"one that is no ancestor", func(f *gates.Facts, p *policy.Policy) { f.Commits.Value[1].Parents = []string{other} }, maybe, "SF-GATE-034"},
		{"no date", func(f *gates.Facts, p *policy.Policy) { f.Commits.Value[0].CommitterDate = time.Time{} }, maybe, "SF-GATE-034"},
		{"249", func(f *gates.Facts, p *policy.Policy) { chain(f, 249) }, gates.Act, "SF-GATE-000"},
		{"250", func(f *gates.Facts, p *policy.Policy) { chain(f, 250) }, maybe, "SF-GATE-034"},
		{"251 of which 250 were listed", func(f *gates.Facts, p *policy.Policy) { chain(f, 250); f.Pull.Value.Commits = 251 }, maybe, "SF-GATE-034"},
		{"listed out of order", func(f *gates.Facts, p *policy.Policy) {
			f.Commits.Value[0], f.Commits.Value[1] = f.Commits.Value[1], f.Commits.Value[0]
		}, gates.Act, "SF-GATE-000"},
	})
}

// chain makes the pull request n commits long.
func chain(f *gates.Facts, n int) {
	f.Pull.Value.Commits = n
	f.Commits.Value = nil
	prev := other
	for i := range n {
		sha := fmt.Sprintf("%040x", i+1)
		if i == n-1 {
			sha = tested
		}
		f.Commits.Value = append(f.Commits.Value, commit(sha, treeA, prev))
		prev = sha
	}
}
