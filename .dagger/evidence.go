package main

import (
	"context"

	"selffix/dagger/internal/dagger"
	"selffix/pipeline"
)

// Evidence brings the report of the failing run and makes the bundle that the agent is shown.
//
// The bundle is bounded text, marked untrusted. Three containers: one installs the test bot's command line from your lockfile,
// one brings the raw report with the bot's key and reads none of it, one reads it strictly, without a key and without a network.
//
// +cache="never"
func (m *SelfFix) Evidence(
	ctx context.Context,
	// The policy: .github/self-fix.yaml of the default branch
	policy *dagger.File,
	// The verdict of gate in this job, as JSON
	verdict *dagger.File,
	// The lockfile that the test bot's command line is installed from
	lockfile *dagger.File,
	// The test bot's key
	botKey *dagger.Secret,
) (*dagger.File, error) {
	i, err := m.interpreter(ctx, policy, secrets{pipeline.SecretBot: botKey})
	if err != nil {
		return nil, err
	}
	have, result, err := i.steps(ctx, pipeline.Fix(), "bot-tools", "evidence-read", map[pipeline.Ref]artifact{
		"in.policy": given(policy), "fix-regate.verdict": given(verdict), "in.bot-lockfile": given(lockfile),
	})
	if err := wanted(result, err); err != nil {
		return nil, err
	}
	return have["evidence-read.bundle"].file, nil
}

// wanted is the error of a call whose result is no verdict but what the next call is given: it ends well, or there is none.
func wanted(r pipeline.Result, err error) error {
	if err != nil {
		return err
	}
	return allowed(r.Outcome)
}
