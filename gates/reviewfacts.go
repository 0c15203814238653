package gates

import "time"

// MaxReviewStatuses is how many review statuses may stand on a commit that gets another success. GitHub
// refuses the 1,001st of a context, so near the limit a success could not be taken back any more.
const MaxReviewStatuses = 900

// ReviewFacts is everything that the review gate looks at for one pull request. Reads are listed in the order in
// which they are made: the listing of pull requests and the label's events come first, the timeline and the
// pull request's own record last, so that what changed in between shows as a disagreement.
type ReviewFacts struct {
	Repository  string // owner/name
	ID          int64  // of the repository, from the event
	PullRequest int
	Group       bool // judged as part of a merge group: no status is posted on its head
	Clock       Clock
	Policy      Read[PolicyRecord]
	Pending     Read[Posted]        // the pending that this run posted on the head
	Open        Read[[]PullRequest] // every open pull request, complete
	ByCommit    Read[[]PullRequest] // what GitHub lists for the head, complete
	Labels      Read[[]string]      // of the pull request, complete
	Events      Read[[]LabelEvent]  // its labeled and unlabeled events, complete
	Commits     Read[[]Commit]      // complete
	Activity    Read[[]Activity]    // of the head branch, complete
	Statuses    Read[[]Status]      // of the head, complete
	Settled     Read[[]Status]      // of Settled(commits, …), if activity does not tell when it arrived: it came below a newer head
	Timeline    Read[Timeline]      // complete
	Pull        Read[PullRequest]   // last
}

// Posted is a status that this run posted: what GitHub answered. Who its creator is, is taken from the
// listing of statuses, by the id.
type Posted struct {
	ID     int64
	Commit string
}

// LabelEvent is one labeled or unlabeled event.
type LabelEvent struct {
	ID        int64
	Labeled   bool   // false: unlabeled
	Label     string // "": GitHub sent none, as when the label itself was deleted
	ActorID   int64  // 0: GitHub sent none
	ActorType string
	ByApp     bool // performed through a GitHub App on the actor's behalf
	At        time.Time
}

// Timeline is the part of a pull request's timeline that matters.
type Timeline struct {
	Comments     int // all that it holds, whoever wrote them: fewer than the pull request's record counts is a cut listing
	Labels       []LabelEvent
	ForcePushes  []time.Time // and restored branches: the head came anew
	SelfComments []time.Time // comments of self-fix
}

// noCommit stands where a branch did not exist before a change, or does not after it.
const noCommit = "0000000000000000000000000000000000000000"

// Activity is one change of a branch, by GitHub's clock.
type Activity struct {
	ID      int64
	Before  string // forty zeros: the change made the branch
	After   string
	ActorID int64 // 0: GitHub sent none
	At      time.Time
}

// ReviewEvent is the webhook payload of the review gate's run.
type ReviewEvent struct {
	Name          string // "pull_request_target" or "merge_group"
	Repository    string // owner/name
	RepositoryID  int64
	DefaultBranch string
	PullRequest   int    // of pull_request_target
	Head          string // its head when the event was made, or the merge group's commit
	GroupRef      string // of merge_group: refs/heads/gh-readonly-queue/…
	GroupBase     string // the commit that the group is built on
	GroupBaseRef  string // refs/heads/…, the branch that it merges into
}
