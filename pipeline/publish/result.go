package publish

import (
	"encoding/json"
	"fmt"
	"slices"

	"selffix/gates"
	"selffix/internal/lazyregexp"
	"selffix/internal/strictjson"
)

// ResultSchema is the only value of Result.Schema that is read.
const ResultSchema = "self-fix/result/v1"

// The bounds of what recheck hands on.
const (
	MaxResultBytes = 1 << 20
	MaxPackBytes   = 1 << 30
	maxChanged     = 10_000
)

// Result is what recheck computed. Its identities are copies for comparison: the publisher takes its own from
// this job's gates.
type Result struct {
	Schema       string   `json:"schema"`
	Sandbox      bool     `json:"sandbox"`
	RepositoryID int64    `json:"repository_id"`
	PullRequest  int      `json:"pull_request"`
	RunID        int64    `json:"run_id"`
	TestedCommit string   `json:"tested_commit"`
	TestedTree   string   `json:"tested_tree"`
	ResultTree   string   `json:"result_tree"`
	Commit       string   `json:"commit"`
	CommittedAt  int64    `json:"committed_unix"` // seconds since 1970, UTC: author and committer date
	PolicySHA256 string   `json:"policy_sha256"`
	PatchSHA256  string   `json:"patch_sha256"`
	PackSHA256   string   `json:"pack_sha256"`
	PackBytes    int64    `json:"pack_bytes"`
	Changed      []string `json:"changed"` // paths, sorted
}

var sha256Form = lazyregexp.New(`^[0-9a-f]{64}$`)

// pathForm is the alphabet that the checker lets a path have. A name in a comment can so neither leave its code span
// nor mention anybody.
var pathForm = lazyregexp.New(`^[A-Za-z0-9._()\[\]@+=, /-]+$`)

// WriteResult returns the result as JSON. It refuses what ReadResult would refuse.
func WriteResult(r Result) ([]byte, error) {
	if err := r.valid(); err != nil {
		return nil, err
	}
	text, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return nil, fail(ruleResult, err, "result.json")
	}
	return append(text, '\n'), nil
}

// ReadResult reads one result: no unknown, duplicate or missing key, every field of its one form.
func ReadResult(text []byte) (Result, error) {
	if len(text) > MaxResultBytes {
		return Result{}, fail(ruleResult, nil, "result.json has %d bytes, at most %d are read", len(text), MaxResultBytes)
	}
	var r Result
	if err := strictjson.Unmarshal(text, &r); err != nil {
		return Result{}, fail(ruleResult, err, "result.json")
	}
	return r, r.valid()
}

func (r Result) valid() error {
	bad := func(what string) error { return fail(ruleResult, nil, "result.json: want %s", what) }
	switch {
	case r.Schema != ResultSchema:
		return bad("schema " + ResultSchema)
	case r.RepositoryID < 0 || r.PullRequest < 0 || r.RunID < 0 || r.CommittedAt <= 0:
		return bad("no negative id and a time")
	case !gates.IsSHA(r.TestedCommit) || !gates.IsSHA(r.TestedTree) || !gates.IsSHA(r.ResultTree) || !gates.IsSHA(r.Commit):
		return bad("full ids of 40 hexadecimal digits")
	case r.ResultTree == r.TestedTree:
		return bad("a tree that differs from the tested one")
	case !sha256Form.MatchString(r.PolicySHA256) || !sha256Form.MatchString(r.PatchSHA256) || !sha256Form.MatchString(r.PackSHA256):
		return bad("hashes of 64 hexadecimal digits")
	case r.PackBytes <= 0 || r.PackBytes > MaxPackBytes:
		return bad(fmt.Sprintf("a pack of 1 to %d bytes", MaxPackBytes))
	case len(r.Changed) == 0 || len(r.Changed) > maxChanged || !slices.IsSorted(r.Changed) || len(slices.Compact(slices.Clone(r.Changed))) != len(r.Changed):
		return bad(fmt.Sprintf("1 to %d changed paths, sorted, each once", maxChanged))
	}
	for _, p := range r.Changed {
		if len(p) > 4096 || !pathForm.MatchString(p) {
			return bad("paths of the checker's alphabet")
		}
	}
	return nil
}
