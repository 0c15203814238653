package gates

import "time"

// Facts is everything that the four gates look at, read once per evaluation. A field that was not
// seen makes the verdict undecided; no rule ever compares an unseen value.
type Facts struct {
	Event      Event
	Run        Run
	Clock      Clock
	Policy     Read[PolicyRecord]  // the default branch's copy; unread only in a sandbox
	Pin        Read[ReviewPin]     // how the default branch requires the review status
	Statuses   Read[[]Status]      // of the event's commit, complete
	ByCommit   Read[[]PullRequest] // what GitHub lists for the commit, complete
	Open       Read[[]PullRequest] // every open pull request, complete
	Pull       Read[PullRequest]   // the one, read afresh
	Head       Read[string]        // the commit that the head branch's ref names
	Runs       Read[[]WorkflowRun] // of our workflow, back to the cutoff, over two passes, with jobs where they may count
	Commits    Read[[]Commit]      // of the pull request, complete
	Comments   Read[Comments]      // complete: ours are attempts that the listing of runs may lack
	Deployment Read[Deployment]    // the newest preview deployment of the tested commit
}

// Comments counts the comments of a pull request.
type Comments struct {
	All int // fewer than the pull request's record counts: the listing was cut. One that came since makes more
	Own int // of self-fix
}

// Clock is GitHub's clock over one evaluation: the oldest and the newest Date header. The day of the
// daily limit begins at the midnight before First, so an evaluation that spans midnight counts both days.
type Clock struct{ First, Last time.Time }

// Event is the webhook payload of this run: a prefilter, never proof.
type Event struct {
	Name          string
	StatusID      int64
	SHA           string
	Context       string
	State         string
	SenderID      int64
	Repository    string // owner/name
	RepositoryID  int64
	DefaultBranch string
}

// Run is this workflow run, from the runner's environment.
type Run struct {
	ID      int64
	Attempt int    // 0: absent, or not a plain decimal number
	Job     string // "gate", "fix", "push"; a fact for people, no rule depends on it
}

// PolicyRecord is the policy file at the head of the default branch.
type PolicyRecord struct {
	Commit string
	SHA256 string
}

// Status is one commit status with its creator.
type Status struct {
	ID        int64
	Context   string
	State     string
	CreatorID int64 // 0: GitHub sent none
	CreatedAt time.Time
}

// PullRequest is GitHub's record of a pull request. Lists carry no Commits and no Comments.
type PullRequest struct {
	Number        int
	State         string
	Merged        bool
	AuthorID      int64
	Author        string
	AuthorType    string
	HeadRef       string
	HeadSHA       string
	HeadRepoID    int64 // 0: the fork was deleted
	BaseRef       string
	BaseRepoID    int64
	DefaultBranch string // of the base repository, as GitHub records it
	Labels        []string
	CreatedAt     time.Time
	Commits       int
	Comments      int
}

// WorkflowRun is a run of our workflow. Jobs holds all attempts' jobs, complete, if JobsRead; a run whose
// jobs cannot matter is listed without them.
type WorkflowRun struct {
	ID         int64
	Number     int // counts up by one within the workflow
	Attempt    int
	Event      string
	HeadBranch string
	Title      string // the run-name; parsed strictly, never shown
	Status     string
	Conclusion string
	CreatedAt  time.Time
	UpdatedAt  time.Time
	Jobs       []Job
	JobsRead   bool
}

// Job is one job of a run.
type Job struct {
	ID         int64
	RunAttempt int
	Name       string
	Status     string
	Conclusion string
	StartedAt  time.Time // zero: GitHub sent none
}

// Commit is a commit with its raw identities.
type Commit struct {
	SHA           string
	Tree          string
	Parents       []string
	AuthorID      int64 // 0: unlinked
	AuthorName    string
	AuthorEmail   string
	AuthorDate    time.Time
	CommitterID   int64 // 0: unlinked
	Committer     string
	CommitterMail string
	CommitterDate time.Time
	Message       string // compared, never passed on
}

// Deployment is GitHub's record of a preview, with the URL of its newest state.
type Deployment struct {
	ID          int64
	SHA         string
	Environment string
	State       string // of the newest deployment status
	URL         string // environment_url of that status
	CreatedAt   time.Time
}

// ReviewPin says how the default branch's rules require the review status: one element for each
// rule that requires it, the id of the app that it is pinned to, 0 where any may post it.
type ReviewPin struct {
	Apps []int64
}
