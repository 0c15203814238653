package doctor

import (
	"fmt"
	"slices"
	"strings"

	"selffix/gates/github"
	"selffix/internal/visible"
)

func environmentChecks() []check {
	limit := "Limit the environment to selected branches: the default branch and nothing else."
	return []check{
		{"SF-DOCTOR-020", "the environment self-fix is limited to the default branch", limit, func(f Facts) (string, error) { return limited(f, environmentFix) }},
		{"SF-DOCTOR-021", "the environment self-fix holds its secrets", "Put CLAUDE_CODE_OAUTH_TOKEN and TESTSPRITE_API_KEY into the environment self-fix, and nothing else.", func(f Facts) (string, error) {
			return holds(f, environmentFix, "CLAUDE_CODE_OAUTH_TOKEN", "TESTSPRITE_API_KEY")
		}},
		{"SF-DOCTOR-022", "the review app's key has an environment of its own, limited to the default branch", limit + " Its one secret is SELF_FIX_REVIEW_APP_KEY.", reviewEnvironment},
		{"SF-DOCTOR-023", "no secret of self-fix is the repository's", "Delete these repository secrets, and renew what they held: every workflow of every branch could read them.", repositorySecrets},
	}
}

// present returns an environment that is there.
func present(f Facts, name string) (*github.Environment, error) {
	e, ok := f.Environments[name]
	switch {
	case !ok:
		return nil, errUnread
	case e.Err != nil:
		return nil, e.Err
	case e.Value == nil:
		return nil, weak("there is no environment %q, or the token may not see it", name)
	}
	return e.Value, nil
}

func limited(f Facts, name string) (string, error) {
	e, err := present(f, name)
	if err != nil {
		return "", err
	}
	if e.Protected {
		return "", weak("every protected branch may use it")
	}
	if !e.Limited {
		return "", weak("every branch may use it")
	}
	if !slices.Equal(e.Branches, []string{f.Repository.DefaultBranch}) {
		return "", weak("the branches %q may use it, expected %q alone", e.Branches, f.Repository.DefaultBranch)
	}
	return "limited to " + f.Repository.DefaultBranch, nil
}

func holds(f Facts, name string, want ...string) (string, error) {
	e, err := present(f, name)
	if err != nil {
		return "", err
	}
	got := slices.Sorted(slices.Values(e.Secrets))
	slices.Sort(want)
	if !slices.Equal(got, want) {
		return "", weak("it holds %q, expected %q", got, want)
	}
	return strings.Join(got, ", "), nil
}

func reviewEnvironment(f Facts) (string, error) {
	if f.Given.Review.AcceptBranchWriters {
		return "the policy uses no app", nil
	}
	if detail, err := limited(f, environmentReview); err != nil {
		return detail, err
	}
	return holds(f, environmentReview, "SELF_FIX_REVIEW_APP_KEY")
}

func repositorySecrets(f Facts) (string, error) {
	if f.Secrets.Err != nil {
		return "", f.Secrets.Err
	}
	for _, name := range []string{"CLAUDE_CODE_OAUTH_TOKEN", "TESTSPRITE_API_KEY", "SELF_FIX_REVIEW_APP_KEY", "ANTHROPIC_API_KEY"} {
		if slices.Contains(f.Secrets.Value, name) {
			return "", weak("the repository has the secret %s", name)
		}
	}
	return fmt.Sprintf("%d other repository secrets", len(f.Secrets.Value)), nil
}

func rightChecks() []check {
	return []check{
		{"SF-DOCTOR-030", "workflows start with reading only", "Set the default workflow permissions to read.", defaultRead},
		{"SF-DOCTOR-031", "workflows cannot approve pull requests", "Turn off that workflows may create and approve pull requests.", noApproval},
		{"SF-DOCTOR-032", "the maintainer is who the policy says", "Set maintainer.login and maintainer.id to one account that can push.", maintainer},
	}
}

func defaultRead(f Facts) (string, error) {
	if f.Defaults.Err != nil {
		return "", f.Defaults.Err
	}
	if f.Defaults.Value.Permissions != "read" {
		return "", weak("a workflow that says nothing gets %s", f.Defaults.Value.Permissions)
	}
	return "", nil
}

func noApproval(f Facts) (string, error) {
	if f.Defaults.Err != nil {
		return "", f.Defaults.Err
	}
	if f.Defaults.Value.Approve {
		return "", weak("a workflow may approve a pull request")
	}
	return "", nil
}

// maintainer finds the maintainer among those who may label, and names the others: their label does not count.
func maintainer(f Facts) (string, error) {
	if f.People.Err != nil {
		return "", f.People.Err
	}
	var writers, labellers []string
	found := false
	for _, p := range f.People.Value {
		if p.ID == f.Given.Maintainer.ID {
			found = p.Write && strings.EqualFold(p.Login, f.Given.Maintainer.Login)
			continue
		}
		labellers = append(labellers, visible.String(p.Login))
		if p.Write {
			writers = append(writers, visible.String(p.Login))
		}
	}
	if !found {
		return "", weak("no collaborator who can push has the login %q and the id %d", f.Given.Maintainer.Login, f.Given.Maintainer.ID)
	}
	return fmt.Sprintf("beside the maintainer, can push: %v; can label, without effect: %v", writers, labellers), nil
}
