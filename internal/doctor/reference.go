package doctor

import (
	"fmt"
	"strings"

	"selffix/gates"
	"selffix/internal/install/workflow"
)

// Rules describes the checks, and the rules for self-fix's own workflows, as the gates describe theirs.
func Rules() []gates.RuleDoc {
	var out []gates.RuleDoc
	for _, c := range checks() {
		out = append(out, gates.RuleDoc{ID: c.id, Title: c.name, Why: c.fix})
	}
	for _, r := range workflow.Rules() {
		out = append(out, gates.RuleDoc{ID: r.ID, Title: r.Name, Why: "Else " + r.Why + "."})
	}
	return out
}

// Reference is the page docs/doctor.md: every check with its fix, and the rules that self-fix's workflows are held to.
func Reference() string {
	var b strings.Builder
	b.WriteString(`# Doctor

` + "`self-fix doctor --repository OWNER/NAME --policy .github/self-fix.yaml`" + ` reads a repository's settings and files on GitHub and names
each weakness of its installation. It changes nothing, and reads names of secrets and variables only.

It needs a token of your own in GITHUB_TOKEN, for the one repository, with read access to administration, actions, contents,
environments, secrets, variables and metadata. GitHub shows it nothing of the deployment platform's own variables: list these in
` + "`.github/self-fix/preview-variables`" + `.

| exit code | meaning |
| --- | --- |
| 0 | every check passed |
| 1 | weaknesses; each is named with its fix |
| 2 | a check could not be made: nobody has looked there |

<!-- Written by "go test ./internal/doctor -update" from the tables of checks and rules. -->

## Checks

| id | what must be true | fix |
| --- | --- | --- |
`)
	for _, c := range checks() {
		fmt.Fprintf(&b, "| %s | %s | %s |\n", c.id, c.name, c.fix)
	}
	b.WriteString(`
## Rules for self-fix's own workflows

SF-DOCTOR-072 to 074 name these. A test holds the workflows that ` + "`self-fix init`" + ` writes to each of them.

| id | rule | what a breach would allow |
| --- | --- | --- |
`)
	for _, r := range workflow.Rules() {
		fmt.Fprintf(&b, "| %s | %s | %s |\n", r.ID, r.Name, r.Why)
	}
	b.WriteString(`
## What it cannot see

- Whether an environment's limit to the default branch admits runs of ` + "`status`" + `: [install](install.md) says how to try it once.
- The variables of the deployment platform, and what the review app may do elsewhere.
- Organisation-wide secrets and rules that GitHub does not show to the token.
- Workflows on other branches: any writer may put one there. That is why no secret is the repository's and the review status is an app's.
`)
	return b.String()
}
