package agent_test

import (
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"selffix/internal/tokens"
	"selffix/pipeline/agent"
	"selffix/pipeline/policy"
	"selffix/pipeline/proxy"
)

func goodCall(t *testing.T) (agent.Tools, agent.Call) {
	t.Helper()
	p, err := policy.Load("../../testdata/policy/seed.yaml")
	if err != nil {
		t.Fatal(err)
	}
	key, err := tokens.New("self-fix-run-key-of-a-test")
	if err != nil {
		t.Fatal(err)
	}
	tools, err := agent.Open("/opt/agent")
	if err != nil {
		t.Fatal(err)
	}
	return tools, agent.Call{Layout: agent.StepLayout(), Policy: p, Endpoint: agent.BySocket("/agent/tmp/model"), Key: key}
}

// golden is one line for each part of the call. A change of it is a change of what was measured, and must be measured again.
func golden(c agent.Command) string {
	return strings.Join(slices.Concat([]string{"dir " + c.Dir}, prefixed("arg ", c.Args), prefixed("env ", c.Env), prefixed("read ", c.Read), prefixed("write ", c.Write)), "\n") +
		"\n\n" + string(c.Stdin)
}

func prefixed(with string, list []string) []string {
	var out []string
	for _, s := range list {
		out = append(out, with+s)
	}
	return out
}

func TestCommand(t *testing.T) {
	tools, call := goodCall(t)
	c, err := tools.Command(call)
	if err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile("testdata/command.golden")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), golden(c)); diff != "" {
		t.Errorf("the call changed; measure it again against testdata/hostile, then correct the golden file:\n%s", diff)
	}
	for _, e := range c.Env {
		name, _, _ := strings.Cut(e, "=")
		if !slices.Contains(agent.EnvNames(), name) {
			t.Errorf("%s is not among EnvNames", name)
		}
	}
	if agent.MaxOutputTokens != proxy.DefaultLimits().MaxTokens {
		t.Error("the agent asks for longer answers than the proxy lets it have, or for shorter ones")
	}
	call.Endpoint = agent.ByURL("http://127.0.0.1:8080")
	c, err = tools.Command(call)
	if err != nil || !slices.Contains(c.Env, "ANTHROPIC_BASE_URL=http://127.0.0.1:8080") {
		t.Errorf("got %v, %v", c.Env, err)
	}
}

func TestCommandRefuses(t *testing.T) {
	tools, good := goodCall(t)
	token := func(s string) tokens.Token {
		tok, err := tokens.New(s)
		if err != nil {
			t.Fatal(err)
		}
		return tok
	}
	for name, change := range map[string]func(*agent.Call){
		"disabled policy":           func(c *agent.Call) { c.Policy.Enabled = false },
		"no model":                  func(c *agent.Call) { c.Policy.Agent.Model = "" },
		"model like a flag":         func(c *agent.Call) { c.Policy.Agent.Model = "--dangerously-skip-permissions" },
		"no turns":                  func(c *agent.Call) { c.Policy.Agent.MaxTurns = 0 },
		"no money":                  func(c *agent.Call) { c.Policy.Agent.MaxUSD = 0 },
		"no key":                    func(c *agent.Call) { c.Key = tokens.Token{} },
		"an API key":                func(c *agent.Call) { c.Key = token("sk-" + "ant-api03-made-up") },
		"an account's token":        func(c *agent.Call) { c.Key = token("sk-" + "ant-oat01-made-up") },
		"no endpoint":               func(c *agent.Call) { c.Endpoint = agent.Endpoint{} },
		"no checkout":               func(c *agent.Call) { c.Layout.Checkout = "" },
		"relative checkout":         func(c *agent.Call) { c.Layout.Checkout = "checkout" },
		"checkout with dots":        func(c *agent.Call) { c.Layout.Checkout = "/src/../etc" },
		"checkout is the root":      func(c *agent.Call) { c.Layout.Checkout = "/" },
		"checkout below /home":      func(c *agent.Call) { c.Layout.Checkout = "/home/me/src" },
		"checkout below /root":      func(c *agent.Call) { c.Layout.Checkout = "/root" },
		"checkout below the home":   func(c *agent.Call) { c.Layout.Checkout = "/agent/home/src" },
		"bundle below /run":         func(c *agent.Call) { c.Layout.Bundle = "/run/in" },
		"bundle in the checkout":    func(c *agent.Call) { c.Layout.Bundle = "/src/checkout/in" },
		"home in the checkout":      func(c *agent.Call) { c.Layout.Home = "/src/checkout/home" },
		"checkout and temp are one": func(c *agent.Call) { c.Layout.Temp = "/src/checkout" },
	} {
		t.Run(name, func(t *testing.T) {
			call := good
			change(&call)
			if _, err := tools.Command(call); !errors.Is(err, agent.ErrCommand) {
				t.Fatalf("got %v", err)
			}
		})
	}
	for _, dir := range []string{"", "tools", "/opt/../agent", "/opt/agent/"} {
		if _, err := agent.Open(dir); !errors.Is(err, agent.ErrTools) {
			t.Errorf("Open(%q): got %v", dir, err)
		}
	}
}

// The first line is fixed whatever the policy says, so that no prompt is taken for a command.
func TestPrompt(t *testing.T) {
	_, call := goodCall(t)
	for _, p := range []policy.Policy{{}, call.Policy} {
		if got := agent.Prompt(p, "/in"); !strings.HasPrefix(got, "Repair the failure that the test report describes, by the rules of your system prompt.\n") {
			t.Errorf("the prompt begins with %.100q", got)
		}
	}
}
