package main

import (
	"context"
	"fmt"
	"os"
	"slices"

	"selffix/internal/strictjson"
	"selffix/pipeline"
	"selffix/pipeline/local"
	"selffix/pipeline/policy"
	"selffix/pipeline/verify"
)

// localPlan is the plan that the policy asks for.
func localPlan(p policy.Policy) pipeline.Plan {
	if p.Verify.Enabled {
		return pipeline.LocalFixWithVerify()
	}
	return pipeline.LocalFix()
}

// packages writes the default branch's package and lock files into the run's folder. They come from this repository's record of
// that branch, never from the tested commit.
func (f fixFlags) packages(ctx context.Context, ip *local.Interpreter, in fixInput) (string, error) {
	commit, err := f.branchHead(ctx, in)
	if err != nil {
		return "", err
	}
	dir, err := ip.Folder("packages")
	if err != nil {
		return "", err
	}
	if err := verify.Packages(ctx, in.repo, commit, dir, local.DefaultParent); err != nil {
		return "", fmt.Errorf("the default branch's package files: %w", err)
	}
	return dir, nil
}

// branchHead is the commit that stands for the default branch.
func (f fixFlags) branchHead(ctx context.Context, in fixInput) (string, error) {
	if f.defaultBranch != "" {
		commit, err := commitOf(ctx, in.repo, f.defaultBranch)
		if err != nil {
			return "", fmt.Errorf("--default-branch: %w", err)
		}
		return commit, nil
	}
	name := in.policy.Branches.Default
	for _, ref := range []string{"refs/remotes/origin/" + name, "refs/heads/" + name} {
		if commit, err := commitOf(ctx, in.repo, ref); err == nil {
			return commit, nil
		}
	}
	return "", fmt.Errorf("--default-branch: verify needs the package files of %q, which this repository does not have; fetch it, or name a revision", name)
}

// claimedVerify is the one word that is kept of the project's own check.
func claimedVerify(have map[pipeline.Ref]string) (string, error) {
	file, ok := have["verify.result"]
	if !ok {
		return "", nil
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return "", fmt.Errorf("read the result of verify: %w", err)
	}
	var r verify.Result
	if err := strictjson.Unmarshal(data, &r); err != nil {
		return "", fmt.Errorf("read the result of verify: %w", err)
	}
	if !slices.Contains(verify.Claims(), r.ClaimedVerify) {
		return "", fmt.Errorf("read the result of verify: unknown claim %.40q", r.ClaimedVerify)
	}
	return r.ClaimedVerify, nil
}
