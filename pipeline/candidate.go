package pipeline

// Inventory is what a tree held: the sha256 of its sorted `git ls-tree -rz` listing, in lower-case
// hex, its number of files and their bytes.
type Inventory struct {
	SHA256 string `json:"sha256"`
	Files  int    `json:"files"`
	Bytes  int64  `json:"bytes"`
}

// Entry is one path at which the result differs from the tested tree. Blob ids are full; Before is
// "" for a new file.
type Entry struct {
	Path   string `json:"path"`
	Before string `json:"before"`
	After  string `json:"after"`
}

// CandidateSchema is the only value of Candidate.Schema that is read.
const CandidateSchema = "self-fix/candidate/v1"

// MaxCandidateBytes bounds candidate.json.
const MaxCandidateBytes = 1 << 20

// Candidate is what the untrusted steps hand to the publisher, beside the patch. The publisher
// recomputes every field but the claimed ones and compares; it takes nothing from here: identity
// (repository, pull request, ref, tested commit, policy, run) comes from its own event and gates.
type Candidate struct {
	Schema       string    `json:"schema"`
	Sandbox      bool      `json:"sandbox"` // made in a sandbox: a push outside it refuses
	RepositoryID int64     `json:"repository_id"`
	PullRequest  int       `json:"pull_request"`
	RunID        int64     `json:"run_id"`
	TestedCommit string    `json:"tested_commit"`
	TestedTree   string    `json:"tested_tree"`
	ScrubbedTree string    `json:"scrubbed_tree"` // what the agent saw: instruction files removed
	PolicySHA256 string    `json:"policy_sha256"`
	PatchSHA256  string    `json:"patch_sha256"`
	PatchBytes   int64     `json:"patch_bytes"`
	ResultTree   string    `json:"result_tree"` // the tested tree plus the patch
	Before       Inventory `json:"before"`
	After        Inventory `json:"after"`
	Changed      []Entry   `json:"changed"`
	Check        Check     `json:"check"`
	// What nobody can recompute. It decides nothing.
	ClaimedTurns    int     `json:"claimed_turns"`
	ClaimedCostUSD  float64 `json:"claimed_cost_usd"`
	ClaimedSelfTest string  `json:"claimed_self_test"`
	ClaimedEvidence string  `json:"claimed_evidence"`
}

// Check is the checker's verdict inside a candidate: the publisher's own must be the same.
type Check struct {
	Verdict string   `json:"verdict"`
	Rules   []string `json:"rules"` // ids of the findings, sorted, each once
}
