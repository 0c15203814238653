package worker

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"golang.org/x/sys/unix"

	"selffix/checker"
	"selffix/internal/scratch"
	"selffix/internal/tokens"
	"selffix/pipeline"
	"selffix/pipeline/agent"
	"selffix/pipeline/checkout"
	"selffix/pipeline/diff"
	"selffix/pipeline/evidence"
	"selffix/pipeline/fence"
	"selffix/pipeline/policy"
	"selffix/pipeline/proxy"
	"selffix/pipeline/publish"
	"selffix/pipeline/tree"
)

// OutcomeName is the file below pipeline.OutDir in which a step says how it ended.
const OutcomeName = "outcome.json"

// reason turns a kind of error into fixed words. An error's own text may quote what others wrote.
type reason struct {
	err      error
	decision pipeline.Decision
	rule     string
	text     string
}

// reasons lists what can end a step, the more particular first.
func reasons() []reason {
	undecided, stop := pipeline.Undecided, pipeline.Stop
	return append(verifyReasons(), []reason{
		{evidence.ErrPartial, undecided, "SF-EVIDENCE-001", "the report is partial; fetch it again"},
		{evidence.ErrTooLarge, undecided, "SF-EVIDENCE-002", "the report is too large; shorten it"},
		{evidence.ErrNone, stop, "SF-EVIDENCE-003", "no failing run counts as evidence for this preview"},
		{evidence.ErrBot, undecided, "SF-EVIDENCE-004", "the test bot did not answer as documented"},
		{evidence.ErrReport, undecided, "SF-EVIDENCE-005", "the report cannot be read"},
		{checkout.ErrCommit, undecided, "SF-CHECKOUT-001", "the commit was not found; give the full id of a commit that the repository holds"},
		{checkout.ErrTree, stop, "SF-CHECKOUT-002", "the tested tree holds what is never checked out, such as a submodule"},
		{checkout.ErrLimit, stop, "SF-CHECKOUT-003", "the tested tree is larger than it may be"},
		{checkout.ErrLinks, undecided, "SF-CHECKOUT-006", "the tree's links are not those of a tree that may be written"},
		{checkout.ErrFetch, undecided, "SF-CHECKOUT-004", "the tested commit could not be fetched"},
		{diff.ErrNoChange, stop, "SF-DIFF-001", "the agent changed nothing"},
		{diff.ErrTooLarge, stop, "SF-DIFF-002", "the agent changed more than a patch may hold"},
		{tree.ErrSpecial, stop, "SF-DIFF-003", "the agent left something that is no plain file"},
		{tree.ErrLink, stop, "SF-DIFF-004", "the agent left a link that was not there before"},
		{tree.ErrLimit, stop, "SF-DIFF-005", "the agent left more than a tree may hold"},
		{agent.ErrOffline, undecided, "SF-TOOLS-001", "the agent's program is not in the cache; run once without --offline"},
		{agent.ErrHash, undecided, "SF-TOOLS-002", "the agent's program is not the pinned one; delete it from the cache"},
		{agent.ErrTools, undecided, "SF-TOOLS-003", "the agent's program cannot be had"},
		{agent.ErrLock, undecided, "SF-TOOLS-004", "the lockfile breaks the rule for lockfiles"},
		{agent.ErrRun, undecided, "SF-AGENT-001", "the agent failed, so nothing that it left is looked at"},
		{ErrAgentEnd, undecided, "SF-AGENT-002", "the fence ended the agent, so nothing that it left is looked at"},
		{agent.ErrSelfTest, undecided, "SF-AGENT-004", "the self-test found the agent's fence open, so the agent was not started"},
		{agent.ErrCommand, undecided, "SF-AGENT-003", "the agent cannot be called under this policy"},
		{fence.ErrUnavailable, undecided, "SF-FENCE-001", "this machine cannot put the fence on; self-fix fence --explain says what is missing"},
		{fence.ErrLost, undecided, "SF-FENCE-002", "the fence lost its run"},
		{fence.ErrOptions, undecided, "SF-FENCE-003", "the fence refused its options"},
		{ErrNoFence, undecided, "SF-FENCE-004", "an exposed step was started without its fence"},
		{ErrStepEnd, undecided, "SF-FENCE-005", "the fence ended the step"},
		{ErrTooMuch, stop, "SF-OUTPUT-002", "the agent left more files or bytes than may be looked at"},
		{ErrOutput, undecided, "SF-OUTPUT-001", "the step left something that is not as the plan says"},
		{ErrMeter, undecided, "SF-PROXY-002", "the model proxy did not say what it counted"},
		{ErrCheck, undecided, "SF-CHECK-002", "two readings of the change disagree"},
		{checker.ErrBase, undecided, "SF-CHECK-003", "the tested commit cannot be judged"},
		{checker.ErrPolicy, undecided, "SF-CHECK-004", "the policy cannot be used to judge"},
		{checker.ErrUndecided, undecided, "SF-CHECK-005", "the checker could not decide"},
		{tokens.ErrMismatch, undecided, "SF-TOKEN-001", "token and host do not belong together: a sandbox token goes to loopback only, and only such a token does"},
		{tokens.ErrToken, undecided, "SF-TOKEN-002", "the token cannot be used"},
		{tokens.ErrHost, undecided, "SF-TOKEN-003", "a host of the policy cannot be used"},
		{proxy.ErrOptions, undecided, "SF-PROXY-001", "the model proxy cannot work under this policy"},
		{policy.ErrPolicy, undecided, "SF-POLICY-001", "the policy cannot be read"},
		{ErrIdentity, undecided, "SF-IDENTITY-001", "nothing says for which commit the step works"},
		{pipeline.ErrRun, undecided, "SF-IDENTITY-002", "nothing says which run this is: its id, attempt and event are the caller's to give"},
		{ErrEvent, undecided, "SF-IDENTITY-003", "this run's event cannot be read, or is of another repository"},
		{ErrOtherPolicy, stop, "SF-IDENTITY-004", "the policy is not the one that this job's gates judged by"},
		{ErrSecrets, undecided, "SF-TOKEN-004", "the review gate posts with the status token alone, or with a reading token and the review app's key"},
		{ErrKey, undecided, "SF-TOKEN-005", "the review app's key is missing, or is where a merge group could read it"},
		{scratch.ErrRepository, undecided, "SF-CHECKOUT-005", "there is no usable repository"},
		{unix.ENOSPC, undecided, "SF-DISK-001", "the disk is full"},
		{unix.EDQUOT, undecided, "SF-DISK-001", "the disk is full"},
	}...)
}

