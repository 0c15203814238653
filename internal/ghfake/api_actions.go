package ghfake

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// maxFiltered is how many runs a filtered listing ever shows; total_count still counts them all.
const maxFiltered = 1000

func (c *call) workflowOf(name string) (Workflow, bool) {
	for _, w := range c.repo.Workflows {
		if strconv.FormatInt(w.ID, 10) == name || w.Path[strings.LastIndex(w.Path, "/")+1:] == name {
			return w, true
		}
	}
	return Workflow{}, false
}

func getWorkflow(c *call) reply {
	w, found := c.workflowOf(c.req.PathValue("workflow"))
	if !found {
		return notFound()
	}
	api := fmt.Sprintf("%s/repos/%s/actions/workflows/%d", c.srv.public, c.repo.fullName(), w.ID)
	page := c.srv.public + "/" + c.repo.fullName() + "/blob/" + c.repo.DefaultBranch + "/" + w.Path
	return ok(obj{"id": w.ID, "node_id": nodeID("Workflow", w.ID), "name": w.Name, "path": w.Path, "state": "active", "url": api, "html_url": page,
		"badge_url": page, "created_at": stamp(c.repo.CreatedAt), "updated_at": stamp(c.repo.CreatedAt)})
}

// listRuns lists the runs of one workflow file, or of all; a copy of the file on another branch counts as the same workflow.
func listRuns(c *call) reply {
	name := c.req.PathValue("workflow")
	w, found := c.workflowOf(name)
	if name != "" && !found {
		return notFound()
	}
	var items []any
	filtered := false
	for _, q := range []string{"actor", "branch", "event", "status", "created", "check_suite_id", "head_sha"} {
		filtered = filtered || c.query(q) != ""
	}
	for _, run := range c.newestRuns() {
		if (name == "" || run.Path == w.Path) && c.wants(run) {
			items = append(items, lazy(func() any { return c.renderRun(run) }))
		}
	}
	total := len(items)
	if filtered {
		items = items[:min(total, maxFiltered)]
	}
	return c.wrapped("workflow_runs", items, total)
}

func (c *call) newestRuns() []*Run {
	runs := slices.Clone(c.repo.Runs)
	slices.SortStableFunc(runs, func(a, b *Run) int { return cmp.Or(b.CreatedAt.Compare(a.CreatedAt), cmp.Compare(b.ID, a.ID)) })
	return runs
}

// wants applies GitHub's filters.
func (c *call) wants(run *Run) bool {
	state := c.query("status")
	return !differs(c.query("event"), run.Event) && !differs(c.query("branch"), run.HeadBranch) && !differs(c.query("head_sha"), run.HeadSHA) &&
		!differs(c.query("actor"), run.Actor.Login) && (state == "" || state == run.Status || state == run.Conclusion) && createdWithin(c.query("created"), run.CreatedAt)
}

// createdWithin understands ">=T", "<=T", ">T", "<T" and "A..B" with dates or times.
func createdWithin(q string, at time.Time) bool {
	if from, to, isRange := strings.Cut(q, ".."); isRange {
		return (from == "*" || createdWithin(">="+from, at)) && (to == "*" || createdWithin("<="+to, at))
	}
	value := strings.TrimLeft(q, "<>=")
	t, err := time.Parse(time.RFC3339, value)
	if err != nil {
		t, err = time.Parse(time.DateOnly, value)
	}
	if q == "" || err != nil {
		return true // GitHub ignores what it cannot read
	}
	switch strings.TrimSuffix(q, value) {
	case ">=":
		return !at.Before(t)
	case "<=":
		return !at.After(t)
	case ">":
		return at.After(t)
	case "<":
		return at.Before(t)
	}
	return at.Truncate(24 * time.Hour).Equal(t.Truncate(24 * time.Hour))
}

func getRun(c *call) reply {
	run := c.repo.run(c.number("run"))
	if run == nil {
		return notFound()
	}
	return ok(c.renderRun(run))
}

