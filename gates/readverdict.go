package gates

import (
	"bytes"
	"errors"
	"fmt"

	"selffix/internal/lazyregexp"
	"selffix/internal/strictjson"
	"selffix/internal/visible"
)

// ErrVerdict is wrapped by every refusal to read a verdict.
var ErrVerdict = errors.New("not a verdict")

// MaxVerdictBytes bounds a verdict's JSON.
const MaxVerdictBytes = 256 << 10

// The forms that identities have. They are what makes a value fit for a URL, a workflow output or an argument.
var (
	shaForm    = lazyregexp.New(`^[0-9a-f]{40}$`)
	digestForm = lazyregexp.New(`^[0-9a-f]{64}$`)
	repoForm   = lazyregexp.New(`^[A-Za-z0-9](?:[A-Za-z0-9-]{0,38})/[A-Za-z0-9._-]{1,100}$`)
	ruleForm   = lazyregexp.New(`^SF-(GATE|REVIEW)-[0-9]{3}$`)
)

// IsSHA reports whether s is a full lower-case commit id.
func IsSHA(s string) bool { return shaForm.MatchString(s) }

// IsRepository reports whether s is owner/name in GitHub's alphabet, and neither part is a dot path.
func IsRepository(s string) bool {
	return repoForm.MatchString(s) && !dotName.MatchString(s)
}

var dotName = lazyregexp.New(`/\.{1,2}$`)

// JSON is the verdict in the form that ReadVerdict reads, with a line end.
func (v Verdict) JSON() ([]byte, error) {
	if v.Facts == nil {
		v.Facts = []Fact{}
	}
	var b bytes.Buffer
	if err := visible.WriteJSON(&b, v); err != nil {
		return nil, fmt.Errorf("write verdict: %w", err)
	}
	return b.Bytes(), nil
}

// ReadVerdict reads a verdict of the four gates. It refuses unknown, duplicate, missing and null keys,
// values outside their forms, an "act" without a target, and anything else with one.
func ReadVerdict(data []byte) (Verdict, error) {
	if len(data) > MaxVerdictBytes {
		return Verdict{}, fmt.Errorf("%w: expected at most %d bytes, got %d", ErrVerdict, MaxVerdictBytes, len(data))
	}
	var v Verdict
	if err := strictjson.Unmarshal(data, &v); err != nil {
		return Verdict{}, fmt.Errorf("%w: %w", ErrVerdict, err)
	}
	if err := v.check(); err != nil {
		return Verdict{}, fmt.Errorf("%w: %w", ErrVerdict, err)
	}
	return v, nil
}

func (v Verdict) check() error {
	switch {
	case v.Decision != Act && v.Decision != Nothing && v.Decision != Undecided:
		return errors.New("decision is none of act, nothing, undecided")
	case !ruleForm.MatchString(v.Rule):
		return errors.New("rule is not of the form SF-GATE-000")
	case v.Review != nil && v.Target != nil:
		return errors.New("it has both a target and a review")
	case v.Review != nil:
		return v.Review.check()
	case v.Decision == Act && v.Target == nil:
		return errors.New("it says act and names no target")
	case v.Decision != Act && v.Target != nil:
		return errors.New("it names a target and does not say act")
	case v.Target != nil:
		return v.Target.Check()
	}
	return nil
}

// Check refuses a target in which any identity is missing or not of its form.
func (t Target) Check() error {
	switch {
	case t.RepositoryID <= 0 || t.PullRequest <= 0 || t.RunID <= 0:
		return errors.New("target: an id is not positive")
	case t.RunAttempt != 1:
		return errors.New("target: run_attempt is not 1")
	case !IsRepository(t.Repository):
		return errors.New("target: repository is not owner/name")
	case !IsSHA(t.TestedCommit) || t.Evidence.Commit != t.TestedCommit:
		return errors.New("target: tested_commit is not a full commit id, or evidence is for another one")
	case !digestForm.MatchString(t.PolicySHA256):
		return errors.New("target: policy_sha256 is not a sha256")
	case len(t.Ref) <= len(headsPrefix) || t.Ref[:len(headsPrefix)] != headsPrefix || !PlainBranch(t.Ref[len(headsPrefix):]):
		return errors.New("target: ref is not refs/heads/ and a plain branch name")
	case t.Evidence.PreviewURL == "" || t.Evidence.NotBefore.IsZero() || t.Evidence.NotAfter.Before(t.Evidence.NotBefore):
		return errors.New("target: the evidence window is empty")
	}
	return nil
}

func (r Review) check() error {
	if r.RepositoryID <= 0 || len(r.PullRequests) == 0 || !IsSHA(r.Commit) {
		return errors.New("review: an identity is missing")
	}
	for _, n := range r.PullRequests {
		if n <= 0 {
			return errors.New("review: a pull request number is not positive")
		}
	}
	switch r.Status {
	case "none", "pending", "success":
		return nil
	}
	return errors.New("review: status is none of none, pending, success")
}
