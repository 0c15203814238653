package main

import (
	"context"

	"selffix/dagger/internal/dagger"
	"selffix/pipeline"
)

// ReviewGate posts the review status that holds the merge of a robot commit until it is labelled.
//
// Only the maintainer's label counts, on what is there now. It posts first pending, before anything is read, then success if it
// is earned. One container, with the one key that posts. A run of it may be repeated: that is how it recovers.
//
// +cache="never"
func (m *SelfFix) ReviewGate(
	ctx context.Context,
	// The policy: .github/self-fix.yaml of the default branch
	policy *dagger.File,
	// The event of this run, the file that GITHUB_EVENT_PATH names
	event *dagger.File,
	// What the event is: pull_request_target or merge_group
	eventName string,
	// The id of this run, GITHUB_RUN_ID
	run int,
	// Which attempt of the run this is, GITHUB_RUN_ATTEMPT
	attempt int,
	// A token that may read contents, issues, pull requests and statuses; without an app key it posts, and may write statuses
	token *dagger.Secret,
	// The review app's private key, where the policy names an app
	// +optional
	appKey *dagger.Secret,
) (*Verdict, error) {
	by, keys := pipeline.ReviewByToken, secrets{pipeline.SecretGitHubStatus: token}
	if appKey != nil {
		by, keys = pipeline.ReviewByApp, secrets{pipeline.SecretGitHubRead: token, pipeline.SecretReviewAppKey: appKey}
	}
	i, err := m.interpreter(ctx, policy, keys)
	if err != nil {
		return nil, err
	}
	in, err := judged(policy, event, run, attempt, eventName)
	if err != nil {
		return nil, err
	}
	have, result, err := i.steps(ctx, pipeline.Review(by), "review-gate", "review-gate", in)
	if err != nil {
		return nil, err
	}
	return gateVerdict(ctx, result.Outcome, have["review-gate.verdict"].file)
}
