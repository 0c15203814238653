package worker

import (
	"context"
	"encoding/json"
	"fmt"
	"io"

	"golang.org/x/sys/unix"

	"selffix/pipeline"
	"selffix/pipeline/agent"
)

// InsideCommand is the command by which the outer half starts the inner one.
const InsideCommand = "inside"

// SelfTestName is what the outer half asks for in the agent's fence, before it starts the agent.
const SelfTestName = "self-test"

// Process is what an inner half has of its process.
type Process struct {
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	Environ        []string
}

// Inside runs the inner half of a step and writes its outcome. mapping is what the outer half passed on.
func Inside(ctx context.Context, name, mapping string, p Process) error {
	if err := fenced(); err != nil {
		return err
	}
	if name == SelfTestName {
		return agent.SelfTest(p.Stdin, p.Stdout, p.Environ)
	}
	s, err := find(name)
	if err != nil {
		return err
	}
	var at paths
	if err := json.Unmarshal([]byte(mapping), &at); err != nil {
		return fmt.Errorf("%w: it was not told where its paths lie", ErrStep)
	}
	do, ok := innerSteps()[s.Name]
	if !ok || s.Profile() != pipeline.ProfileTools {
		return fmt.Errorf("%w behind the fence: %s", ErrStep, s.Name)
	}
	unix.Umask(0o022)
	w := work{step: s, at: at}
	outcome, err := do(ctx, w)
	if err != nil {
		fmt.Fprintf(p.Stderr, "step %s: %v\n", s.Name, err)
		outcome = explain(err)
	}
	return writeOutcome(w.in(pipeline.OutDir), outcome)
}

// fenced tries what no fence allows. A person, or a mistake, that starts the inner half by itself gets no
// further.
func fenced() error {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil
	}
	return fmt.Errorf("%w: it can make an internet socket (%v)", ErrNoFence, unix.Close(fd))
}
