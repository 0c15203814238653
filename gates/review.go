package gates

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"selffix/pipeline/policy"
)

// DecideReview judges whether the pull request may merge as far as self-fix is concerned: Act means that the
// review status may become success.
func DecideReview(f ReviewFacts, p policy.Policy) Verdict {
	ok := Verdict{Decision: Act, Rule: reviewNoRobot, Reason: "no robot commit, push or comment was seen on the pull request"}
	s := judgeReview(f, p)
	if s == nil && f.marked(p) {
		ok.Rule, ok.Reason = reviewLabelled, "the maintainer labelled what is there now"
	}
	v := ok
	if s != nil {
		v = Verdict{Decision: s.decision, Rule: s.rule, Reason: s.reason}
	}
	if n := forged(f.Statuses.Value, f.owner(), p); n > 0 {
		v.Reason += fmt.Sprintf("; %d successes of this status were posted by somebody else: they are overwritten, find out by whom", n)
	}
	v.Facts = f.list(p)
	return v
}

func reviewSettings(f ReviewFacts, p policy.Policy) *stop {
	switch {
	case !p.Enabled:
		return nothing(reviewDisabled, "the policy is not enabled")
	case p.Maintainer.ID <= 0 || p.Robot.ID <= 0 || p.Review.Label == "" || p.Review.Context == "" || p.Branches.Default == "":
		return undecided(reviewConfig, "the policy lacks an id or a name")
	case !p.Review.AcceptBranchWriters && p.Review.AppID <= 0:
		return undecided(reviewConfig, "the policy names no review app")
	case p.RepositoryID != 0 && f.ID != p.RepositoryID:
		return nothing(reviewEvent, "the event is of another repository than the policy's")
	case f.ID <= 0 || f.PullRequest <= 0:
		return undecided(reviewEvent, "the event lacks a repository or a pull request")
	}
	return samePolicy(reviewUnread, reviewPolicy, f.Policy, p)
}

func judgeReview(f ReviewFacts, p policy.Policy) *stop {
	return first(
		func() *stop { return reviewSettings(f, p) },
		func() *stop { return reviewPull(f, p) },
		func() *stop { return reviewHistory(f) },
		func() *stop { return reviewRecord(f) },
		func() *stop {
			if !f.marked(p) {
				return nil
			}
			return reviewLabel(f, p)
		},
		func() *stop { return reviewStatuses(f, p) },
	)
}

// Waiting reports whether all that was read so far holds, and only an unread value keeps DecideReview from an
// answer.
func (f ReviewFacts) Waiting(p policy.Policy) bool {
	s := judgeReview(f, p)
	return s != nil && s.waiting
}

// Listed finds the pull request in the list of open ones.
func (f ReviewFacts) Listed() (PullRequest, bool) {
	for _, pr := range f.Open.Value {
		if pr.Number == f.PullRequest {
			return pr, true
		}
	}
	return PullRequest{}, false
}

// reviewPull judges the record of the first read. The seed serves branches of this repository that go to the
// default branch; all else keeps the status unmet.
func reviewPull(f ReviewFacts, p policy.Policy) *stop {
	if s := need(reviewUnread, "the open pull requests", f.Open); s != nil {
		return s
	}
	pr, ok := f.Listed()
	if !ok {
		if f.Pull.Seen && f.Pull.Value.Number == f.PullRequest && f.Pull.Value.State == "closed" {
			return nothing(reviewClosed, "pull request %d is not open", f.PullRequest)
		}
		return undecided(reviewUnread, "the listing of open pull requests lacks %d", f.PullRequest)
	}
	switch {
	case pr.State != "open" || pr.Merged:
		return nothing(reviewClosed, "pull request %d is not open", pr.Number)
	case !IsSHA(pr.HeadSHA) || pr.BaseRepoID <= 0 || pr.BaseRef == "" || pr.HeadRef == "":
		return undecided(reviewUnread, "the record of pull request %d lacks an id or a branch", pr.Number)
	case pr.BaseRepoID != f.ID:
		return undecided(reviewUnread, "pull request %d is recorded in another repository", pr.Number)
	case pr.HeadRepoID <= 0 || pr.HeadRepoID != pr.BaseRepoID:
		return nothing(reviewFork, "pull request %d comes from a fork", pr.Number)
	case pr.BaseRef != p.Branches.Default || pr.DefaultBranch != p.Branches.Default:
		return nothing(reviewBase, "pull request %d does not go to the default branch", pr.Number)
	}
	if s := need(reviewUnread, "the pull requests of the head commit", f.ByCommit); s != nil {
		return s
	}
	for _, other := range slices.Concat(f.Open.Value, f.ByCommit.Value) {
		if other.HeadSHA == pr.HeadSHA && other.Number != pr.Number && other.State == "open" {
			return nothing(reviewSibling, "pull request %d has the same head as %d", other.Number, pr.Number)
		}
	}
	return nil
}

