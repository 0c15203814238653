package doctor

import (
	"context"
	"errors"

	"selffix/gates/github"
	"selffix/internal/install"
	"selffix/pipeline/policy"
)

// Seen is one reading: a value, or why there is none.
type Seen[T any] struct {
	Value T
	Err   error
}

func seen[T any](v T, err error) Seen[T] { return Seen[T]{v, err} }

// errUnread marks a reading that was not made, because one before it failed.
var errUnread = errors.New("not read: what it depends on could not be read")

// Facts is what the checks look at. The zero value of a reading was not made.
type Facts struct {
	Given        policy.Policy // the policy that a person gave
	Repository   github.Repository
	Policy       Seen[policy.Policy] // at the head of the default branch
	Checks       Seen[map[string][]int64]
	Rules        Seen[github.BranchRules]
	Defaults     Seen[github.WorkflowDefaults]
	People       Seen[[]github.Collaborator]
	Secrets      Seen[[]string]                       // of the repository
	Environments map[string]Seen[*github.Environment] // nil: there is none
	Settings     Seen[map[string][]byte]              // files directly in .github
	Own          Seen[map[string][]byte]              // files in .github/self-fix
	Workflows    Seen[map[string][]byte]              // files in .github/workflows
}

// Environments that an installation has.
const (
	environmentFix    = "self-fix"
	environmentReview = "self-fix-review"
)

// Read makes every reading. A reading that fails leaves the others alone.
func Read(ctx context.Context, c *github.Client, r github.Repository, given policy.Policy) Facts {
	f := Facts{Given: given, Repository: r, Environments: map[string]Seen[*github.Environment]{}}
	branch := r.DefaultBranch
	f.Checks = seen(c.RequiredChecks(ctx, branch))
	f.Rules = seen(c.BranchRules(ctx, branch))
	f.Defaults = seen(c.WorkflowDefaults(ctx))
	f.People = seen(c.Collaborators(ctx))
	f.Secrets = seen(c.RepositorySecrets(ctx))
	for _, name := range []string{environmentFix, environmentReview, given.Evidence.Environment} {
		f.Environments[name] = environment(ctx, c, name)
	}
	head, err := c.Ref(ctx, branch)
	if err != nil {
		none := Seen[map[string][]byte]{Err: err}
		f.Settings, f.Own, f.Workflows, f.Policy = none, none, none, Seen[policy.Policy]{Err: err}
		return f
	}
	f.Settings = seen(c.Files(ctx, head, ".github"))
	f.Own = seen(c.Files(ctx, head, install.Folder))
	f.Workflows = seen(c.Files(ctx, head, install.WorkflowsDir))
	f.Policy = f.policy()
	return f
}

func environment(ctx context.Context, c *github.Client, name string) Seen[*github.Environment] {
	e, err := c.Environment(ctx, name)
	if errors.Is(err, github.ErrNotFound) {
		return Seen[*github.Environment]{}
	}
	if err != nil {
		return Seen[*github.Environment]{Err: err}
	}
	return Seen[*github.Environment]{Value: &e}
}

// policy reads the policy that the jobs will read.
func (f Facts) policy() Seen[policy.Policy] {
	if f.Settings.Err != nil {
		return Seen[policy.Policy]{Err: f.Settings.Err}
	}
	text, ok := f.Settings.Value["self-fix.yaml"]
	if !ok {
		return Seen[policy.Policy]{Err: errNoPolicy}
	}
	p, err := policy.Parse(text)
	if err != nil {
		return Seen[policy.Policy]{Err: errBadPolicy}
	}
	return Seen[policy.Policy]{Value: p}
}

// The two ways in which there is no policy although everything was read.
var (
	errNoPolicy  = errors.New("the default branch has no .github/self-fix.yaml")
	errBadPolicy = errors.New("the policy on the default branch is not valid")
)
