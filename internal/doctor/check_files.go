package doctor

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"selffix/internal/install"
	"selffix/pipeline/agent"
)

func pathChecks() []check {
	return []check{
		{"SF-DOCTOR-050", "policy and workflows have code owners", "Let the last lines of .github/CODEOWNERS that match give /.github/ an owner.", codeOwners},
		{"SF-DOCTOR-051", "code owners must review", "Require a review from code owners in the default branch's rules: else any writer changes what the loop may do.", ownersReview},
	}
}

func ownersReview(f Facts) (string, error) {
	if f.Rules.Err != nil {
		return "", f.Rules.Err
	}
	if !f.Rules.Value.OwnersReview {
		return "", weak("no rule demands a review from code owners")
	}
	return "", nil
}

func previewChecks() []check {
	return []check{
		{"SF-DOCTOR-060", "the previews' variables are listed", "List them in " + install.VariablesPath + ", one a line, or the one word none. Give previews credentials of their own.", previewListed},
		{"SF-DOCTOR-061", "the checker refuses the names of the previews' variables", "Add the names to secrets.names in the policy.", previewNamed},
	}
}

// variables reads the list that people keep, and adds what GitHub's own environment of the previews holds.
func variables(f Facts) ([]string, error) {
	if f.Own.Err != nil {
		return nil, f.Own.Err
	}
	listed := strings.Fields(strings.Join(uncommented(f.Own.Value["preview-variables"]), " "))
	if len(listed) == 0 {
		return nil, weak("%s says nothing", install.VariablesPath)
	}
	if slices.Equal(listed, []string{"none"}) {
		listed = nil
	}
	e := f.Environments[f.Given.Evidence.Environment]
	if e.Err != nil {
		return nil, e.Err
	}
	if e.Value == nil {
		return listed, nil
	}
	for _, name := range slices.Concat(e.Value.Secrets, e.Value.Variables) {
		if !slices.Contains(listed, name) {
			return nil, weak("GitHub's environment %q holds %q, which the list lacks", e.Value.Name, name)
		}
	}
	return listed, nil
}

func uncommented(text []byte) []string {
	var out []string
	for line := range strings.Lines(string(text)) {
		line, _, _ = strings.Cut(line, "#")
		out = append(out, strings.TrimSpace(line))
	}
	return out
}

func previewListed(f Facts) (string, error) {
	list, err := variables(f)
	return fmt.Sprintf("%d names", len(list)), err
}

func previewNamed(f Facts) (string, error) {
	list, err := variables(f)
	if err != nil {
		return "", err
	}
	for _, name := range list {
		if !slices.Contains(f.Given.Secrets.Names, name) {
			return "", weak("previews hold %q, and secrets.names lacks it", name)
		}
	}
	return "", nil
}

func pinChecks() []check {
	return []check{
		{"SF-DOCTOR-080", "Dagger and the module are pinned", "Fill in " + install.PinsPath + "; docs/upgrade.md says where each value comes from.", pins},
		{"SF-DOCTOR-081", "the test bot's lockfile holds the rule", "Write " + install.LockfilePath + " anew: exact versions, sha512 for each, no \"resolved\", no link or git entry.", lockfile},
	}
}

func pins(f Facts) (string, error) {
	if f.Own.Err != nil {
		return "", f.Own.Err
	}
	text, ok := f.Own.Value["pins"]
	if !ok {
		return "", weak("there is no %s", install.PinsPath)
	}
	p, err := install.ReadPins(text)
	if err != nil {
		return "", weak("%v", err)
	}
	if missing := p.Missing(); len(missing) > 0 {
		return "", weak("it lacks %v", missing)
	}
	return p.Version + ", " + p.Module, nil
}

func lockfile(f Facts) (string, error) {
	if f.Own.Err != nil {
		return "", f.Own.Err
	}
	text, ok := f.Own.Value["bot-package-lock.json"]
	if !ok {
		return "", weak("there is no %s", install.LockfilePath)
	}
	lock, err := agent.CheckLock(text)
	if err != nil {
		return "", weak("%v", err)
	}
	return fmt.Sprintf("%d packages for %v", len(lock.Packages), slices.Sorted(maps.Keys(lock.Root))), nil
}
