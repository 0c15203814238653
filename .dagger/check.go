package main

import (
	"context"
	"encoding/json"
	"fmt"

	"selffix/dagger/internal/dagger"
)

// Check judges a patch against the commit that it is meant for.
//
// It is judged as in the loop: behind the fence, in a container without a secret. Its result names every rule that refuses the
// patch.
//
// +cache="never"
func (m *SelfFix) Check(
	ctx context.Context,
	// The repository, or its .git folder; only its objects are read
	// +ignore=["**", "!.git/objects/**", "!.git/refs/**", "!.git/HEAD", "!.git/packed-refs", "!objects/**", "!refs/**", "!HEAD", "!packed-refs"]
	repo *dagger.Directory,
	// The commit that the patch applies to: a full id, or a name that the repository has
	base string,
	// The policy: .github/self-fix.yaml of the default branch
	policy *dagger.File,
	// The patch
	patch *dagger.File,
) (*Verdict, error) {
	i, err := m.interpreter(ctx, policy, nil)
	if err != nil {
		return nil, err
	}
	said, err := i.command(ctx, command{
		args:  fenced("check", "--repo=/in/repository", "--base="+base, "--policy=/in/policy.yaml", "--patch=/in/fix.patch", "--format=json"),
		files: map[string]artifact{"repository": {dir: repo}, "policy.yaml": given(policy), "fix.patch": given(patch)},
	})
	if err != nil {
		return nil, err
	}
	return checkVerdict(said)
}

// checkVerdict reads what the checker said. Its exit code and its report must agree.
func checkVerdict(said answer) (*Verdict, error) {
	var r struct {
		Verdict  string `json:"verdict"`
		Findings []struct {
			Rule    string `json:"rule"`
			Message string `json:"message"`
		} `json:"findings"`
	}
	if err := json.Unmarshal([]byte(said.out), &r); err != nil {
		return nil, fmt.Errorf("%w: the checker left no report", errUndecided)
	}
	v := &Verdict{Decision: r.Verdict, Reason: "every rule accepts the patch", Text: said.out}
	switch {
	case r.Verdict == "accept" && said.code == 0 && len(r.Findings) == 0:
		v.Allows = true
		return v, nil
	case r.Verdict == "refuse" && said.code == 1 && len(r.Findings) > 0:
		v.Rule, v.Reason = r.Findings[0].Rule, fmt.Sprintf("the patch is refused by %d findings; json has them", len(r.Findings))
		return v, nil
	}
	return nil, fmt.Errorf("%w: the checker's report and its exit code do not agree", errUndecided)
}
