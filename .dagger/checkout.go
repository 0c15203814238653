package main

import (
	"context"
	"fmt"

	"selffix/dagger/internal/dagger"
	"selffix/pipeline"
)

// Checkout fetches exactly the tested commit and writes its tree, scrubbed.
//
// The tree has no agent instructions, no settings and no links that lead out. Two containers: one brings the objects with the
// token and reads none of them, one writes the files, without a token and without a network. The folder has the bare repository
// objects.git, the scrubbed tree, and trees.json with both tree ids.
//
// +cache="never"
func (m *SelfFix) Checkout(
	ctx context.Context,
	// The policy: .github/self-fix.yaml of the default branch
	policy *dagger.File,
	// The verdict of gate in this job, as JSON
	verdict *dagger.File,
	// A token that may read contents
	token *dagger.Secret,
) (*dagger.Directory, error) {
	i, err := m.interpreter(ctx, policy, secrets{pipeline.SecretGitHubRead: token})
	if err != nil {
		return nil, err
	}
	have, result, err := i.steps(ctx, pipeline.Fix(), "fetch", "materialise", map[pipeline.Ref]artifact{
		"in.policy": given(policy), "fix-regate.verdict": given(verdict),
	})
	if err := wanted(result, err); err != nil {
		return nil, err
	}
	return dag.Directory().
		WithDirectory("objects.git", have["fetch.objects"].dir).
		WithDirectory("tree", have["materialise.tree"].dir).
		WithFile("trees.json", have["materialise.trees"].file), nil
}

// allowed is an error unless the outcome lets the run go on.
func allowed(o pipeline.Outcome) error {
	if o.Decision == pipeline.Continue {
		return nil
	}
	return fmt.Errorf("stopped: %s: %s", o.Rule, o.Reason)
}
