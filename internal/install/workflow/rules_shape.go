package workflow

import (
	"maps"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"selffix/internal/lazyregexp"
)

// triggers demands exactly the events of each file: "status" and "pull_request_target" take the file from the default
// branch, merge_group is named by the rule for it, and "push" is limited to a branch.
func triggers(w Workflow) []string {
	var f found
	want := map[string][]string{fileLoop: {"status"}, fileReview: {"merge_group", "pull_request_target"}, fileTest: {"push"}}[w.base()]
	got := w.Triggers()
	slices.Sort(got)
	if !slices.Equal(got, want) {
		f.add("expected exactly the triggers %v, got %q", want, got)
	}
	if w.base() != fileReview {
		return f
	}
	types := []string{"opened", "reopened", "synchronize", "edited", "labeled", "unlabeled", "ready_for_review"}
	if got := w.types("pull_request_target"); !slices.Equal(got, types) {
		f.add("expected the types %v of pull_request_target, got %q", types, got)
	}
	return f
}

func noPermissions(w Workflow) []string {
	if w.Permissions == nil || len(*w.Permissions) > 0 {
		return []string{"expected permissions: {} at the top"}
	}
	return nil
}

// gateReads is what the gates read.
func gateReads() map[string]string {
	return map[string]string{"actions": "read", "contents": "read", "deployments": "read", "issues": "read", "pull-requests": "read", "statuses": "read"}
}

// allowed is the most that a job may have; nil for a job that is not ours.
func allowed(file, job string) map[string]string {
	review := map[string]string{"contents": "read", "issues": "read", "pull-requests": "read", "statuses": "write"}
	push := gateReads()
	push["contents"], push["pull-requests"], push["statuses"] = "write", "write", "write"
	return map[string]map[string]string{
		fileLoop + "/gate": gateReads(), fileLoop + "/fix": gateReads(), fileLoop + "/recheck": gateReads(), fileLoop + "/push": push,
		fileReview + "/review-gate": review, fileReview + "/merge-group": review,
		fileTest + "/self-test": {"contents": "read"},
	}[file+"/"+job]
}

func jobPermissions(w Workflow) []string {
	var f found
	for _, name := range w.names() {
		j, most := w.Jobs[name], allowed(w.base(), name)
		if most == nil {
			f.add("job %q is none of this workflow's", name)
			continue
		}
		if j.Permissions == nil {
			f.add("job %q does not say its permissions", name)
			continue
		}
		for _, key := range slices.Sorted(maps.Keys(*j.Permissions)) {
			access := (*j.Permissions)[key]
			if access != most[key] && access != "none" && (access != "read" || most[key] == "") {
				f.add("job %q may not have %s: %s", name, key, access)
			}
		}
		// Posting by an app needs no right of the run's own token: it could then post what a forger posts.
		if key := (*j.Permissions)["statuses"]; w.base() == fileReview && key == "write" && strings.Contains(w.Text, "SELF_FIX_REVIEW_APP_KEY") {
			f.add("job %q has statuses: write although the review app posts", name)
		}
	}
	return f
}

func timeouts(w Workflow) []string {
	var f found
	for _, name := range w.names() {
		if t := w.Jobs[name].Timeout; t < 1 || t > 180 {
			f.add("job %q: expected timeout-minutes from 1 to 180", name)
		}
	}
	return f
}

var hostedForm = lazyregexp.New(`^ubuntu-[0-9]{2}\.04$`)

// hosted demands GitHub's own fresh machines, by a name that is no expression.
func hosted(w Workflow) []string {
	var f found
	for _, name := range w.names() {
		j := w.Jobs[name]
		if j.RunsOn.Kind != yaml.ScalarNode || !hostedForm.MatchString(j.RunsOn.Value) {
			f.add("job %q: expected runs-on: ubuntu-YY.04, a hosted machine with an engine of its own", name)
		}
		if !j.Container.IsZero() || !j.Services.IsZero() || !j.Strategy.IsZero() || j.Uses != "" || !j.Secrets.IsZero() {
			f.add("job %q: container, services, strategy, uses and secrets have no place here", name)
		}
	}
	return f
}

