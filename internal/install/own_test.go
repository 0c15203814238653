package install

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"selffix/internal/install/workflow"
	"selffix/internal/testrepo"
)

// This repository's own workflow has no secret and calls no gate; what is true of any careful workflow is true of it.
func TestOwnWorkflow(t *testing.T) {
	root := testrepo.Root(t)
	path := filepath.Join(root, WorkflowsDir, "ci.yml")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	w, err := workflow.Parse("ci.yml", text)
	if err != nil {
		t.Fatal(err)
	}
	ids := []string{"SF-WORKFLOW-002", "SF-WORKFLOW-004", "SF-WORKFLOW-005", "SF-WORKFLOW-007", "SF-WORKFLOW-008", "SF-WORKFLOW-009", "SF-WORKFLOW-010", "SF-WORKFLOW-011", "SF-WORKFLOW-015", "SF-WORKFLOW-021"}
	for _, r := range workflow.Rules() {
		if slices.Contains(ids, r.ID) {
			for _, message := range r.Check(w) {
				t.Errorf("%s: %s", r.ID, message)
			}
		}
	}
	if strings.Contains(string(text), "secrets.") || strings.Contains(string(text), ": write") || slices.Contains(w.Triggers(), "pull_request_target") {
		t.Error("it has a secret, a right to write or a trigger that has them")
	}
	for name, j := range w.Jobs {
		for _, s := range j.Steps {
			if strings.HasPrefix(s.Uses, "actions/checkout@") && (s.With["persist-credentials"] != "false" || s.With["ref"] != "${{ github.sha }}") {
				t.Errorf("job %s checks out something else, or keeps credentials", name)
			}
			if strings.HasPrefix(s.Uses, "actions/upload-artifact@") && s.With["retention-days"] != "1" {
				t.Errorf("job %s keeps an artifact for longer than a day", name)
			}
		}
	}
}

// The scripts that this repository's workflow runs are those that an installation gets.
func TestOwnScripts(t *testing.T) {
	root := testrepo.Root(t)
	for _, name := range []string{"setup.sh", "call.sh", "answer.sh"} {
		want, err := files.ReadFile("files/" + name)
		if err != nil {
			t.Fatal(err)
		}
		if got := read(t, filepath.Join(root, Folder, name)); got != string(want) {
			t.Errorf("%s/%s differs from internal/install/files/%s", Folder, name, name)
		}
	}
}

// This repository's own module runs on the release that it was built for, held to the hashes that an installation gets.
func TestOwnPins(t *testing.T) {
	var got []string
	for line := range strings.Lines(read(t, filepath.Join(testrepo.Root(t), PinsPath))) {
		if !strings.HasPrefix(line, "#") {
			got = append(got, strings.TrimSpace(line))
		}
	}
	want := []string{"dagger_version=" + DaggerVersion, "dagger_cli_sha256=" + daggerCLI, "dagger_engine_sha256=" + daggerEngine, "module=workspace"}
	if got = slices.DeleteFunc(got, func(l string) bool { return l == "" }); !slices.Equal(got, want) {
		t.Errorf("%s has %q, want %q", PinsPath, got, want)
	}
}
