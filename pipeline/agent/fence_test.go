package agent_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"selffix/pipeline/agent"
	"selffix/pipeline/fence"
)

// selfTestArg makes the test binary the program that runs in the fence.
const selfTestArg = "self-test-of-the-fence"

var helper fence.Helper

func TestMain(m *testing.M) {
	helper = fence.Enter()
	if len(os.Args) == 2 && os.Args[1] == selfTestArg {
		if err := agent.SelfTest(os.Stdin, os.Stdout, os.Environ()); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// system lists what the agent's program, which is linked dynamically, needs of the machine.
func system(t *testing.T) []string {
	t.Helper()
	var out []string
	for _, p := range []string{"/lib", "/lib64", "/usr/lib", "/usr/lib64", "/etc/ld.so.cache"} {
		if _, err := os.Stat(p); err == nil {
			out = append(out, p)
		}
	}
	return out
}

// fenced runs a program in the fence that the agent gets.
func (g *ground) fenced(t *testing.T, args []string, read []string, stdin io.Reader) (fence.Result, string, string) {
	t.Helper()
	c := g.command(t)
	var stdout, stderr bytes.Buffer
	r, err := fence.Run(t.Context(), fence.Options{
		Helper: helper, Profile: fence.Agent, Timeout: 3 * time.Minute, Args: args, Env: c.Env, Dir: c.Dir,
		Read: append(append(system(t), c.Read...), read...), Write: c.Write, Relay: strings.TrimPrefix(g.url, "http://"),
		Stdin: stdin, Stdout: &stdout, Stderr: &stderr,
	})
	if errors.Is(err, fence.ErrUnavailable) {
		t.Skipf("no fence here: %v", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	return r, stdout.String(), stderr.String()
}

func (g *ground) command(t *testing.T) agent.Command {
	t.Helper()
	c, err := g.tools.Command(agent.Call{
		Layout: g.layout, Policy: g.policy, Endpoint: agent.BySocket(filepath.Join(g.layout.Temp, "model")), Key: g.key,
	})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// runFenced starts the real program in the fence, whose relay leads to the proxy.
func (g *ground) runFenced(t *testing.T) outcome {
	t.Helper()
	if err := g.tools.Verify(t.Context()); err != nil {
		t.Fatal(err)
	}
	c := g.command(t)
	r, stdout, stderr := g.fenced(t, c.Args, nil, bytes.NewReader(c.Stdin))
	if r.End != fence.Exited {
		t.Fatalf("the fence ended the agent: %v\n%s\n%s", r, stdout, stderr)
	}
	o := outcome{stdout: stdout, stderr: stderr}
	o.result, o.err = agent.ReadResult(strings.NewReader(stdout), r.Code)
	return o
}
