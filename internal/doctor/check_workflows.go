package doctor

import (
	"bytes"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"selffix/internal/install"
	"selffix/internal/install/workflow"
)

func workflowChecks() []check {
	renew := "Run self-fix init --replace with the version that is pinned, and read the difference."
	return []check{
		{"SF-DOCTOR-070", "every action is named by a full commit id", "Replace each tag or branch by the full commit id that it means, with the tag as a comment.", unpinned},
		{"SF-DOCTOR-071", "workflows and scripts are those of the policy", renew, unchanged},
		{"SF-DOCTOR-072", "self-fix's workflows have no other trigger", renew, func(f Facts) (string, error) { return rules(f, "SF-WORKFLOW-001") }},
		{"SF-DOCTOR-073", "self-fix's jobs run on hosted machines", renew + " A machine of your own has no fresh engine, and meets other jobs.", func(f Facts) (string, error) { return rules(f, "SF-WORKFLOW-015") }},
		{"SF-DOCTOR-074", "self-fix's workflows hold every other rule", renew, func(f Facts) (string, error) { return rules(f, "") }},
		{"SF-DOCTOR-075", "no other workflow uses self-fix's environments", "Take the environment out of the other workflow, or give it one of its own.", foreignEnvironments},
		{"SF-DOCTOR-076", "no job has the name of a required status", "Rename the job: a job of that name satisfies a check that is pinned to no app.", jobNames},
		{"SF-DOCTOR-077", "no workflow has ANTHROPIC_API_KEY", "Take it out: an agent takes a key that it finds in its environment.", apiKey},
	}
}

// readable are the workflows, or why they cannot be looked at. No workflow at all is none that was looked at.
func readable(f Facts) (map[string][]byte, []string, error) {
	if f.Workflows.Err != nil {
		return nil, nil, f.Workflows.Err
	}
	var names []string
	for _, name := range slices.Sorted(maps.Keys(f.Workflows.Value)) {
		if ext := path.Ext(name); ext == ".yml" || ext == ".yaml" {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return nil, nil, weak("the default branch has no workflow")
	}
	return f.Workflows.Value, names, nil
}

func unpinned(f Facts) (string, error) {
	all, names, err := readable(f)
	if err != nil {
		return "", err
	}
	var found []string
	for _, name := range names {
		loose, err := workflow.Unpinned(name, all[name])
		if err != nil {
			return "", weak("%v", err)
		}
		found = append(found, loose...)
	}
	if len(found) > 0 {
		return "", weak("%d are not: %s", len(found), strings.Join(found, ", "))
	}
	return fmt.Sprintf("%d workflows", len(names)), nil
}

func unchanged(f Facts) (string, error) {
	for _, err := range []error{f.Workflows.Err, f.Own.Err, f.Policy.Err} {
		if err != nil {
			return "", err
		}
	}
	want, err := install.Workflows(f.Policy.Value)
	if err != nil {
		return "", weak("%v", err)
	}
	var differ []string
	for _, name := range slices.Sorted(maps.Keys(want)) {
		there := f.Workflows.Value
		if path.Dir(name) == install.Folder {
			there = f.Own.Value
		}
		if !bytes.Equal(there[path.Base(name)], want[name]) {
			differ = append(differ, name)
		}
	}
	if len(differ) > 0 {
		return "", weak("missing or different: %s", strings.Join(differ, ", "))
	}
	return fmt.Sprintf("%d files", len(want)), nil
}

// rules holds self-fix's own workflows to one rule, or with "" to all but the two that have checks of their own.
func rules(f Facts, only string) (string, error) {
	all, _, err := readable(f)
	if err != nil {
		return "", err
	}
	var found []string
	for _, name := range []string{"self-fix.yml", "review-gate.yml", "self-fix-ci.yml"} {
		w, err := workflow.Parse(name, all[name])
		if err != nil {
			return "", weak("%v", err)
		}
		for _, x := range workflow.Check(w) {
			own := x.Rule == "SF-WORKFLOW-001" || x.Rule == "SF-WORKFLOW-015"
			if x.Rule == only || only == "" && !own {
				found = append(found, fmt.Sprintf("%s in %s: %s", x.Rule, x.File, x.Message))
			}
		}
	}
	if len(found) > 0 {
		return "", weak("%s", strings.Join(found, "; "))
	}
	return "", nil
}

func foreignEnvironments(f Facts) (string, error) {
	all, names, err := readable(f)
	if err != nil {
		return "", err
	}
	for _, name := range names {
		if name == "self-fix.yml" || name == "review-gate.yml" {
			continue
		}
		jobs, err := workflow.Jobs(name, all[name])
		if err != nil {
			return "", weak("%v", err)
		}
		for _, j := range jobs {
			if strings.EqualFold(j.Environment, environmentFix) || strings.EqualFold(j.Environment, environmentReview) || strings.Contains(j.Environment, "${{") {
				return "", weak("the job %q of %s may use the environment %q", j.ID, name, j.Environment)
			}
		}
	}
	return "", nil
}

func jobNames(f Facts) (string, error) {
	all, names, err := readable(f)
	if err != nil {
		return "", err
	}
	for _, name := range names {
		jobs, err := workflow.Jobs(name, all[name])
		if err != nil {
			return "", weak("%v", err)
		}
		for _, j := range jobs {
			for _, context := range []string{f.Given.Review.Context, f.Given.Bot.Context} {
				if strings.EqualFold(j.ID, context) || strings.EqualFold(j.Name, context) {
					return "", weak("the job %q of %s has the name of the status %q", j.ID, name, context)
				}
			}
		}
	}
	return "", nil
}

func apiKey(f Facts) (string, error) {
	all, names, err := readable(f)
	if err != nil {
		return "", err
	}
	for _, name := range names {
		if bytes.Contains(all[name], []byte("ANTHROPIC_API_KEY")) {
			return "", weak("%s names it", name)
		}
	}
	return "", nil
}
