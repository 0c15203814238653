package main

import (
	"context"

	"selffix/dagger/internal/dagger"
	"selffix/pipeline"
)

// Recheck recomputes a candidate of an exposed job from the tested commit and the patch.
//
// It belongs on a machine of its own. One container without a secret and without a network. The folder has outcome.json and, if
// everything agrees, result.json and result.pack with the one commit.
//
// +cache="never"
func (m *SelfFix) Recheck(
	ctx context.Context,
	// The policy: .github/self-fix.yaml of the default branch
	policy *dagger.File,
	// The verdict of gate in this job, as JSON
	verdict *dagger.File,
	// The folder that checkout returned in this job
	objects *dagger.Directory,
	// candidate.json of the exposed job
	candidate *dagger.File,
	// fix.patch of the exposed job
	patch *dagger.File,
) (*dagger.Directory, error) {
	i, err := m.interpreter(ctx, policy, nil)
	if err != nil {
		return nil, err
	}
	have, result, err := i.steps(ctx, pipeline.Recheck(), "recheck", "recheck", map[pipeline.Ref]artifact{
		"in.policy": given(policy), "recheck-regate.verdict": given(verdict), "recheck-fetch.objects": {dir: objects.Directory("objects.git")},
		"in.candidate": given(candidate), "in.patch": given(patch),
	})
	if err != nil {
		return nil, err
	}
	return folder(result.Outcome, have, map[string]pipeline.Ref{"result.json": "recheck.result", "result.pack": "recheck.pack"})
}
