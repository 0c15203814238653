package main

import (
	"strings"
	"testing"

	"selffix/pipeline"
)

// command is the one exec that ran, which must be of a command without a secret, and asked for afresh.
func (g ground) command(t *testing.T, want string) state {
	t.Helper()
	all := g.states()
	if len(all) != 1 {
		t.Fatalf("%d execs ran, want one", len(all))
	}
	s := all[0]
	if s.name() != want {
		t.Errorf("ran %q, want %q", s.name(), want)
	}
	if len(s.secrets) != 0 || len(s.secretVs) != 0 || len(s.bindings) != 0 || len(s.env[nonceVariable]) < 20 || s.user != "0:0" {
		t.Errorf("secrets %v %v, services %v, nonce %q, user %q", s.secrets, s.secretVs, s.bindings, s.env[nonceVariable], s.user)
	}
	if len(s.options) != 1 || s.options[0] != "expect" {
		t.Errorf("options %v", s.options)
	}
	return s
}

func TestCheckOfAPatch(t *testing.T) {
	g := begin(t)
	g.left = func(_ *node, path string) (string, bool) {
		return `{"verdict":"accept","findings":[]}`, path == "stdout"
	}
	repo := g.folder("")
	v, err := g.m.Check(g.ctx, repo, "--evil", g.policyFile(), g.file("the patch"))
	if err != nil {
		t.Fatal(err)
	}
	s := g.command(t, strings.Join(fenced("check", "--repo=/in/repository", "--base=--evil", "--policy=/in/policy.yaml", "--patch=/in/fix.patch", "--format=json"), " "))
	if s.args[1] != "fence" || s.mounts["/in/repository"].source != g.of(repo) || !s.mounts["/in/repository"].readOnly {
		t.Errorf("runs %q with %v", s.args, s.mounts)
	}
	if said, err := v.Require(); said != "accept" || err != nil {
		t.Errorf("Require() = %q, %v", said, err)
	}
	for _, tt := range []struct {
		name, said string
		code       int
		decision   string // "": an error
	}{
		{"a refusal", `{"verdict":"refuse","findings":[{"rule":"SF-PATH-001"}]}`, 1, "refuse"},
		{"a refusal that exits 0", `{"verdict":"refuse","findings":[{"rule":"SF-PATH-001"}]}`, 0, ""},
		{"a refusal without a finding", `{"verdict":"refuse","findings":[]}`, 1, ""},
		{"an acceptance that exits 1", `{"verdict":"accept","findings":[]}`, 1, ""},
		{"an acceptance with a finding", `{"verdict":"accept","findings":[{"rule":"SF-PATH-001"}]}`, 0, ""},
		{"no decision", `{"verdict":"undecided","findings":[]}`, 1, ""},
		{"a deadline", ``, 124, ""},
		{"no fence", ``, 125, ""},
	} {
		g.left = func(*node, string) (string, bool) { return tt.said, true }
		g.code = func(*node) int { return tt.code }
		v, err := g.m.Check(g.ctx, repo, "HEAD", g.policyFile(), g.file("the patch"))
		if (err == nil) != (tt.decision != "") || (err == nil && (v.Decision != tt.decision || v.Allows)) {
			t.Errorf("%s: %+v, %v, want %q", tt.name, v, err, tt.decision)
		}
	}
}

func TestSelfTest(t *testing.T) {
	g := begin(t)
	g.left = func(*node, string) (string, bool) { return "all held", true }
	if text, err := g.m.SelfTest(g.ctx); err != nil || text != "all held" {
		t.Errorf("%q, %v", text, err)
	}
	g.command(t, "self-test")
	g.code = func(*node) int { return 1 }
	if text, err := g.m.SelfTest(g.ctx); err == nil || text != "" {
		t.Errorf("a fence with a hole: %q, %v, want an error", text, err)
	}
}

func TestDoctor(t *testing.T) {
	g := begin(t)
	g.left = func(*node, string) (string, bool) { return `{"findings":[]}`, true }
	v, err := g.m.Doctor(g.ctx, "o/r", g.policyFile(), g.secret("env://MINE"))
	if err != nil || v.Decision != "pass" {
		t.Fatalf("%+v, %v", v, err)
	}
	s := g.states()[0]
	if s.name() != "doctor --repository=o/r --policy=/in/policy.yaml --format=json" || len(s.secretVs) != 1 || s.secretVs["GITHUB_TOKEN"].str("uri") != "env://MINE" || len(s.secrets) != 0 {
		t.Errorf("ran %q with %v and %v", s.name(), s.secretVs, s.secrets)
	}
	g.code = func(*node) int { return 1 }
	if v, err := g.m.Doctor(g.ctx, "o/r", g.policyFile(), g.secret("env://MINE")); err != nil || v.Allows {
		t.Errorf("weaknesses: %+v, %v", v, err)
	}
}

func TestSecretsMapAsksNobody(t *testing.T) {
	g := begin(t)
	text, err := g.m.SecretsMap()
	if err != nil || len(g.queries) != 0 {
		t.Fatalf("%v, %d queries", err, len(g.queries))
	}
	for _, p := range pipeline.Plans() {
		for _, s := range p.Steps {
			if !strings.Contains(text, string(s.Name)) {
				t.Errorf("the map lacks %s", s.Name)
			}
		}
	}
}
