package gates_test

import (
	"strings"
	"testing"
	"time"

	"selffix/gates"
	"selffix/pipeline/policy"
)

const (
	maintainerID = 1001
	strangerID   = 2002
	botID        = 258111874
	robotID      = 41898282
	repoID       = 77
	ownRun       = 5000
)

var (
	now      = time.Date(2026, 3, 10, 12, 0, 0, 0, time.UTC)
	tested   = strings.Repeat("a1", 20)
	parent   = strings.Repeat("b2", 20)
	other    = strings.Repeat("c3", 20)
	treeA    = strings.Repeat("d4", 20)
	treeB    = strings.Repeat("e5", 20)
	noCommit = strings.Repeat("0", 40)
	preview  = "https://penny-pr-7.vercel.app"
	testRepo = "owner/penny"
)

func seedPolicy(t testing.TB) policy.Policy {
	t.Helper()
	p, err := policy.Load("../testdata/policy/seed.yaml")
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func read[T any](v T) gates.Read[T] {
	return gates.Read[T]{Value: v, Seen: true, Route: "GET /fixture", At: now}
}

func commit(sha, tree string, parents ...string) gates.Commit {
	return gates.Commit{
		SHA: sha, Tree: tree, Parents: parents,
		AuthorID: maintainerID, AuthorName: "Maintainer", AuthorEmail: "m@example.org", AuthorDate: now.Add(-time.Hour),
		CommitterID: maintainerID, Committer: "Maintainer", CommitterMail: "m@example.org", CommitterDate: now.Add(-time.Hour),
		Message: "change a label",
	}
}

func robotCommit(sha, tree string, parents ...string) gates.Commit {
	c := commit(sha, tree, parents...)
	c.AuthorID, c.AuthorName, c.AuthorEmail = robotID, "github-actions[bot]", "41898282+github-actions[bot]@users.noreply.github.com"
	c.CommitterID, c.Committer, c.CommitterMail = c.AuthorID, c.AuthorName, c.AuthorEmail
	c.Message = "self-fix: repair"
	return c
}

func pull() gates.PullRequest {
	return gates.PullRequest{
		Number: 7, State: "open", AuthorID: maintainerID, Author: "Maintainer", AuthorType: "User",
		HeadRef: "feat/labels", HeadSHA: tested, HeadRepoID: repoID, BaseRef: "main", BaseRepoID: repoID, DefaultBranch: "main",
		Labels: []string{"reviewed"}, CreatedAt: now.Add(-24 * time.Hour), Commits: 2, Comments: 1,
	}
}

func ownWorkflowRun() gates.WorkflowRun {
	return gates.WorkflowRun{ID: ownRun, Number: 9, Attempt: 1, Event: "status", HeadBranch: "main", Title: gates.RunTitle(tested),
		Status: "in_progress", CreatedAt: now.Add(-time.Minute), UpdatedAt: now}
}

// run is an earlier run whose fix job was for pull request n.
func run(id int64, created time.Time, jobs ...gates.Job) gates.WorkflowRun {
	return gates.WorkflowRun{ID: id, Number: 1, Attempt: 1, Event: "status", HeadBranch: "main", Title: gates.RunTitle(tested),
		Status: "completed", Conclusion: "success", CreatedAt: created, UpdatedAt: created.Add(time.Minute), Jobs: jobs, JobsRead: true}
}

func job(name, status, conclusion string, started time.Time) gates.Job {
	return gates.Job{ID: 1, RunAttempt: 1, Name: name, Status: status, Conclusion: conclusion, StartedAt: started}
}

// passing is a set of facts on which all four gates hold.
func passing(p policy.Policy) gates.Facts {
	failing := gates.Status{ID: 300, Context: "TestSprite V3", State: "failure", CreatorID: botID, CreatedAt: now.Add(-2 * time.Minute)}
	return gates.Facts{
		Event: gates.Event{Name: "status", StatusID: 300, SHA: tested, Context: "TestSprite V3", State: "failure", SenderID: botID,
			Repository: testRepo, RepositoryID: repoID, DefaultBranch: "main"},
		Run:    gates.Run{ID: ownRun, Attempt: 1, Job: "gate"},
		Clock:  gates.Clock{First: now, Last: now.Add(time.Second)},
		Policy: read(gates.PolicyRecord{Commit: other, SHA256: p.Digest}),
		Pin:    read(gates.ReviewPin{Apps: []int64{0}}),
		Statuses: read([]gates.Status{failing,
			{ID: 299, Context: "TestSprite V3", State: "pending", CreatorID: botID, CreatedAt: now.Add(-10 * time.Minute)},
			{ID: 298, Context: "ci", State: "success", CreatorID: strangerID, CreatedAt: now.Add(-11 * time.Minute)}}),
		ByCommit: read([]gates.PullRequest{pull()}),
		Open:     read([]gates.PullRequest{pull()}),
		Pull:     read(pull()),
		Head:     read(tested),
		Runs:     read([]gates.WorkflowRun{ownWorkflowRun()}),
		Commits:  read([]gates.Commit{commit(parent, treeA, other), commit(tested, treeB, parent)}),
		Comments: read(gates.Comments{All: 1}),
		Deployment: read(gates.Deployment{ID: 60, SHA: tested, Environment: "Preview", State: "success", URL: preview,
			CreatedAt: now.Add(-30 * time.Minute)}),
	}
}

// want compares a verdict's decision and rule.
func want(t *testing.T, v gates.Verdict, d gates.Decision, rule string) {
	t.Helper()
	if v.Decision != d || v.Rule != rule {
		t.Errorf("got %s (%s): %s\nwant %s (%s)", v.Decision, v.Rule, v.Reason, d, rule)
	}
	if (v.Target != nil) != (d == gates.Act && strings.HasPrefix(rule, "SF-GATE")) {
		t.Errorf("target %v with decision %s", v.Target, v.Decision)
	}
}
