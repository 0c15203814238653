package gates

import "time"

// Facts is everything that the four gates look at, read once per evaluation. A field that was not
// seen makes the verdict undecided; no rule ever compares an unseen value.
type Facts struct {
	Event      Event
	Run        Run
	Now        time.Time // GitHub's clock: the newest Date header of this evaluation
	Repository Read[Repository]
	Statuses   Read[[]Status]      // of the event's commit, complete
	Pulls      Read[[]PullRequest] // open pull requests with that head, from every source
	Pull       Read[PullRequest]   // the one, read afresh
	Head       Read[string]        // the commit that the head branch's ref names
	Runs       Read[[]WorkflowRun] // of our workflow, back to the cutoff, with jobs where they may count
	Robots     Read[int]           // robot commits and comments on the pull request: attempts that a listing may lack
	Commit     Read[Commit]        // the tested commit
	Deployment Read[Deployment]    // the newest preview deployment of the tested commit
	Rules      Read[ReviewPin]     // how the default branch requires the review status
}

// Event is the webhook payload of this run: a prefilter, never proof.
type Event struct {
	Name         string
	StatusID     int64
	SHA          string
	Context      string
	State        string
	SenderID     int64
	RepositoryID int64
}

// Run is this workflow run, from the runner's environment.
type Run struct {
	ID      int64
	Attempt int
	Job     string
}

// Repository is GitHub's record of the repository.
type Repository struct {
	ID            int64
	FullName      string
	DefaultBranch string
	Private       bool
}

// Status is one commit status with its creator.
type Status struct {
	ID        int64
	Context   string
	State     string
	CreatorID int64 // 0: GitHub sent none
	CreatedAt time.Time
}

// PullRequest is GitHub's record of a pull request.
type PullRequest struct {
	Number     int
	State      string
	Merged     bool
	AuthorID   int64
	Author     string
	AuthorType string
	HeadRef    string
	HeadSHA    string
	HeadRepoID int64 // 0: the fork was deleted
	BaseRef    string
	BaseRepoID int64
	CreatedAt  time.Time
	Commits    int
}

// WorkflowRun is a run of our workflow. Jobs holds all attempts' jobs, complete, unless Skipped.
type WorkflowRun struct {
	ID         int64
	Attempt    int
	Event      string
	HeadBranch string
	Status     string
	Conclusion string
	CreatedAt  time.Time
	Jobs       []Job
}

// Job is one job of a run.
type Job struct {
	ID         int64
	RunAttempt int
	Name       string
	Status     string
	Conclusion string
	StartedAt  time.Time
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
	CommitterID   int64
	Committer     string
	CommitterMail string
	CommitterDate time.Time
	Message       string // compared, never passed on
}

// Deployment is GitHub's record of a preview.
type Deployment struct {
	ID          int64
	SHA         string
	Environment string
	URL         string
	CreatedAt   time.Time
}

// ReviewPin says how the default branch's rules require the review status.
type ReviewPin struct {
	Required bool
	AppIDs   []int64 // the integration of each rule that requires it; empty: any
}
