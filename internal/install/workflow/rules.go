package workflow

import (
	"fmt"
	"maps"
	"path"
	"slices"
)

// Rule is one thing that must be true of a workflow of self-fix.
type Rule struct {
	ID    string
	Name  string
	Why   string // what a breach would allow
	Check func(Workflow) []string
}

// Finding is one breach.
type Finding struct {
	Rule    string
	File    string
	Message string
}

// Rules lists the rules in the order of their ids.
func Rules() []Rule {
	return []Rule{
		{"SF-WORKFLOW-001", "triggers", "another trigger runs the file as some branch has it, with the secrets", triggers},
		{"SF-WORKFLOW-002", "no permissions to start with", "a job that somebody adds would start with what the repository gives by default", noPermissions},
		{"SF-WORKFLOW-003", "least permissions for each job", "a job that reads hostile bytes could write", jobPermissions},
		{"SF-WORKFLOW-004", "pinned actions", "a tag can be moved to other code", pinnedActions},
		{"SF-WORKFLOW-005", "no caches", "what another run wrote would be run beside a secret", noCaches},
		{"SF-WORKFLOW-006", "checkout of the default branch", "a pull request's files would lie where commands run, or a token beside them", checkouts},
		{"SF-WORKFLOW-007", "time limits", "a job that hangs would hold its engine and its secrets for six hours", timeouts},
		{"SF-WORKFLOW-008", "secrets in one step", "every other step, and every action, could read the secret", secretsInSteps},
		{"SF-WORKFLOW-009", "secrets from environments", "a repository's secret is readable from every branch", secretEnvironments},
		{"SF-WORKFLOW-010", "no expression in a command", "a value that somebody else chooses would become part of a shell script", noExpressions},
		{"SF-WORKFLOW-011", "no API key", "the agent takes a key that it finds in its environment", noAPIKey},
		{"SF-WORKFLOW-012", "prefilter", "every status of every bot would start a machine", prefilter},
		{"SF-WORKFLOW-013", "concurrency", "two agents would work on one pull request, or a push be cut in half", concurrency},
		{"SF-WORKFLOW-014", "artifacts", "what an exposed job left would be run, or kept for everybody to read", artifacts},
		{"SF-WORKFLOW-015", "hosted machines", "what a job of a pull request left on the machine would meet the secrets", hosted},
		{"SF-WORKFLOW-016", "calls", "an argument that was left out is filled from a file; a call outside call.sh has another engine or folder", calls},
		{"SF-WORKFLOW-017", "the agent's call", "a secret of the session passes through the engine that runs the agent", agentApart},
		{"SF-WORKFLOW-018", "answers", "a run that did nothing would not say why", answers},
		{"SF-WORKFLOW-019", "names of jobs", "attempts are counted by the name of the fix job", jobNames},
		{"SF-WORKFLOW-020", "merge groups", "a merge group's run uses a file that pull requests wrote", mergeGroups},
		{"SF-WORKFLOW-021", "nothing handed to later steps", "a variable or path set by one step acts in all that follow", noHandover},
	}
}

// Check holds a workflow of self-fix to every rule.
func Check(w Workflow) []Finding {
	var out []Finding
	for _, r := range Rules() {
		for _, message := range r.Check(w) {
			out = append(out, Finding{r.ID, w.Path, message})
		}
	}
	return out
}

// The base names of the three workflows.
const (
	fileLoop   = "self-fix.yml"
	fileReview = "review-gate.yml"
	fileTest   = "self-fix-ci.yml"
)

func (w Workflow) base() string { return path.Base(w.Path) }

// names are the job ids in a fixed order.
func (w Workflow) names() []string { return slices.Sorted(maps.Keys(w.Jobs)) }

// eachStep calls f for each step, with a name for messages.
func (w Workflow) eachStep(f func(where string, j Job, s Step)) {
	for _, name := range w.names() {
		for i, s := range w.Jobs[name].Steps {
			f(fmt.Sprintf("job %q, step %d", name, i+1), w.Jobs[name], s)
		}
	}
}

// found collects messages.
type found []string

func (f *found) add(format string, args ...any) { *f = append(*f, fmt.Sprintf(format, args...)) }
