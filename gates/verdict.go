package gates

import "time"

// Decision is the answer of a gate. The zero value is not an answer: it reads as Undecided.
type Decision string

// The answers. Only Act lets the loop go on, or the review status become success.
const (
	Act       Decision = "act"
	Nothing   Decision = "nothing"
	Undecided Decision = "undecided"
)

// ExitCode is the process exit code of a decision: 0 act, 1 nothing, 2 could not decide.
func (d Decision) ExitCode() int {
	switch d {
	case Act:
		return 0
	case Nothing:
		return 1
	}
	return 2
}

// Read is a value that came, or did not come, from a request. The zero value was not read.
type Read[T any] struct {
	Value T
	Seen  bool
	Route string    // "GET /repos/o/r/pulls/7", free of secrets and branch names
	At    time.Time // the Date header of the answer: GitHub's clock
	Why   string    // of an unseen value: what was wrong with the answer, in static words
}

// Fact is one value that a verdict rests on, as text for people and records.
type Fact struct {
	Name  string    `json:"name"`
	Value string    `json:"value"`
	Route string    `json:"route"`
	At    time.Time `json:"at"`
}

// Verdict is a gate's answer with its reason and what it rests on. Every text in it is static or
// made of numbers, ids, enumerations and hashes: never a title or a message. The one name that others
// choose is Target.Ref, held to a narrow alphabet and left out of [Verdict.Text].
type Verdict struct {
	Decision Decision `json:"decision"`
	Rule     string   `json:"rule"` // the id of the rule that decided, such as SF-GATE-030
	Reason   string   `json:"reason"`
	Facts    []Fact   `json:"facts"`
	// Target is what an "act" of the four gates is about; nil otherwise.
	Target *Target `json:"target,omitempty"`
	// Review is what the review gate judged and posted; nil for the four gates.
	Review *Review `json:"review,omitempty"`
}

// Target is the identity of a repair. It comes from this run's event and this job's gates alone.
type Target struct {
	RepositoryID int64          `json:"repository_id"`
	Repository   string         `json:"repository"` // owner/name, held to [A-Za-z0-9._-]
	PullRequest  int            `json:"pull_request"`
	Ref          string         `json:"ref"` // refs/heads/…, only ever one argument of git, after --
	TestedCommit string         `json:"tested_commit"`
	PolicySHA256 string         `json:"policy_sha256"`
	RunID        int64          `json:"run_id"`
	RunAttempt   int            `json:"run_attempt"` // always 1
	Evidence     EvidenceWindow `json:"evidence"`
}

// EvidenceWindow says which report of the test bot counts: one that targeted this preview and
// started within [NotBefore, NotAfter]. A zero time or an empty URL accepts nothing.
type EvidenceWindow struct {
	Commit     string `json:"commit"`      // the tested commit
	PreviewURL string `json:"preview_url"` // of GitHub's deployment record for that commit
	// NotBefore is the latest of: the commit's time, the deployment's created_at, and the failing
	// status minus the policy's window. The first alone is author-controlled, hence the others.
	NotBefore time.Time `json:"not_before"`
	NotAfter  time.Time `json:"not_after"` // created_at of the failing status
}

// Holds reports whether a run of the bot against target that started at start counts.
func (w EvidenceWindow) Holds(target string, start time.Time) bool {
	if w.PreviewURL == "" || w.NotBefore.IsZero() || w.NotAfter.IsZero() || start.IsZero() {
		return false
	}
	return target == w.PreviewURL && !start.Before(w.NotBefore) && !start.After(w.NotAfter)
}

// Review is what the review gate judged: the commit that carries the status, and its pull requests.
type Review struct {
	RepositoryID int64  `json:"repository_id"`
	PullRequests []int  `json:"pull_requests"` // one, or each of a merge group
	Commit       string `json:"commit"`        // the head, or the merge group's commit
	Status       string `json:"status"`        // the newest state that this run posted: "none", "pending", "success"
}
