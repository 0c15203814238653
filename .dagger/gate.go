package main

import (
	"context"

	"selffix/dagger/internal/dagger"
	"selffix/pipeline"
)

// Gate decides whether the loop may act on the failing status that started this run.
//
// It may if the verdict is the test bot's, the pull
// request is the maintainer's and has not moved, attempts are left, and the default branch requires the review status. It reads
// GitHub afresh in every call. Any doubt ends in "nothing", with the rule.
//
// +cache="never"
func (m *SelfFix) Gate(
	ctx context.Context,
	// The policy: .github/self-fix.yaml of the default branch
	policy *dagger.File,
	// The event of this run, the file that GITHUB_EVENT_PATH names
	event *dagger.File,
	// The id of this run, GITHUB_RUN_ID
	run int,
	// Which attempt of the run this is, GITHUB_RUN_ATTEMPT; a re-run is refused
	attempt int,
	// A token that may read: actions, contents, deployments, issues, pull requests and statuses
	token *dagger.Secret,
) (*Verdict, error) {
	i, err := m.interpreter(ctx, policy, secrets{pipeline.SecretGitHubRead: token})
	if err != nil {
		return nil, err
	}
	in, err := judged(policy, event, run, attempt, statusEvent)
	if err != nil {
		return nil, err
	}
	plan := pipeline.Gate()
	have, result, err := i.steps(ctx, plan, "gate", "gate", in)
	if err != nil {
		return nil, err
	}
	return gateVerdict(ctx, result.Outcome, have["gate.verdict"].file)
}

// statusEvent is the event that the loop's jobs run for.
const statusEvent = "status"

// judged is what every step that evaluates gates is given.
func judged(policy, event *dagger.File, id, attempt int, name string) (map[pipeline.Ref]artifact, error) {
	this, err := run(id, attempt, name)
	if err != nil {
		return nil, err
	}
	return map[pipeline.Ref]artifact{"in.policy": given(policy), "in.event": given(event), "in.run": this}, nil
}