// reviewRecord compares the last read of the pull request with the first: what was judged is what would merge.
func reviewRecord(f ReviewFacts) *stop {
	if s := need(reviewUnread, "the pull request", f.Pull); s != nil {
		return s
	}
	was, _ := f.Listed()
	is := f.Pull.Value
	switch {
	case is.Number != was.Number || is.BaseRepoID != was.BaseRepoID:
		return undecided(reviewUnread, "the pull request that was read is not %d", was.Number)
	case is.State != "open" || is.Merged:
		return nothing(reviewClosed, "pull request %d is not open", was.Number)
	case is.HeadSHA != was.HeadSHA || is.HeadRef != was.HeadRef || is.HeadRepoID != was.HeadRepoID:
		return undecided(reviewMoved, "the head of pull request %d moved while it was judged", was.Number)
	case is.BaseRef != was.BaseRef || is.DefaultBranch != was.DefaultBranch:
		return undecided(reviewMoved, "the base of pull request %d changed while it was judged", was.Number)
	case f.Timeline.Value.Comments < is.Comments:
		return undecided(reviewUnread, "the timeline has %d comments and the record of pull request %d counts %d", f.Timeline.Value.Comments, is.Number, is.Comments)
	case is.Commits >= MaxCommits:
		return nothing(reviewMany, "pull request %d has %d commits, and at most %d can be listed with certainty", is.Number, is.Commits, MaxCommits-1)
	}
	return wholeCommits(reviewCommits, f.Commits.Value, is)
}

// reviewHistory demands the sources in which a robot would show.
func reviewHistory(f ReviewFacts) *stop {
	if s := need(reviewUnread, "the pull request's commits", f.Commits); s != nil {
		return s
	}
	for _, c := range f.Commits.Value {
		if c.AuthorName == "" || c.AuthorEmail == "" || c.Committer == "" || c.CommitterMail == "" {
			return undecided(reviewCommits, "a commit lacks the name or address of its author or committer")
		}
	}
	if s := need(reviewUnread, "the branch's activity", f.Activity); s != nil {
		return s
	}
	for _, a := range f.Activity.Value {
		if a.ID <= 0 || !IsSHA(a.Before) || !IsSHA(a.After) || !f.Clock.records(a.At) {
			return undecided(reviewUnread, "an activity of the branch lacks its id, commit or time")
		}
	}
	if s := f.wholeActivity(); s != nil {
		return s
	}
	return first(
		func() *stop { return need(reviewUnread, "the label events", f.Events) },
		func() *stop { return need(reviewUnread, "the labels", f.Labels) },
		func() *stop { return need(reviewUnread, "the pull request's timeline", f.Timeline) },
	)
}

// wholeActivity demands the branch's whole history in one unbroken chain: its newest change made the head, each began at what
// the one before it left, and the first of all made the branch. A listing that lacks an entry may lack the robot's push.
func (f ReviewFacts) wholeActivity() *stop {
	list := slices.SortedFunc(slices.Values(f.Activity.Value), func(a, b Activity) int {
		return cmp.Or(b.At.Compare(a.At), cmp.Compare(b.ID, a.ID))
	})
	if len(list) == 0 {
		return undecided(reviewClockless, "GitHub lists no change of the branch, not even its creation")
	}
	pr, _ := f.Listed()
	left := pr.HeadSHA
	for i, a := range list {
		switch {
		case a.After != left && i == 0:
			return undecided(reviewClockless, "the last recorded change of the branch is not its head")
		case a.After != left:
			return undecided(reviewClockless, "between two recorded changes of the branch one is missing")
		}
		left = a.Before
	}
	if left != noCommit {
		return undecided(reviewClockless, "the first recorded change of the branch is not its creation")
	}
	return nil
}

// marked reports whether a robot was ever seen on the pull request. A commit can be squashed or pushed away;
// GitHub's record of the push and our comment remain, and one of them is enough for good.
func (f ReviewFacts) marked(p policy.Policy) bool {
	for _, c := range f.Commits.Value {
		if IsRobot(c, p) {
			return true
		}
	}
	for _, a := range f.Activity.Value {
		if a.ActorID <= 0 || robotID(a.ActorID, p) {
			return true // an account that GitHub does not name may have been any
		}
	}
	return len(f.Timeline.Value.SelfComments) > 0
}

// list renders what was seen.
func (f ReviewFacts) list(p policy.Policy) []Fact {
	fs := facts{}
	add(&fs, "default branch's policy", f.Policy, func(r PolicyRecord) string { return "sha256:" + r.SHA256 })
	add(&fs, "pending posted", f.Pending, func(r Posted) string { return strconv.FormatInt(r.ID, 10) + " on " + r.Commit })
	add(&fs, "open pull requests", f.Open, count)
	add(&fs, "labels", f.Labels, count)
	add(&fs, "label events", f.Events, count)
	add(&fs, "commits", f.Commits, count)
	add(&fs, "robot commits", f.Commits, func(cs []Commit) string {
		n := 0
		for _, c := range cs {
			if IsRobot(c, p) {
				n++
			}
		}
		return strconv.Itoa(n)
	})
	add(&fs, "changes of the branch", f.Activity, count)
	add(&fs, "statuses on the head", f.Statuses, count)
	add(&fs, "forged review statuses", f.Statuses, func(ss []Status) string {
		return strconv.Itoa(forged(ss, f.owner(), p))
	})
	add(&fs, "comments of self-fix", f.Timeline, func(t Timeline) string { return count(t.SelfComments) })
	add(&fs, "pull request", f.Pull, func(r PullRequest) string { return strconv.Itoa(r.Number) + " " + state(r.State) })
	add(&fs, "head", f.Pull, func(r PullRequest) string {
		if !IsSHA(r.HeadSHA) {
			return "unreadable"
		}
		return r.HeadSHA
	})
	return fs
}
