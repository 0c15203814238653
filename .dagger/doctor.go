package main

import (
	"context"

	"selffix/dagger/internal/dagger"
)

// Doctor looks at a repository's settings and files on GitHub and names each weakness with its fix.
//
// It changes nothing.
//
// +cache="never"
func (m *SelfFix) Doctor(
	ctx context.Context,
	// The repository, as OWNER/NAME
	repository string,
	// The policy, as the default branch has it
	policy *dagger.File,
	// A token of your own that may read the repository's administration, actions, contents, environments and names of secrets
	token *dagger.Secret,
) (*Verdict, error) {
	i, err := m.interpreter(ctx, policy, nil)
	if err != nil {
		return nil, err
	}
	said, err := i.command(ctx, command{
		args:  []string{"doctor", "--repository=" + repository, "--policy=/in/policy.yaml", "--format=json"},
		files: map[string]artifact{"policy.yaml": given(policy)},
		token: token,
	})
	if err != nil {
		return nil, err
	}
	v := &Verdict{Decision: "fail", Reason: "there are weaknesses; json has each with its fix", Text: said.out}
	if said.code == 0 {
		v.Decision, v.Reason, v.Allows = "pass", "every check passed", true
	}
	return v, nil
}