func (c *call) renderRun(run *Run) obj {
	api := fmt.Sprintf("%s/repos/%s/actions/runs/%d", c.srv.public, c.repo.fullName(), run.ID)
	page := fmt.Sprintf("%s/%s/actions/runs/%d", c.srv.public, c.repo.fullName(), run.ID)
	w := c.repo.workflow(c.srv, run.Path)
	started := run.started()
	pulls := []any{}
	for _, n := range run.PullRequests {
		if p := c.repo.pull(n); p != nil {
			pulls = append(pulls, c.pullOfRun(p))
		}
	}
	var head any
	if raw, found, err := c.handle.git.commit(run.HeadSHA); err == nil && found {
		head = obj{"id": raw.id, "tree_id": raw.tree, "message": strings.TrimSuffix(raw.message, "\n"), "timestamp": stamp(raw.committer.Date),
			"author": obj{"name": raw.author.Name, "email": raw.author.Email}, "committer": obj{"name": raw.committer.Name, "email": raw.committer.Email}}
	}
	return obj{"id": run.ID, "node_id": nodeID("WorkflowRun", run.ID), "name": w.Name, "path": w.Path, "workflow_id": w.ID, "check_suite_id": run.ID + 1,
		"check_suite_node_id": nodeID("CheckSuite", run.ID), "head_branch": run.HeadBranch, "head_sha": run.HeadSHA, "run_number": run.Number, "run_attempt": run.Attempt,
		"display_title": cmp.Or(run.Title, w.Name), "event": run.Event, "status": run.Status, "conclusion": orNull(run.Conclusion), "url": api, "html_url": page,
		"pull_requests": pulls, "created_at": stamp(run.CreatedAt), "updated_at": stamp(run.updated()), "run_started_at": stamp(started), "actor": c.srv.user(run.Actor),
		"triggering_actor": c.srv.user(run.Actor), "jobs_url": api + "/jobs", "logs_url": api + "/logs", "check_suite_url": api + "/check_suite",
		"artifacts_url": api + "/artifacts", "cancel_url": api + "/cancel", "rerun_url": api + "/rerun", "previous_attempt_url": nil, "workflow_url": api + "/workflow",
		"head_commit": head, "repository": c.srv.minimal(c.repo), "head_repository": c.srv.minimal(c.repo)}
}

// started is when the latest attempt began.
func (run *Run) started() time.Time {
	if run.StartedAt.IsZero() {
		return run.CreatedAt
	}
	return run.StartedAt
}

// updated is the newest time of anything in the run.
func (run *Run) updated() time.Time {
	at := run.started()
	for _, j := range run.Jobs {
		for _, t := range []time.Time{j.StartedAt, j.CompletedAt} {
			if t.After(at) {
				at = t
			}
		}
	}
	return at
}

func (c *call) pullOfRun(p *Pull) obj {
	repo := obj{"id": c.repo.ID, "url": c.srv.public + "/repos/" + c.repo.fullName(), "name": c.repo.Name}
	return obj{"id": p.ID, "number": p.Number, "url": fmt.Sprintf("%s/repos/%s/pulls/%d", c.srv.public, c.repo.fullName(), p.Number),
		"head": obj{"ref": p.HeadRef, "sha": p.HeadSHA, "repo": repo}, "base": obj{"ref": p.BaseRef, "sha": c.repo.Refs["refs/heads/"+p.BaseRef], "repo": repo}}
}

// listJobs lists the jobs of one attempt, of all (filter=all), or, by default, the latest of each name.
func listJobs(c *call) reply {
	run := c.repo.run(c.number("run"))
	if run == nil {
		return notFound()
	}
	latest := map[string]int{}
	for _, j := range run.Jobs {
		latest[j.Name] = max(latest[j.Name], j.Attempt)
	}
	one := c.req.PathValue("attempt")
	var items []any
	for _, j := range run.Jobs {
		if one != "" && strconv.Itoa(j.Attempt) != one {
			continue
		}
		if one == "" && c.query("filter") != "all" && j.Attempt < latest[j.Name] {
			continue
		}
		items = append(items, lazy(func() any { return c.renderJob(run, j) }))
	}
	if one != "" && atoi(one) > int64(run.Attempt) {
		return notFound()
	}
	return c.wrapped("jobs", items, len(items))
}

func (c *call) renderJob(run *Run, j Job) obj {
	api := c.srv.public + "/repos/" + c.repo.fullName() + "/actions/"
	page := fmt.Sprintf("%s/%s/actions/runs/%d", c.srv.public, c.repo.fullName(), run.ID)
	started := j.StartedAt
	if started.IsZero() {
		started = j.CreatedAt
	}
	o := obj{"id": j.ID, "node_id": nodeID("CheckRun", j.ID), "run_id": run.ID, "run_attempt": j.Attempt, "run_url": fmt.Sprintf("%sruns/%d", api, run.ID),
		"head_sha": run.HeadSHA, "head_branch": run.HeadBranch, "workflow_name": c.repo.workflow(c.srv, run.Path).Name, "name": j.Name, "url": fmt.Sprintf("%sjobs/%d", api, j.ID),
		"html_url": fmt.Sprintf("%s/job/%d", page, j.ID), "status": j.Status, "conclusion": orNull(j.Conclusion), "created_at": stamp(j.CreatedAt),
		"started_at": stamp(started), "completed_at": stamp(j.CompletedAt), "steps": []any{}, "labels": []any{"ubuntu-24.04"},
		"check_run_url": fmt.Sprintf("%s/repos/%s/check-runs/%d", c.srv.public, c.repo.fullName(), j.ID),
		"runner_id":     nil, "runner_name": nil, "runner_group_id": nil, "runner_group_name": nil}
	if j.Runner != "" {
		o["runner_id"], o["runner_name"], o["runner_group_id"], o["runner_group_name"] = 2, j.Runner, 0, "GitHub Actions"
	}
	return o
}