// jobNames holds job ids, and the one name that attempts are counted by. A job with the name of a required status would
// satisfy it.
func jobNames(w Workflow) []string {
	var f found
	want := map[string][]string{fileLoop: {"fix", "gate", "push", "recheck"}, fileReview: {"merge-group", "review-gate"}, fileTest: {"self-test"}}[w.base()]
	if got := w.names(); !slices.Equal(got, want) {
		f.add("expected exactly the jobs %v, got %q", want, got)
	}
	for _, name := range w.names() {
		want := ""
		if w.base() == fileLoop && name == "fix" {
			want = "fix pr-${{ needs.gate.outputs.pr }}"
		}
		if got := w.Jobs[name].Name; got != want {
			f.add("job %q: expected the name %q, got %q", name, want, got)
		}
	}
	if w.base() == fileLoop && w.RunName != "self-fix ${{ github.event.sha }}" {
		f.add("expected the run-name self-fix ${{ github.event.sha }}: runs that go on are told apart by it")
	}
	return f
}

// prefilter spares machines: it looks at all three fields, and every later job waits for the one before.
func prefilter(w Workflow) []string {
	var f found
	want := map[string][]string{
		fileLoop + "/gate":    {"github.event.context == '", "github.event.state == 'failure'", "github.event.sender.id == "},
		fileLoop + "/fix":     {"needs.gate.outputs.decision == 'act'"},
		fileLoop + "/recheck": {"needs.fix.outputs.decision == 'accept'"},
		fileLoop + "/push":    {"needs.recheck.outputs.decision == 'accept'"},

		fileReview + "/review-gate": {"github.event_name == 'pull_request_target'"},
		fileReview + "/merge-group": {"github.event_name == 'merge_group'"},
	}
	for _, name := range w.names() {
		condition := w.Jobs[name].If
		for _, part := range want[w.base()+"/"+name] {
			if !strings.Contains(condition, part) || strings.Contains(condition, "||") || strings.Contains(condition, "always()") {
				f.add("job %q: expected a condition that holds only if %s", name, part)
			}
		}
	}
	return f
}

// concurrency lets one job at a time work on a pull request, and cancels none: a push that is cut off between its push and its
// status leaves a commit without one, and a review that is cut off leaves the old status.
func concurrency(w Workflow) []string {
	var f found
	if w.Concurrency != nil {
		f.add("a group for the whole run would cancel or hold all of its jobs")
	}
	number := map[string]string{
		fileLoop + "/fix": "${{ needs.gate.outputs.pr }}", fileLoop + "/push": "${{ needs.gate.outputs.pr }}",
		fileReview + "/review-gate": "${{ github.event.pull_request.number }}", fileReview + "/merge-group": "${{ github.event.merge_group.head_ref }}",
	}
	groups := map[string]string{}
	for _, name := range w.names() {
		j := w.Jobs[name]
		want := number[w.base()+"/"+name]
		if j.Concurrency == nil {
			if want != "" {
				f.add("job %q: expected a concurrency group of its pull request", name)
			}
			continue
		}
		if want == "" || !strings.HasSuffix(j.Concurrency.Group, want) {
			f.add("job %q: expected a group that ends in %s", name, want)
		}
		if j.Concurrency.Cancel != "false" || j.Concurrency.Queue != "max" {
			f.add("job %q: expected cancel-in-progress: false and queue: max, so that no job takes another's place", name)
		}
		if other, ok := groups[j.Concurrency.Group]; ok {
			f.add("jobs %q and %q share a group: one would wait for the other", other, name)
		}
		groups[j.Concurrency.Group] = name
	}
	return f
}
