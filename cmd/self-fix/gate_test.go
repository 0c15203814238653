package main

import (
	"strings"
	"testing"
	"time"

	"selffix/gates"
	"selffix/internal/ghfake"
)

func TestGateActs(t *testing.T) {
	a := newAction(t, "gate", ghfake.SceneOptions{})
	for _, job := range []string{"gate", "fix", "push"} {
		a.reset("gate")
		a.vars["GITHUB_JOB"] = job
		code, v, text := a.run()
		if code != exitYes || v.Decision != gates.Act {
			t.Fatalf("%s: exit %d: %s", job, code, text)
		}
		if v.Target.TestedCommit != a.scene.Tested || v.Target.PullRequest != a.scene.Pull.Number || v.Target.Ref != "refs/heads/feature" ||
			v.Target.Evidence.PreviewURL != "https://app-git-feature.vercel.app" {
			t.Errorf("target %+v", v.Target)
		}
		if want := "decision=act\nrule=SF-GATE-000\npr=1\nsha=" + a.scene.Tested + "\n"; a.outputs() != want {
			t.Errorf("outputs %q, want %q", a.outputs(), want)
		}
		if n := len(a.requests()); n > 14 {
			t.Errorf("%d requests, want at most 14: %v", n, a.requests())
		}
		for _, r := range a.requests() {
			if !strings.HasPrefix(r, "GET ") {
				t.Errorf("a gate changed something: %s", r)
			}
		}
	}
}

func TestGateDoesNothing(t *testing.T) {
	now := time.Now()
	tests := []struct {
		name string
		set  func(*action)
		rule string
		code int
	}{
		{"two attempts", func(a *action) {
			a.scene.AddAttempt(1, now.Add(-50*time.Minute), "failure")
			a.scene.AddAttempt(1, now.Add(-40*time.Minute), "cancelled")
		}, "SF-GATE-030", exitNo},
		{"two attempts in one run", func(a *action) {
			id := a.scene.AddAttempt(1, now.Add(-50*time.Minute), "failure")
			a.scene.Repo.Rerun(id, ghfake.Job{Name: gates.FixJob(1), Conclusion: "failure"})
		}, "SF-GATE-030", exitNo},
		{"a deleted attempt", func(a *action) {
			id := a.scene.AddAttempt(1, now.Add(-50*time.Minute), "failure")
			a.scene.AddSkipped(now.Add(-55 * time.Minute))
			a.scene.Repo.DeleteRun(id)
		}, "SF-GATE-090", exitUndecided},
		{"the bot changed its mind", func(a *action) { a.scene.Repo.PostStatus(a.scene.Bot, a.scene.Tested, "TestSprite V3", "success") }, "SF-GATE-010", exitNo},
		{"the head moved", func(a *action) {
			if _, err := a.scene.Pull.Push(a.scene.Maintainer, ghfake.Commit{Message: "more", Files: map[string]string{"a.txt": "b"}}); err != nil {
				t.Fatal(err)
			}
		}, "SF-GATE-020", exitNo},
		{"nothing holds the merge", func(a *action) { a.scene.Repo.ClearRules() }, "SF-GATE-040", exitNo},
		{"the app is not the one that is pinned", func(a *action) {
			a.policy(func(s string) string { return strings.Replace(s, "accept_branch_writers: true", "app_id: 42", 1) })
		}, "SF-GATE-040", exitNo},
		{"disabled", func(a *action) {
			a.policy(func(s string) string { return strings.Replace(s, "enabled: true", "enabled: false", 1) })
		}, "SF-GATE-001", exitNo},
		{"second attempt of the run", func(a *action) { a.vars["GITHUB_RUN_ATTEMPT"] = "2" }, "SF-GATE-004", exitNo},
		{"no attempt", func(a *action) { delete(a.vars, "GITHUB_RUN_ATTEMPT") }, "SF-GATE-091", exitUndecided},
		{"attempt with a zero", func(a *action) { a.vars["GITHUB_RUN_ATTEMPT"] = "01" }, "SF-GATE-091", exitUndecided},
		{"a run that is not listed", func(a *action) { a.vars["GITHUB_RUN_ID"] = "987654321" }, "SF-GATE-090", exitUndecided},
		{"renamed repository", func(a *action) { a.scene.Repo.Rename("maintainer/other") }, "SF-GATE-090", exitUndecided},
		{"broken answer", func(a *action) {
			a.scene.Server.Inject(ghfake.Fault{Route: "GET /repos/{owner}/{repo}/pulls/{number}", Distortion: ghfake.Broken()[0]})
		}, "SF-GATE-090", exitUndecided},
	}
	a := newAction(t, "gate", ghfake.SceneOptions{})
	start := a.scene.Server.Checkpoint()
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			a.restore("gate", start)
			tt.set(a)
			code, v, text := a.run()
			if code != tt.code || v.Rule != tt.rule || v.Target != nil {
				t.Errorf("exit %d: %s\nwant %d, %s", code, text, tt.code, tt.rule)
			}
			if strings.Contains(a.outputs(), "act") || strings.Contains(a.outputs(), "sha=") {
				t.Errorf("outputs %q", a.outputs())
			}
		})
	}
}

