package main

import (
	"errors"
	"strings"
	"testing"

	"selffix/dagger/internal/dagger"
	"selffix/pipeline"
)

func TestGate(t *testing.T) {
	g := begin(t)
	v, err := g.m.Gate(g.ctx, g.policyFile(), g.file("the event"), runID, 1, g.secret("env://READ"))
	if err != nil {
		t.Fatal(err)
	}
	call{
		plan: pipeline.Gate(), first: "gate", last: "gate", policy: g.parsed, files: g.gateFiles("status"),
		secrets: map[pipeline.SecretName]string{pipeline.SecretGitHubRead: "env://READ"},
	}.equals(t, g.recorder)
	if said, err := v.Require(); v.Decision != "act" || err != nil || said != "act" || v.Json() != verdictText(t, goesOn) {
		t.Errorf("verdict %+v, Require() = %q, %v", v, said, err)
	}
}

func TestGateThatDoesNotAct(t *testing.T) {
	g := begin(t)
	ask := func() (*Verdict, error) {
		return g.m.Gate(g.ctx, g.policyFile(), g.file("the event"), runID, 1, g.secret("env://READ"))
	}
	g.ends(map[pipeline.StepName]string{"gate": stops})
	v, err := ask()
	if err != nil || v.Decision != "nothing" || v.Rule != "SF-GATE-010" {
		t.Fatalf("a gate that stops: %+v, %v, want a verdict", v, err)
	}
	if said, err := v.Require(); err == nil || said != "" {
		t.Errorf("Require() = %q, %v, want an error", said, err)
	}
	for name, outcome := range map[string]string{"it doubts": doubts, "it left nothing": "", "it says something else": `{"decision":"act","rule":"","reason":""}`, "it left no outcome": `{}`} {
		g.ends(map[pipeline.StepName]string{"gate": outcome})
		if v, err := ask(); err == nil || v != nil {
			t.Errorf("%s: %+v, %v, want an error", name, v, err)
		}
	}
	// A step that stops and leaves a verdict that acts, or the reverse.
	for outcome, verdict := range map[string]string{stops: goesOn, goesOn: stops} {
		g.left = func(_ *node, path string) (string, bool) {
			return map[string]string{"/out/outcome.json": outcome, "/out/verdict.json": verdictText(t, verdict)}[path], true
		}
		if v, err := ask(); err == nil {
			t.Errorf("outcome %s with verdict %s: %+v, want an error", outcome, verdict, v)
		}
	}
}

func TestRunIsStated(t *testing.T) {
	g := begin(t)
	for _, bad := range [][2]int{{0, 1}, {runID, 0}, {-1, 1}} {
		if _, err := g.m.Gate(g.ctx, g.policyFile(), g.file(""), bad[0], bad[1], g.secret("env://READ")); !errors.Is(err, pipeline.ErrRun) {
			t.Errorf("run %d attempt %d: %v, want ErrRun", bad[0], bad[1], err)
		}
	}
	if _, err := g.m.ReviewGate(g.ctx, g.policyFile(), g.file(""), "push", runID, 1, g.secret("env://READ"), nil); !errors.Is(err, pipeline.ErrRun) {
		t.Errorf("event push: %v, want ErrRun", err)
	}
	if n := len(g.states()); n != 0 {
		t.Errorf("%d execs ran", n)
	}
}

func TestReviewGate(t *testing.T) {
	for _, tt := range []struct {
		name    string
		by      pipeline.ReviewSecret
		event   string
		key     string
		secrets map[pipeline.SecretName]string
	}{
		{"by the workflow's token", pipeline.ReviewByToken, "merge_group", "", map[pipeline.SecretName]string{pipeline.SecretGitHubStatus: "env://TOKEN"}},
		{"by the app", pipeline.ReviewByApp, "pull_request_target", "env://KEY", map[pipeline.SecretName]string{
			pipeline.SecretGitHubRead: "env://TOKEN", pipeline.SecretReviewAppKey: "env://KEY",
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			g := begin(t)
			var key *dagger.Secret
			if tt.key != "" {
				key = g.secret(tt.key)
			}
			v, err := g.m.ReviewGate(g.ctx, g.policyFile(), g.file("the event"), tt.event, runID, 1, g.secret("env://TOKEN"), key)
			if err != nil || !v.Allows {
				t.Fatalf("%+v, %v", v, err)
			}
			call{plan: pipeline.Review(tt.by), first: "review-gate", last: "review-gate", policy: g.parsed, files: g.gateFiles(tt.event), secrets: tt.secrets}.equals(t, g.recorder)
		})
	}
}

func TestOutputAboveItsBytes(t *testing.T) {
	g := begin(t)
	inner := g.left
	g.left = func(exec *node, path string) (string, bool) {
		if path == "/out/verdict.json" {
			return strings.Repeat(" ", 1<<20), true
		}
		return inner(exec, path)
	}
	if v, err := g.m.Gate(g.ctx, g.policyFile(), g.file("the event"), runID, 1, g.secret("env://READ")); err == nil || !strings.Contains(err.Error(), "the limit is") {
		t.Errorf("a verdict of 1 MiB: %+v, %v, want an error", v, err)
	}
}
