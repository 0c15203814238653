package main

import (
	"context"

	"selffix/dagger/internal/dagger"
	"selffix/pipeline"
)

// Fix lets the agent repair a commit of a repository that you have here, and judges what it did.
//
// It runs the same plan as "self-fix fix" on the same inputs. Nothing in the repository is changed and nothing is pushed. The
// folder has outcome.json and, after a verdict, report.json; of an accepted patch candidate.json and fix.patch too.
//
// +cache="never"
func (m *SelfFix) Fix(
	ctx context.Context,
	// The repository, or its .git folder; only its objects are read. One that borrows objects from another must be cloned whole first
	// +ignore=["**", "!.git/objects/**", "!objects/**"]
	repo *dagger.Directory,
	// The tested commit, as a full id
	commit string,
	// The failure report: a bundle or a text
	bundle *dagger.File,
	// The policy file
	policy *dagger.File,
	// The model's token
	modelToken *dagger.Secret,
	// A folder of the default branch, if the policy says "verify.enabled: true": its package and lock files are read, and nothing else
	// +optional
	packages *dagger.Directory,
) (*dagger.Directory, error) {
	i, err := m.interpreter(ctx, policy, secrets{pipeline.SecretModel: modelToken})
	if err != nil {
		return nil, err
	}
	if !i.policy.Enabled {
		return folder(pipeline.Outcome{Decision: pipeline.Stop, Rule: "SF-GATE-001", Reason: "the policy is not enabled"}, nil, nil)
	}
	objects, err := objectsOf(ctx, repo)
	if err != nil {
		return nil, err
	}
	target, err := pipeline.WriteTarget(pipeline.LocalTarget{TestedCommit: commit})
	if err != nil {
		return nil, err
	}
	in := map[pipeline.Ref]artifact{
		"in.policy": given(policy), "in.event": text(target), "in.repository": {dir: objects}, "in.run-key": runKey(),
		"in.report": {dir: dag.Directory().WithFile(pipeline.ReportFile, given(bundle).file)},
	}
	plan, last, err := verified(i.policy.Verify.Enabled, pipeline.LocalFix, pipeline.LocalFixWithVerify, packages, in)
	if err != nil {
		return nil, err
	}
	have, result, err := i.steps(ctx, plan, plan.Steps[0].Name, last, in)
	if err != nil {
		return nil, err
	}
	return checked(result.Outcome, have)
}

// objectsOf finds a repository's objects: in its .git folder, or in the folder itself.
func objectsOf(ctx context.Context, repo *dagger.Directory) (*dagger.Directory, error) {
	work, err := repo.Exists(ctx, ".git/objects")
	if err != nil {
		return nil, err
	}
	if work {
		return repo.Directory(".git/objects"), nil
	}
	return repo.Directory("objects"), nil
}
