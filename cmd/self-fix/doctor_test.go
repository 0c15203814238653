package main

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"selffix/internal/doctor"
	"selffix/internal/ghfake"
)

// The checks themselves are tried in package doctor; here is what the command adds: input, output and exit code.
func TestDoctor(t *testing.T) {
	a := newAction(t, "gate", ghfake.SceneOptions{})
	policy := a.args[2]
	a.vars = map[string]string{"GITHUB_TOKEN": ghfake.AdminToken}
	run := func(args ...string) (int, string) {
		t.Helper()
		a.args = append([]string{"doctor", "--policy", policy}, args...)
		if err := os.Remove(strings.TrimSuffix(policy, "policy.yaml") + "verdict.json"); err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
		code, _, text := a.run()
		return code, text
	}
	code, text := run("--repository", "maintainer/app")
	if code != exitNo || !strings.Contains(text, "fail    SF-DOCTOR-001") || !strings.Contains(text, "\n        -> ") || !strings.Contains(text, " fail, 0 unknown\n") {
		t.Errorf("exit %d: %s", code, text)
	}
	code, text = run("--repository", "maintainer/app", "--format", "json")
	var r doctor.Report
	if err := json.Unmarshal([]byte(text), &r); err != nil || code != exitNo || r.Repository != "maintainer/app" || len(r.Findings) < 20 {
		t.Errorf("exit %d, error %v: %s", code, err, text)
	}
	for _, q := range a.scene.Server.Requests() {
		if q.Method != "GET" {
			t.Errorf("doctor changed something: %s", q.Route)
		}
	}
	if code, text = run("--repository", "maintainer/none"); code != exitUndecided {
		t.Errorf("no such repository: exit %d: %s", code, text)
	}
	a.vars["GITHUB_TOKEN"] = ghfake.ReadToken // a workflow's own: it sees no settings
	if code, text = run("--repository", "maintainer/app"); code != exitUndecided || !strings.Contains(text, "unknown SF-DOCTOR-030") {
		t.Errorf("a token that sees little: exit %d: %s", code, text)
	}
}
