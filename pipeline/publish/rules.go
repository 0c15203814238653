package publish

import (
	"errors"
	"fmt"

	"selffix/gates"
	"selffix/pipeline"
)

// The reasons for which nothing is pushed, or it is not known what was. Each wraps into an *Error with a rule's id.
const (
	rulePushed    = "SF-PUSH-000"
	ruleCandidate = "SF-PUSH-001"
	rulePolicy    = "SF-PUSH-002"
	ruleSandbox   = "SF-PUSH-003"
	ruleTested    = "SF-PUSH-004"
	ruleCheck     = "SF-PUSH-005"
	ruleDiffers   = "SF-PUSH-006"
	ruleIdentity  = "SF-PUSH-007"
	ruleResult    = "SF-PUSH-008"
	rulePack      = "SF-PUSH-009"
	ruleRobot     = "SF-PUSH-010"
	ruleRefused   = "SF-PUSH-011"
	ruleUnknown   = "SF-PUSH-012"
	ruleRemote    = "SF-PUSH-013"
	rulePending   = "SF-PUSH-014"
	ruleComment   = "SF-PUSH-015"
	ruleDryRun    = "SF-PUSH-016"
)

// Rules describes every rule of the publisher, for "self-fix explain".
func Rules() []gates.RuleDoc {
	return []gates.RuleDoc{
		{ID: rulePushed, Title: "the commit was pushed", Why: "The branch names the new commit, its tree is the rechecked one, the review status waits and the comment stands."},
		{ID: ruleCandidate, Title: "candidate and patch are of their form", Why: "They come from steps that a model steered: at most one MiB of strict JSON and one patch whose hash it names. Anything else is not read."},
		{ID: rulePolicy, Title: "the policy is the one that the candidate was made under", Why: "A changed policy stops what is under way. That is how a maintainer switches self-fix off in the middle of a run."},
		{ID: ruleSandbox, Title: "a candidate of a sandbox stays in it", Why: "What was made against fakes on loopback proves nothing about a real repository."},
		{ID: ruleTested, Title: "the tested commit is there, with the tree that the candidate names", Why: "The result rests on exactly the commit that the bot tested; every object is hashed again."},
		{ID: ruleCheck, Title: "the checker accepts the patch, a second time", Why: "The first verdict was given on a machine on which an agent had run. Only this one counts."},
		{ID: ruleDiffers, Title: "everything recomputed is what the candidate says", Why: "A difference means that a file was forged or exchanged on the way, or that the two machines read it differently. Either is a reason to stop."},
		{ID: ruleIdentity, Title: "the result is for this run, this pull request and this commit", Why: "A forged or replayed result would name another pull request of the maintainer's, for which the gates hold too."},
		{ID: ruleResult, Title: "the result is of its form", Why: "It crosses from one machine to another: strict JSON of typed fields, or nothing."},
		{ID: rulePack, Title: "the pack holds exactly the commit that the result describes", Why: "git index-pack --strict takes it in; the commit's id is computed here from its fields, so no other commit can be in its place."},
		{ID: ruleRobot, Title: "the commit bears the robot's marks", Why: "The review gate must know it as a robot's, or it would need no label. The gate's own test runs on it before the push."},
		{ID: ruleRefused, Title: "the push was refused", Why: "git names the branch as rejected, and it still names the tested commit. It may be protected. Nothing was changed."},
		{ID: ruleUnknown, Title: "what the push did cannot be known", Why: "The connection was lost, the branch names neither commit, or it cannot be read. The commit may be on the branch. Look at it; the next failing status starts over."},
		{ID: ruleRemote, Title: "GitHub's record of the commit is the rechecked one", Why: "Tree, parent and marks are read back. A difference can only be reported, since it is pushed already: do not merge."},
		{ID: rulePending, Title: "the review status waits on the new commit", Why: "The commit was pushed, but its pending status could not be posted. A required status that is missing blocks the merge too; run the review gate again."},
		{ID: ruleComment, Title: "the comment stands on the pull request", Why: "The commit was pushed and is held for review, but nobody was told. The next attempt counts it all the same."},
		{ID: ruleDryRun, Title: "nothing was pushed: a dry run", Why: "All that can be tried without a secret was tried: result, pack, commit and marks."},
	}
}

// Error is a reason with its rule. Its text is static or made of ids and numbers.
type Error struct {
	Rule string
	What string
	Err  error // what was met; may quote untrusted text, so it goes to standard error only, quoted
}

func (e *Error) Error() string {
	if e.Err == nil {
		return e.Rule + ": " + e.What
	}
	return e.Rule + ": " + e.What + ": " + e.Err.Error()
}

func (e *Error) Unwrap() error { return e.Err }

// Decision is how a step that ends so ends: what differs or was refused is decided, what cannot be known is not.
func (e *Error) Decision() pipeline.Decision {
	switch e.Rule {
	case ruleUnknown, ruleRemote, rulePending, ruleComment:
		return pipeline.Undecided
	}
	return pipeline.Stop
}

func fail(rule string, err error, format string, args ...any) error {
	return &Error{Rule: rule, What: fmt.Sprintf(format, args...), Err: err}
}

// RuleOf is the rule of an error of this package, "" for another error.
func RuleOf(err error) string {
	var e *Error
	if errors.As(err, &e) {
		return e.Rule
	}
	return ""
}