// What is not the bot's failing status costs no request, and neither does what does not belong together.
func TestGateAsksNothing(t *testing.T) {
	event := func(old, new string) func(*action) {
		return func(a *action) {
			raw := string(a.scene.Repo.StatusEvent(a.scene.Status))
			if !strings.Contains(raw, old) {
				t.Fatalf("%q is not in the event", old)
			}
			a.write("event.json", []byte(strings.ReplaceAll(raw, old, new)))
		}
	}
	set := func(name, value string) func(*action) { return func(a *action) { a.vars[name] = value } }
	tests := []struct {
		name string
		set  func(*action)
		rule string
		code int
	}{
		{"another event", set("GITHUB_EVENT_NAME", "push"), "SF-GATE-005", exitNo},
		{"another sender", func(a *action) {
			a.write("event.json", a.scene.Repo.StatusEvent(a.scene.Repo.PostStatus(a.scene.Writer, a.scene.Tested, "TestSprite V3", "failure")))
		}, "SF-GATE-005", exitNo},
		{"another context", event("TestSprite V3", "testsprite v3"), "SF-GATE-005", exitNo},
		{"a success", event(`"failure"`, `"success"`), "SF-GATE-005", exitNo},
		{"event of another repository", event("900001", "900002"), "SF-GATE-091", exitUndecided},
		{"repository of another name", set("GITHUB_REPOSITORY", "maintainer/other"), "SF-GATE-091", exitUndecided},
		{"empty event", func(a *action) { a.write("event.json", nil) }, "SF-GATE-091", exitUndecided},
		{"event cut short", func(a *action) { a.write("event.json", []byte(`{"id":1`)) }, "SF-GATE-091", exitUndecided},
		{"event with a key twice", event(`"state": "failure"`, `"state": "failure", "state": "failure"`), "SF-GATE-091", exitUndecided},
		{"event is a folder", set("GITHUB_EVENT_PATH", "."), "SF-GATE-091", exitUndecided},
		{"no event", set("GITHUB_EVENT_PATH", ""), "SF-GATE-091", exitUndecided},
		{"no run", set("GITHUB_RUN_ID", ""), "SF-GATE-091", exitUndecided},
		{"another host", set("GITHUB_API_URL", "https://api.github.com"), "SF-GATE-091", exitUndecided},
		{"no host", set("GITHUB_API_URL", ""), "SF-GATE-091", exitUndecided},
		{"no token", set("GITHUB_TOKEN", ""), "SF-GATE-091", exitUndecided},
		{"a token that is not the sandbox's", set("GITHUB_TOKEN", "ghs_"+strings.Repeat("x", 36)), "SF-GATE-091", exitUndecided},
		{"loopback outside a sandbox", func(a *action) {
			a.policy(func(s string) string { return strings.Replace(s, "sandbox: true", "sandbox: false", 1) })
		}, "SF-GATE-091", exitUndecided},
		{"unreadable policy", func(a *action) { a.write("policy.yaml", []byte("enabled: yes please")) }, "SF-GATE-091", exitUndecided},
	}
	a := newAction(t, "gate", ghfake.SceneOptions{})
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			a.reset("gate")
			tt.set(a)
			code, v, text := a.run()
			if code != tt.code || v.Rule != tt.rule {
				t.Errorf("exit %d: %s\nwant %d, %s", code, text, tt.code, tt.rule)
			}
			if n := len(a.requests()); n > 0 {
				t.Errorf("%d requests: %v", n, a.requests())
			}
		})
	}
}

func TestGateText(t *testing.T) {
	a := newAction(t, "gate", ghfake.SceneOptions{})
	a.args = append(a.args[:3:3], "--format", "text")
	code, _, text := a.run()
	if code != exitYes || !strings.HasPrefix(text, "act (SF-GATE-000): all four gates hold\n  pull request 1, commit "+a.scene.Tested+"\n") {
		t.Errorf("exit %d: %s", code, text)
	}
	a.args = append(a.args[:3:3], "--format", "xml")
	if code, _, text := a.run(); code != exitUndecided || len(a.requests()) > 0 || !strings.Contains(text, "--format") {
		t.Errorf("exit %d: %s", code, text)
	}
}

func TestSetOutputsRefuses(t *testing.T) {
	a := newAction(t, "gate", ghfake.SceneOptions{})
	for _, value := range []string{"a\nok=true", "a b", "<<X", strings.Repeat("a", 65), "%0A"} {
		if err := setOutputs(func(k string) string { return a.vars[k] }, [2]string{"sha", value}); err == nil || a.outputs() != "" {
			t.Errorf("%q was written: %v", value, err)
		}
	}
	a.vars["GITHUB_OUTPUT"] = a.dir + "/missing/output"
	if err := setOutputs(func(k string) string { return a.vars[k] }, [2]string{"sha", "a"}); err == nil {
		t.Error("a missing file was no error")
	}
	if err := setOutputs(func(string) string { return "" }, [2]string{"sha", "a"}); err != nil {
		t.Errorf("outside of Actions: %v", err)
	}
}
