package github

import (
	"context"
	"fmt"
	"time"

	"selffix/gates"
	"selffix/pipeline/policy"
)

// Gate reads the facts of one evaluation of the four gates and decides. Reads go in the order of the gates and
// stop as soon as one of them says no: reading on could not change it.
func (c *Client) Gate(ctx context.Context, e gates.Event, r gates.Run, p policy.Policy) gates.Verdict {
	f := gates.Facts{Event: e, Run: r}
	for _, read := range []func(context.Context, *gates.Facts, policy.Policy){
		c.readRules, c.readStatuses, c.readPulls, c.readPull, c.readCommits, c.readRuns, c.readComments, c.readDeployment,
	} {
		if f.Clock = c.Clock(); !f.Waiting(p) {
			break
		}
		read(ctx, &f, p)
	}
	f.Clock = c.Clock()
	return gates.Decide(f, p)
}

// seen wraps what a reader returned: a value with its route and GitHub's clock, or what was wrong.
func seen[T any](c *Client, route string, v T, err error) gates.Read[T] {
	if err != nil {
		e := asError(route, err)
		return gates.Read[T]{Route: e.Route, Why: e.What}
	}
	return gates.Read[T]{Value: v, Seen: true, Route: route, At: c.Clock().Last}
}

// readRules reads how the review status is required, and outside a sandbox the policy at the default branch's head.
func (c *Client) readRules(ctx context.Context, f *gates.Facts, p policy.Policy) {
	var classic branch
	var err error
	if !p.FakeGitHub() {
		classic, err = c.defaultBranch(ctx, p.Branches.Default)
		if err == nil {
			f.Policy = c.policyAt(ctx, classic.sha)
		} else {
			f.Policy = seen(c, "", gates.PolicyRecord{}, err)
		}
		if !f.Policy.Seen {
			return
		}
	}
	route := "GET /" + c.at("rules/branches/{default}")
	rules, err := c.rules(ctx, p.Branches.Default)
	f.Pin = seen(c, route, pin(p.Review.Context, rules, classic.checks), err)
	if !p.FakeGitHub() || !f.Pin.Seen || len(f.Pin.Value.Apps) > 0 {
		return
	}
	// Rulesets say nothing: classic protection may.
	classic, err = c.defaultBranch(ctx, p.Branches.Default)
	f.Pin = seen(c, route, pin(p.Review.Context, rules, classic.checks), err)
}

func (c *Client) policyAt(ctx context.Context, commit string) gates.Read[gates.PolicyRecord] {
	record, err := c.policyFile(ctx, commit)
	return seen(c, "GET /"+c.at("contents/"+PolicyPath), record, err)
}

func (c *Client) readStatuses(ctx context.Context, f *gates.Facts, _ policy.Policy) {
	all, err := c.statuses(ctx, f.Event.SHA)
	f.Statuses = seen(c, "GET /"+c.at("commits/"+f.Event.SHA+"/statuses"), all, err)
}

func (c *Client) readPulls(ctx context.Context, f *gates.Facts, _ policy.Policy) {
	byCommit, err := c.commitPulls(ctx, f.Event.SHA)
	f.ByCommit = seen(c, "GET /"+c.at("commits/"+f.Event.SHA+"/pulls"), byCommit, err)
	if err != nil {
		return
	}
	open, err := c.openPulls(ctx)
	f.Open = seen(c, "GET /"+c.at("pulls"), open, err)
}

func (c *Client) readPull(ctx context.Context, f *gates.Facts, _ policy.Policy) {
	number, ok := gates.Candidate(*f)
	if !ok {
		return
	}
	pull, err := c.PullRequest(ctx, number)
	f.Pull = seen(c, "GET /"+c.at(fmt.Sprintf("pulls/%d", number)), pull, err)
	if err != nil || !gates.PlainBranch(pull.HeadRef) {
		return
	}
	head, err := c.Ref(ctx, pull.HeadRef)
	f.Head = seen(c, "GET /"+c.at("git/ref/heads/{branch}"), head, err)
}

func (c *Client) readCommits(ctx context.Context, f *gates.Facts, _ policy.Policy) {
	if n := f.Pull.Value.Commits; !f.Pull.Seen || n < 1 || n >= gates.MaxCommits {
		f.Commits = gates.Read[[]gates.Commit]{Seen: f.Pull.Seen} // the number alone decides
		return
	}
	commits, err := c.pullCommits(ctx, f.Pull.Value.Number)
	f.Commits = seen(c, "GET /"+c.at(fmt.Sprintf("pulls/%d/commits", f.Pull.Value.Number)), commits, err)
}

// readRuns reads the runs that may count and the jobs of those that may have started a fix job. A completed
// run that is older than the pull request and was last touched before today counts for neither limit.
func (c *Client) readRuns(ctx context.Context, f *gates.Facts, p policy.Policy) {
	midnight := gates.Midnight(c.Clock().First)
	opened := f.Pull.Value.CreatedAt
	s := scan{workflow: gates.WorkflowFile, cutoff: earlier(opened, midnight.Add(-gates.Rerunnable)), own: f.Run.ID}
	route := "GET /" + s.listing(c).path
	all, err := c.runs(ctx, s)
	if err != nil {
		f.Runs = seen(c, route, all, err)
		return
	}
	kept := []gates.WorkflowRun{}
	for _, r := range all {
		if r.Event != "status" || r.HeadBranch != "" && r.HeadBranch != p.Branches.Default {
			continue // another branch's copy of the file, or another trigger: not an attempt
		}
		quiet := r.Status == "completed" && r.CreatedAt.Before(opened) && !r.UpdatedAt.IsZero() && r.UpdatedAt.Before(midnight)
		if quiet && r.ID != f.Run.ID {
			continue
		}
		if !r.Skipped() && r.ID != f.Run.ID {
			if r.Jobs, err = c.jobs(ctx, r.ID); err != nil {
				f.Runs = seen(c, route, all, err)
				return
			}
			r.JobsRead = true
		}
		kept = append(kept, r)
	}
	f.Runs = seen(c, route, kept, nil)
}

func earlier(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
}

// readComments reads our comments, unless GitHub counts none at all.
func (c *Client) readComments(ctx context.Context, f *gates.Facts, p policy.Policy) {
	if f.Pull.Value.Comments == 0 {
		f.Comments = gates.Read[gates.Comments]{Seen: true, Route: f.Pull.Route, At: f.Pull.At}
		return
	}
	n, err := c.comments(ctx, f.Pull.Value.Number, p.Robot.ID)
	f.Comments = seen(c, "GET /"+c.at(fmt.Sprintf("issues/%d/comments", f.Pull.Value.Number)), n, err)
}

func (c *Client) readDeployment(ctx context.Context, f *gates.Facts, p policy.Policy) {
	d, err := c.deployment(ctx, f.Event.SHA, p.Evidence.Environment)
	f.Deployment = seen(c, "GET /"+c.at("deployments"), d, err)
}
