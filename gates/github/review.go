package github

import (
	"context"
	"fmt"
	"time"

	"selffix/gates"
	"selffix/pipeline/policy"
)

// Reviewer runs the review gate: it reads with one token and posts with another, or the same.
type Reviewer struct {
	Policy policy.Policy
	Read   *Client
	// Post makes the client that posts, only when there is something to post.
	Post func(context.Context) (*Client, error)

	poster *Client
}

// Bounds on time, so that a run ends within a minute whatever is answered, and has time left to close what it
// may have opened: pending, the reads, success, and pending once more.
const (
	postTime = 9 * time.Second
	readTime = 30 * time.Second
)

// PullRequest judges one pull request and posts the review status on its head. "pending" is posted first,
// on the event's word alone: a success of an earlier run would otherwise survive any read that fails.
func (r *Reviewer) PullRequest(ctx context.Context, e gates.ReviewEvent) gates.Verdict {
	f := gates.ReviewFacts{Repository: e.Repository, ID: e.RepositoryID, PullRequest: e.PullRequest}
	if v := gates.PrefilterReview(e, r.Policy); v != nil {
		return *v
	}
	record := &gates.Review{RepositoryID: e.RepositoryID, PullRequests: []int{e.PullRequest}, Commit: e.Head, Status: "none"}
	posted, err := r.post(ctx, e.Head, Pending, record)
	if err != nil {
		return gates.PendingFailed(err.Error(), record)
	}
	f.Pending = posted
	reading, cancel := context.WithTimeout(ctx, readTime)
	defer cancel()
	r.readReview(reading, &f)
	if pr, ok := f.Listed(); ok && pr.HeadSHA != e.Head {
		// The event is old: what could merge is another commit, which may carry a success.
		record.Commit, record.Status = pr.HeadSHA, "none"
		f.Pending, err = r.post(ctx, pr.HeadSHA, Pending, record)
		if err != nil {
			return gates.PendingFailed(err.Error(), record)
		}
	}
	r.readHead(reading, &f)
	return r.conclude(ctx, gates.DecideReview(f, r.Policy), record)
}

// conclude posts success for a verdict that allows it. Where the answer to that post cannot be read nobody
// knows what stands there, so pending is posted over it.
func (r *Reviewer) conclude(ctx context.Context, v gates.Verdict, record *gates.Review) gates.Verdict {
	v.Review = record
	if v.Decision != gates.Act {
		return v
	}
	if _, err := r.post(ctx, record.Commit, Success, record); err != nil {
		_, again := r.post(ctx, record.Commit, Pending, record)
		return gates.SuccessFailed(err.Error(), again == nil, v.Facts, record)
	}
	return v
}

func (r *Reviewer) post(ctx context.Context, sha string, s State, record *gates.Review) (gates.Read[gates.Posted], error) {
	ctx, cancel := context.WithTimeout(ctx, postTime)
	defer cancel()
	if r.poster == nil {
		poster, err := r.Post(ctx)
		if err != nil {
			return gates.Read[gates.Posted]{}, err
		}
		r.poster = poster
	}
	made, err := r.poster.PostReview(ctx, sha, s, r.Policy)
	if err != nil {
		return gates.Read[gates.Posted]{}, err
	}
	record.Status = string(s)
	return seen(r.poster, "POST /"+r.poster.at("statuses/"+sha), made, nil), nil
}

// readReview makes the first reads: the policy, and the open pull requests with their heads and labels.
func (r *Reviewer) readReview(ctx context.Context, f *gates.ReviewFacts) {
	c, p := r.Read, r.Policy
	if !p.FakeGitHub() {
		b, err := c.defaultBranch(ctx, p.Branches.Default)
		if err != nil {
			f.Policy = seen(c, "", gates.PolicyRecord{}, err)
			return
		}
		if f.Policy = c.policyAt(ctx, b.sha); !f.Policy.Seen {
			return
		}
	}
	open, err := c.openPulls(ctx)
	f.Open = seen(c, "GET /"+c.at("pulls"), open, err)
	f.Clock = c.Clock()
}

// readHead reads all else about the pull request. Events come early and the timeline late, the pull request's own
// record last: a change in between shows as a disagreement, and the head is read again just before a post.
func (r *Reviewer) readHead(ctx context.Context, f *gates.ReviewFacts) {
	defer func() { f.Clock = r.Read.Clock() }()
	pr, ok := f.Listed()
	if !ok {
		if f.Open.Seen {
			r.readClosed(ctx, f)
		}
		return
	}
	c, n := r.Read, pr.Number
	at := func(rest string, args ...any) string { return "GET /" + c.at(fmt.Sprintf(rest, args...)) }
	for _, read := range []func(){
		func() { v, err := c.labelEvents(ctx, n); f.Events = seen(c, at("issues/%d/events", n), v, err) },
		func() { v, err := c.labels(ctx, n); f.Labels = seen(c, at("issues/%d/labels", n), v, err) },
		func() {
			v, err := c.commitPulls(ctx, pr.HeadSHA)
			f.ByCommit = seen(c, at("commits/%s/pulls", pr.HeadSHA), v, err)
		},
		func() { v, err := c.pullCommits(ctx, n); f.Commits = seen(c, at("pulls/%d/commits", n), v, err) },
		func() { v, err := c.activity(ctx, pr.HeadRef); f.Activity = seen(c, at("activity"), v, err) },
		func() { r.readStatuses(ctx, f, pr.HeadSHA) },
		func() {
			v, err := c.timeline(ctx, n, r.Policy.Robot.ID)
			f.Timeline = seen(c, at("issues/%d/timeline", n), v, err)
		},
		func() { v, err := c.PullRequest(ctx, n); f.Pull = seen(c, at("pulls/%d", n), v, err) },
	} {
		read()
		if f.Clock = c.Clock(); !f.Waiting(r.Policy) {
			return
		}
	}
}

// readClosed learns why the pull request is not among the open ones.
func (r *Reviewer) readClosed(ctx context.Context, f *gates.ReviewFacts) {
	v, err := r.Read.PullRequest(ctx, f.PullRequest)
	f.Pull = seen(r.Read, "GET /"+r.Read.at(fmt.Sprintf("pulls/%d", f.PullRequest)), v, err)
}

// readStatuses reads the head's statuses, and those of the commit below the maintainer's empty ones where no
// record of the branch tells when it arrived.
func (r *Reviewer) readStatuses(ctx context.Context, f *gates.ReviewFacts, head string) {
	c := r.Read
	at := func(sha string) string { return "GET /" + c.at("commits/"+sha+"/statuses") }
	if !f.Group {
		v, err := c.everyStatus(ctx, head)
		f.Statuses = seen(c, at(head), v, err)
	}
	settled := gates.Settled(f.Commits.Value, head, r.Policy)
	if _, known := gates.Arrived(f.Activity.Value, settled); known {
		return
	}
	v, err := c.Statuses(ctx, settled)
	f.Settled = seen(c, at(settled), v, err)
}
