package main

import (
	"context"
	"encoding/json"
	"fmt"

	"selffix/dagger/internal/dagger"
	"selffix/pipeline"
)

// Push evaluates the gates once more and pushes the rechecked commit, with a lease on the tested one.
//
// It pushes once; then it posts the pending review status and a comment. Two containers, neither of which mounts a patch, a tree
// or a bundle. Identity comes from the gates alone. Its result is the receipt, or the gate's verdict if that does not act.
//
// +cache="never"
func (m *SelfFix) Push(
	ctx context.Context,
	// The policy: .github/self-fix.yaml of the default branch
	policy *dagger.File,
	// The event of this run, the file that GITHUB_EVENT_PATH names
	event *dagger.File,
	// The id of this run, GITHUB_RUN_ID
	run int,
	// Which attempt of the run this is, GITHUB_RUN_ATTEMPT; a re-run is refused
	attempt int,
	// The folder with result.json and result.pack of recheck
	result *dagger.Directory,
	// A token that may read what gate reads, and write contents, pull requests and statuses
	token *dagger.Secret,
) (*Verdict, error) {
	i, err := m.interpreter(ctx, policy, secrets{pipeline.SecretGitHubRead: token, pipeline.SecretGitHubWrite: token})
	if err != nil {
		return nil, err
	}
	in, err := judged(policy, event, run, attempt, statusEvent)
	if err != nil {
		return nil, err
	}
	in["in.result"], in["in.pack"] = given(result.File("result.json")), given(result.File("result.pack"))
	have, ended, err := i.steps(ctx, pipeline.Push(), "regate", "publish", in)
	if err != nil {
		return nil, err
	}
	if receipt := have["publish.receipt"].file; receipt != nil {
		return receiptVerdict(ctx, ended.Outcome, receipt)
	}
	if len(ended.Steps) == 1 {
		return gateVerdict(ctx, ended.Outcome, have["regate.verdict"].file)
	}
	return refused(ended.Outcome)
}

// PushDryRun does everything of a push that takes no secret and changes nothing.
//
// It reads the result, indexes the pack and computes the commit's id anew. There is no verdict of a gate here: what the result
// itself says is compared with itself.
//
// +cache="never"
func (m *SelfFix) PushDryRun(
	ctx context.Context,
	// The policy: .github/self-fix.yaml of the default branch
	policy *dagger.File,
	// The folder with result.json and result.pack of recheck
	result *dagger.Directory,
) (*Verdict, error) {
	i, err := m.interpreter(ctx, policy, nil)
	if err != nil {
		return nil, err
	}
	said, err := i.command(ctx, command{
		args: []string{"push", "--dry-run", "--result", pipeline.InDir, "--policy", pipeline.InDir + "/policy.yaml", "--format", "json"},
		files: map[string]artifact{
			"policy.yaml": given(policy), "result.json": given(result.File("result.json")), "result.pack": given(result.File("result.pack")),
		},
	})
	if err != nil {
		return nil, err
	}
	v, err := readReceipt(said.out, "refused")
	if err == nil && said.code == 0 {
		v.Decision, v.Allows = "nothing wrong", true
	}
	return v, err
}

// receipt is what is read of a receipt here. The whole of it is handed on as it is.
type receipt struct {
	Rule   string `json:"rule"`
	Reason string `json:"reason"`
	Pushed bool   `json:"pushed"`
}

func receiptVerdict(ctx context.Context, o pipeline.Outcome, file *dagger.File) (*Verdict, error) {
	content, err := file.Contents(ctx)
	if err != nil {
		return nil, fmt.Errorf("read the receipt: %w", err)
	}
	v, err := readReceipt(content, "refused")
	if err == nil && v.Allows != (o.Decision == pipeline.Continue) {
		return nil, fmt.Errorf("%w: the step and its receipt do not agree", errUndecided)
	}
	return v, err
}

// readReceipt reads the rule, the reason and whether a commit was pushed.
func readReceipt(content, otherwise string) (*Verdict, error) {
	var r receipt
	if err := json.Unmarshal([]byte(content), &r); err != nil || r.Rule == "" {
		return nil, fmt.Errorf("%w: no receipt was left", errUndecided)
	}
	v := &Verdict{Decision: otherwise, Rule: r.Rule, Reason: r.Reason, Text: content}
	if r.Pushed {
		v.Decision, v.Allows = "pushed", true
	}
	return v, nil
}

// refused is a push that was refused before there was a receipt.
func refused(o pipeline.Outcome) (*Verdict, error) {
	content, err := json.Marshal(receipt{Rule: o.Rule, Reason: o.Reason})
	if err != nil {
		return nil, err
	}
	return readReceipt(string(content), "refused")
}
