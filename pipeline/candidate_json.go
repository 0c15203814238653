package pipeline

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"selffix/internal/lazyregexp"
	"selffix/internal/strictjson"
)

// ErrCandidate marks a candidate that is not read, or not written.
var ErrCandidate = errors.New("bad candidate")

// maxChanged bounds Candidate.Changed: no policy lets a patch change more lines than this.
const maxChanged = 10_000

var (
	objectID = lazyregexp.New(`^[0-9a-f]{40}$`)
	sha256ID = lazyregexp.New(`^[0-9a-f]{64}$`)
)

// WriteCandidate returns the candidate as JSON. It refuses what ReadCandidate would refuse.
func WriteCandidate(c Candidate) ([]byte, error) {
	c.Changed = append([]Entry{}, c.Changed...)
	c.Check.Rules = append([]string{}, c.Check.Rules...)
	if err := c.valid(); err != nil {
		return nil, err
	}
	text, err := json.MarshalIndent(c, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrCandidate, err)
	}
	text = append(text, '\n')
	if len(text) > MaxCandidateBytes {
		return nil, fmt.Errorf("%w: %d bytes, the limit is %d", ErrCandidate, len(text), MaxCandidateBytes)
	}
	return text, nil
}

// ReadCandidate reads one candidate: at most MaxCandidateBytes, no unknown, duplicate or missing key,
// every id in its one form. What it says is still no more than a claim.
func ReadCandidate(text []byte) (Candidate, error) {
	if len(text) > MaxCandidateBytes {
		return Candidate{}, fmt.Errorf("%w: %d bytes, the limit is %d", ErrCandidate, len(text), MaxCandidateBytes)
	}
	var c Candidate
	if err := strictjson.Unmarshal(text, &c); err != nil {
		return Candidate{}, fmt.Errorf("%w: %w", ErrCandidate, err)
	}
	if err := c.valid(); err != nil {
		return Candidate{}, err
	}
	return c, nil
}

func (c Candidate) valid() error {
	bad := func(field, want string) error {
		return fmt.Errorf("%w: %s: want %s", ErrCandidate, field, want)
	}
	switch {
	case c.Schema != CandidateSchema:
		return bad("schema", CandidateSchema)
	case c.RepositoryID < 0 || c.PullRequest < 0 || c.RunID < 0 || c.PatchBytes <= 0:
		return bad("an id or the size of the patch", "no negative number, and a patch")
	case !objectID.MatchString(c.TestedCommit), !objectID.MatchString(c.TestedTree), !objectID.MatchString(c.ScrubbedTree), !objectID.MatchString(c.ResultTree):
		return bad("tested_commit, tested_tree, scrubbed_tree or result_tree", "40 hexadecimal digits in lower case")
	case !sha256ID.MatchString(c.PolicySHA256), !sha256ID.MatchString(c.PatchSHA256):
		return bad("policy_sha256 or patch_sha256", "64 hexadecimal digits in lower case")
	case c.ResultTree == c.TestedTree:
		return bad("result_tree", "a tree that differs from the tested one")
	case c.ClaimedTurns < 0 || c.ClaimedCostUSD < 0 || math.IsInf(c.ClaimedCostUSD, 0) || math.IsNaN(c.ClaimedCostUSD):
		return bad("claimed_turns or claimed_cost_usd", "a number that is not negative")
	case !printable(c.ClaimedSelfTest) || !printable(c.ClaimedEvidence):
		return bad("claimed_self_test or claimed_evidence", "at most 200 printable ASCII characters")
	}
	if err := errors.Join(c.Before.valid("before"), c.After.valid("after"), c.Check.valid()); err != nil {
		return err
	}
	return validEntries(c.Changed)
}

func (i Inventory) valid(name string) error {
	if !sha256ID.MatchString(i.SHA256) || i.Files < 0 || i.Bytes < 0 {
		return fmt.Errorf("%w: %s: want a sha256 and two numbers that are not negative", ErrCandidate, name)
	}
	return nil
}

// valid: a candidate exists only for an accepted patch, which has no findings.
func (c Check) valid() error {
	if c.Verdict != "accept" || len(c.Rules) != 0 {
		return fmt.Errorf("%w: check: want an accepted patch without findings", ErrCandidate)
	}
	return nil
}

func validEntries(entries []Entry) error {
	if len(entries) == 0 || len(entries) > maxChanged {
		return fmt.Errorf("%w: changed: want 1 to %d entries, met %d", ErrCandidate, maxChanged, len(entries))
	}
	if !slices.IsSortedFunc(entries, func(a, b Entry) int { return strings.Compare(a.Path, b.Path) }) {
		return fmt.Errorf("%w: changed: want entries sorted by path", ErrCandidate)
	}
	for i, e := range entries {
		switch {
		case e.Path == "" || len(e.Path) > 4096 || (i > 0 && entries[i-1].Path == e.Path):
			return fmt.Errorf("%w: changed: want each path once, of at most 4096 bytes", ErrCandidate)
		case !objectID.MatchString(e.After) || (e.Before != "" && !objectID.MatchString(e.Before)) || e.Before == e.After:
			return fmt.Errorf("%w: changed: entry %d: want two different blob ids, the first empty for a new file", ErrCandidate, i)
		}
	}
	return nil
}

// printable holds the two claims that are text to what a log line can carry.
func printable(s string) bool {
	return len(s) <= 200 && strings.IndexFunc(s, func(r rune) bool { return r < 0x20 || r > 0x7e }) < 0
}
