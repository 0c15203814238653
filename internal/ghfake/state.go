package ghfake

import "time"

// state is everything that GitHub remembers beside git objects. It is plain data, so that a checkpoint is a
// copy (copy.go), and an older copy can answer as a lagging replica would.
type state struct {
	LastID int64
	Users  map[int64]User
	Repos  []*repoState
}

type repoState struct {
	ID            int64
	Owner, Name   string
	OldNames      []string // "owner/name" that answers 301 now
	DefaultBranch string
	Private       bool
	CreatedAt     time.Time
	Refs          map[string]string // full name to object id, as git has them
	LastNumber    int
	Pulls         []*Pull
	Statuses      []Status
	Labels        []Label
	Activity      []Activity
	Runs          []*Run
	Deployments   []*Deployment
	Rules         []Rule
	Protection    map[string]Protection // by branch
	Environments  []Environment
	Workflows     []Workflow
	Secrets       []string // names of repository-level secrets
	Collaborators []Collaborator

	WorkflowDefaults WorkflowDefaults

	PullLag int // reads of a pull request that still show its head before the last push; below 0: all
}

// Status is a commit status. GitHub compares contexts without regard to case.
type Status struct {
	ID                   int64
	SHA, Context, State  string
	Description, Target  string
	Creator              User
	AppID                int64 // the app that a required check may be pinned to; 0: none
	CreatedAt, UpdatedAt time.Time
}

// Label is a label of a repository.
type Label struct {
	ID          int64
	Name, Color string
}

// Pull is GitHub's record of a pull request. HeadSHA is what the record says, which may lag the ref.
type Pull struct {
	ID          int64
	Number      int
	Title, Body string
	State       string // "open" or "closed"
	Draft       bool
	Merged      bool
	MergedAt    time.Time
	ClosedAt    time.Time
	MergeCommit string
	Author      User
	HeadRef     string
	HeadSHA     string
	OldHeadSHA  string // before the last push: what a lagging record shows
	HeadRepoID  int64  // 0: the fork was deleted
	HeadRepo    string // owner/name
	BaseRef     string
	CreatedAt   time.Time
	UpdatedAt   time.Time
	Labels      []int64 // ids of the repository's labels
	Events      []IssueEvent
	Comments    []Comment
}

// IssueEvent is one record of an issue's history.
type IssueEvent struct {
	ID        int64
	Event     string
	Actor     User
	Label     string // "": the record names none, as after a label was deleted
	Color     string
	CommitID  string
	Before    string // of a force push
	AppID     int64  // the app that acted for the actor; 0: none
	CreatedAt time.Time
}

// Comment is a comment on a pull request.
type Comment struct {
	ID        int64
	Author    User
	Body      string
	AppID     int64
	CreatedAt time.Time
}

// Activity is one record of a ref's movements, with the server's clock.
type Activity struct {
	ID                       int64
	Before, After, Ref, Type string
	Actor                    User
	Timestamp                time.Time
}

// Run is a workflow run. Jobs holds the jobs of all attempts.
type Run struct {
	ID           int64
	Number       int
	Attempt      int // 0 is rendered as 1
	Path         string
	Event        string
	HeadBranch   string
	HeadSHA      string
	Title        string
	Status       string
	Conclusion   string // "": null
	Actor        User
	CreatedAt    time.Time
	StartedAt    time.Time // of the latest attempt; zero: CreatedAt
	PullRequests []int     // numbers; usually none for runs of a status event
	Jobs         []Job
}

// Job is one job of one attempt. GitHub gives started_at to jobs that never started: a zero StartedAt is
// rendered as CreatedAt.
type Job struct {
	ID          int64
	Attempt     int // 0 is rendered as 1
	Name        string
	Status      string
	Conclusion  string // "": null
	CreatedAt   time.Time
	StartedAt   time.Time
	CompletedAt time.Time
	Runner      string // "": no runner took it
}

// Deployment is a deployment with its statuses, oldest first.
type Deployment struct {
	ID          int64
	SHA, Ref    string
	Environment string
	Creator     User
	AppID       int64
	CreatedAt   time.Time
	Statuses    []DeploymentStatus
}

// DeploymentStatus is one state of a deployment.
type DeploymentStatus struct {
	ID             int64
	State          string
	EnvironmentURL string
	Creator        User
	CreatedAt      time.Time
}

// Rule requires status checks on a branch, or a pull request if Review is set, as a repository ruleset does.
type Rule struct {
	Branch string
	Checks []RequiredCheck
	Review string // "required"
	Owners string // "code owners": one of them must review
	Queue  string // "required": merges go through a queue
}

// RequiredCheck is a required context. AppID 0 leaves its producer open; -1 says "any" in as many words.
type RequiredCheck struct {
	Context string
	AppID   int64
}

// Protection is the classic protection of a branch.
type Protection struct {
	Checks        []RequiredCheck
	RefusePush    string // "refuse": a direct push is declined by the pre-receive hook
	EnforceAdmins string // "enforce": administrators are held too
	Owners        string // "code owners": one of them must review
}

// Environment is a deployment environment. Policy is "" (none), "protected" or "custom", with Branches as its patterns.
type Environment struct {
	ID       int64
	Name     string
	Policy   string
	Branches []string
	Secrets  []string

	Variables []string // names
}

// Workflow is a workflow file.
type Workflow struct {
	ID         int64
	Name, Path string
	LastRun    int // number of the newest run; GitHub never gives one twice
}

func (s *state) nextID() int64 {
	s.LastID++
	return s.LastID
}

func (s *state) repoByID(id int64) *repoState {
	for _, r := range s.Repos {
		if r.ID == id {
			return r
		}
	}
	return nil
}

func (r *repoState) fullName() string { return r.Owner + "/" + r.Name }

func (r *repoState) pull(number int) *Pull {
	for _, p := range r.Pulls {
		if p.Number == number {
			return p
		}
	}
	return nil
}

func (r *repoState) run(id int64) *Run {
	for _, run := range r.Runs {
		if run.ID == id {
			return run
		}
	}
	return nil
}
