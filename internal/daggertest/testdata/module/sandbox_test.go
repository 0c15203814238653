package main

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"selffix/internal/demo"
	"selffix/pipeline"
	"selffix/pipeline/policy"
)

// A stand-in is bound only where the policy is a sandbox's, names it, and the plan lets the step reach that host.
func TestSandbox(t *testing.T) {
	hosts := []string{
		"sandbox: false", "sandbox: true", "github_api: https://api.github.com", "github_api: http://sandbox-github:8080",
		"github_git: https://github.com", "github_git: http://sandbox-github:8080", "model: https://api.anthropic.com", "model: http://sandbox-model:8081",
	}
	g := begin(t, hosts...)
	github, model, bot := dag.Container().WithExposedPort(1).AsService(), dag.Container().WithExposedPort(2).AsService(), dag.Container().WithExposedPort(3).AsService()
	stands := map[string]*node{"sandbox-github": g.of(github), "sandbox-model": g.of(model), "sandbox-bot": g.of(bot)}
	g.m = g.m.WithSandbox(github, model, bot)
	if _, err := g.m.Checkout(g.ctx, g.policyFile(), g.file("the verdict"), g.secret("env://READ")); err != nil {
		t.Fatal(err)
	}
	if _, _, err := g.agent(); err != nil {
		t.Fatal(err)
	}
	want := map[string][]string{"fetch": {"sandbox-github"}, "model-proxy": {"sandbox-model"}}
	for _, s := range g.states() {
		for alias, service := range s.bindings {
			if alias == "model-proxy" {
				continue
			}
			if len(want[s.name()]) != 1 || want[s.name()][0] != alias || service != stands[alias] {
				t.Errorf("%s is bound to %s", s.name(), alias)
			}
			delete(want, s.name())
		}
	}
	if len(want) != 0 {
		t.Errorf("not bound: %v", want)
	}

	real := begin(t)
	real.m = real.m.WithSandbox(dag.Container().AsService(), dag.Container().AsService(), dag.Container().AsService())
	if _, err := real.m.Checkout(real.ctx, real.policyFile(), real.file("the verdict"), real.secret("env://READ")); err != nil {
		t.Fatal(err)
	}
	for _, s := range real.states() {
		if len(s.bindings) != 0 {
			t.Errorf("%s is bound to %v outside a sandbox", s.name(), s.bindings)
		}
	}
}

// The policy's reader refuses a stand-in's name outside a sandbox; the module does not lean on that.
func TestStandInsNeedASandbox(t *testing.T) {
	begin(t)
	m := (&SelfFix{}).WithSandbox(dag.Container().AsService(), nil, nil)
	if bound := m.stands(policy.Policy{}); len(bound) != 0 {
		t.Errorf("outside a sandbox: %v", bound)
	}
	if bound := m.stands(policy.Policy{Sandbox: true}); len(bound) != 1 || bound["sandbox-github"] == nil {
		t.Errorf("in a sandbox: %v, want the one that was given", bound)
	}
}

// The demo takes no secret of anybody: what its stand-ins hand out begins with sandbox-, and it goes to them alone.
func TestDemo(t *testing.T) {
	g := begin(t)
	answers := map[string]any{
		"open":    demo.Opened{Play: "repair", Policy: g.policy, Head: commit, Pull: 7, Secrets: map[pipeline.SecretName]string{pipeline.SecretBot: "sandbox-bot-key"}},
		"verdict": demo.Judged{Event: "{}", Tools: []demo.File{}}, "state": demo.State{Head: commit, Bot: []string{}, Review: []string{}, Stopped: []demo.Stopped{}},
		"test": demo.TestRun{Commit: commit, State: "success", Began: time.Unix(1, 0).UTC(), Passed: 3, Failing: []string{}},
	}
	g.left = func(exec *node, path string) (string, bool) {
		args := stateOf(exec).args
		answer, ok := answers[args[2]]
		if args[2] == "control" {
			answer, ok = answers[args[3]]
		}
		text, err := json.Marshal(answer)
		return string(text), ok && err == nil && path == "/agent/answer"
	}
	if d, err := g.m.Demo(g.ctx); !errors.Is(err, demo.ErrPlay) || d != nil {
		t.Fatalf("a play whose tests are green: %v, %v, want ErrPlay", d, err)
	}
	var ran []string
	for _, s := range g.states() {
		ran = append(ran, s.args[2])
		if s.args[1] != "sandbox" || len(s.secrets) != 0 || len(s.secretVs) != 0 || s.user != "0:0" || len(s.options) != 0 {
			t.Errorf("ran %q with %v %v as %q, options %v", s.args, s.secrets, s.secretVs, s.user, s.options)
		}
		for alias, service := range s.bindings {
			if alias != demo.GitHubAlias || service.field != "asService" || service.id != g.states()[0].exec.id {
				t.Errorf("%q is bound to %s", s.args, alias)
			}
		}
		if pinned := s.args[2] == "modules"; pinned == (len(s.env[nonceVariable]) >= 20) {
			t.Errorf("%q has the nonce %q", s.args, s.env[nonceVariable])
		}
	}
	slices.Sort(ran)
	if !slices.Equal(ran, []string{"bring", "control", "control", "control", "modules", "serve", "test"}) {
		t.Errorf("ran %v", ran)
	}
	for _, n := range g.nodes {
		if n.field == "secret" || (n.field == "setSecret" && !strings.HasPrefix(n.str("plaintext"), "sandbox-") && !strings.HasPrefix(n.str("plaintext"), "self-fix-run-")) {
			t.Errorf("the demo's session has the secret %v", n.args)
		}
	}
}
