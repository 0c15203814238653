package agent_test

import (
	"bytes"
	"context"
	"errors"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"selffix/internal/modelfake"
	"selffix/internal/tokens"
	"selffix/pipeline/agent"
	"selffix/pipeline/policy"
	"selffix/pipeline/proxy"
)

// installed returns the real program, brought into the user's cache once. The only reasons to skip are another platform and a
// machine that is offline and has none.
func installed(t *testing.T) agent.Tools {
	t.Helper()
	pin, err := agent.ThePin()
	if err != nil {
		t.Fatal(err)
	}
	if got := runtime.GOOS + "/" + runtime.GOARCH; got != pin.Platform {
		t.Skipf("the pinned program is for %s, this is %s", pin.Platform, got)
	}
	cache, err := agent.CacheDir(os.Getenv)
	if err != nil {
		t.Fatal(err)
	}
	in := agent.Installer{Cache: cache, Getenv: os.Getenv}
	tools, err := in.Install(t.Context())
	if errors.Is(err, agent.ErrOffline) {
		in.Source = agent.FromRegistry
		tools, err = in.Install(t.Context())
		if err != nil && offline(t) {
			t.Skipf("the agent's program is not cached and the registry cannot be reached: %v", err)
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	return tools
}

// offline reports whether npm itself cannot reach its registry.
func offline(t *testing.T) bool {
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	return exec.CommandContext(ctx, "npm", "ping").Run() != nil
}

// ground is a scratch layout with the real program, a scripted model and the real proxy between them.
type ground struct {
	tools  agent.Tools
	layout agent.Layout
	root   string
	policy policy.Policy
	key    tokens.Token
	model  *modelfake.Running
	proxy  *proxy.Proxy
	url    string
}

const modelToken = "sandbox-model-token-of-a-test"

// newGround lays the folders below a path that the settings do not deny.
func newGround(t *testing.T, script modelfake.Script) *ground {
	t.Helper()
	g := &ground{tools: installed(t), root: scratch(t)}
	g.layout = agent.Layout{
		Checkout: filepath.Join(g.root, "src", "checkout"), Bundle: filepath.Join(g.root, "in"),
		Home: filepath.Join(g.root, "home"), Temp: filepath.Join(g.root, "tmp"),
	}
	for _, d := range []string{g.layout.Checkout, g.layout.Bundle, g.layout.Home, g.layout.Temp} {
		if err := os.MkdirAll(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	g.serve(t, script)
	return g
}

// scratch is a private folder below /var/tmp: a home or /tmp may be what a rule speaks of.
func scratch(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("/var/tmp", "self-fix-agent-test-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	return dir
}

func (g *ground) serve(t *testing.T, script modelfake.Script) {
	t.Helper()
	var err error
	if g.policy, err = policy.Load("../../testdata/policy/seed.yaml"); err != nil {
		t.Fatal(err)
	}
	g.model, err = modelfake.Start(modelfake.Options{Key: modelToken, Script: script})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { g.model.Close() })
	g.policy.Sandbox, g.policy.Hosts.Model = true, g.model.URL
	g.policy.Agent.MaxTurns, g.policy.Agent.MaxRequests = 500, 500
	g.policy.Agent.MaxUSD, g.policy.Agent.MaxInputTokens = 100, 1_000_000_000
	g.front(t)
}

// front puts a proxy with the ground's policy before the model.
func (g *ground) front(t *testing.T) {
	t.Helper()
	token, err := tokens.New(modelToken)
	if err != nil {
		t.Fatal(err)
	}
	if g.key, err = proxy.NewKey(nil); err != nil {
		t.Fatal(err)
	}
	g.proxy, err = proxy.New(proxy.Options{Policy: g.policy, Token: token, Key: g.key})
	if err != nil {
		t.Fatal(err)
	}
	s := httptest.NewServer(g.proxy)
	t.Cleanup(s.Close)
	g.url = s.URL
}

func (g *ground) write(t *testing.T, name, content string) string {
	t.Helper()
	p := filepath.Join(g.root, name)
	if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(p, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
	return p
}

func (g *ground) read(t *testing.T, name string) string {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(g.root, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// outcome is how one run of the real program ended.
type outcome struct {
	result         agent.Result
	err            error
	stdout, stderr string
}

// run starts the program without a fence, as this user.
func (g *ground) run(t *testing.T, change ...func(*agent.Command)) outcome {
	t.Helper()
	if err := g.tools.Verify(t.Context()); err != nil {
		t.Fatal(err)
	}
	c, err := g.tools.Command(agent.Call{Layout: g.layout, Policy: g.policy, Endpoint: agent.ByURL(g.url), Key: g.key})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range change {
		f(&c)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	x := exec.CommandContext(ctx, c.Args[0], c.Args[1:]...)
	x.Dir, x.Env, x.Stdin = c.Dir, c.Env, bytes.NewReader(c.Stdin)
	var stdout, stderr bytes.Buffer
	x.Stdout, x.Stderr = &stdout, &stderr
	_ = x.Run() // its exit code is judged below
	if ctx.Err() != nil {
		t.Fatal("the agent did not end")
	}
	o := outcome{stdout: stdout.String(), stderr: stderr.String()}
	o.result, o.err = agent.ReadResult(&stdout, x.ProcessState.ExitCode())
	return o
}

func call(tool, input string) modelfake.Call {
	return modelfake.Call{Tool: tool, Input: []byte(input)}
}