// Ends lists every rule by which an error ends a step, with the words that it is given, each once. What a gate, the checker or the
// publisher decides has rules of their own.
func Ends() []pipeline.Outcome {
	var all []pipeline.Outcome
	for _, r := range append(reasons(), reason{rule: unexplained, text: "the step failed"}) {
		o := pipeline.Outcome{Decision: r.decision, Rule: r.rule, Reason: r.text}
		if !slices.Contains(all, o) {
			all = append(all, o)
		}
	}
	return all
}

// unexplained is the rule of an error that no reason stands for.
const unexplained = "SF-STEP-001"

// explain says in fixed words how an error ends a step.
func explain(err error) pipeline.Outcome {
	var p *publish.Error
	if errors.As(err, &p) {
		return pipeline.Outcome{Decision: p.Decision(), Rule: p.Rule, Reason: p.What}
	}
	if errors.Is(err, unix.ENOSPC) {
		return pipeline.Outcome{Rule: "SF-DISK-001", Reason: "the disk is full"}
	}
	for _, r := range reasons() {
		if errors.Is(err, r.err) {
			return pipeline.Outcome{Decision: r.decision, Rule: r.rule, Reason: r.text}
		}
	}
	return pipeline.Outcome{Rule: unexplained, Reason: "the step failed"}
}

// writeOutcome replaces whatever lies there: an inner process may have written before it failed.
func writeOutcome(dir string, o pipeline.Outcome) error {
	text, err := json.Marshal(o)
	if err != nil {
		return fmt.Errorf("write the outcome: %w", err)
	}
	name := filepath.Join(dir, OutcomeName)
	if err := os.RemoveAll(name); err != nil {
		return fmt.Errorf("write the outcome: %w", err)
	}
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL|unix.O_NOFOLLOW, 0o644)
	if err != nil {
		return fmt.Errorf("write the outcome: %w", err)
	}
	_, err = f.Write(text)
	if err = errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("write the outcome: %w", err)
	}
	return nil
}
