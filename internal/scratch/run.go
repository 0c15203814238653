package scratch

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"time"
)

// Why a process gave no answer.
var (
	ErrSignal  = errors.New("git was ended by a signal")
	ErrTimeout = errors.New("git ran out of time")
	ErrOutput  = errors.New("git wrote more than it may")
	ErrEnded   = errors.New("git was ended from outside, such as for want of memory")
	ErrExit    = errors.New("git refused") // the error is also an *ExitError
)

// The limits on what a process may write when its command says nothing else, and on error text always.
const (
	DefaultOutput = 1 << 20
	maxErrorText  = 16 << 10
	reapDelay     = time.Second
)

// ExitError is an exit code other than 0.
type ExitError struct {
	Command string // git's subcommand
	Code    int
	Text    string // the start of standard error; untrusted, it repeats names
}

func (e *ExitError) Error() string {
	return fmt.Sprintf("git %s: exit code %d: %q", e.Command, e.Code, cut(firstLine(e.Text)))
}

// Is makes every ExitError an ErrExit.
func (e *ExitError) Is(target error) bool { return target == ErrExit }

// Command is one call of git. Arguments are constants and ids that were checked, never untrusted text: that goes in by Stdin.
type Command struct {
	Args    []string
	Stdin   []byte
	Env     []string      // added to the folder's own; a later value wins
	Stdout  io.Writer     // nil collects the output and returns it
	Limit   int64         // bytes of output; 0 is DefaultOutput
	Timeout time.Duration // 0 is the folder's
}

// Run runs git in the scratch folder and returns what it wrote. Any end but exit code 0 within the limits is an error.
func (f *Folder) Run(ctx context.Context, c Command) ([]byte, error) {
	if len(c.Args) == 0 || c.Limit < 0 || c.Timeout < 0 {
		return nil, errors.New("a git command wants arguments and limits of zero or more")
	}
	ctx, cancel := f.within(ctx, c.Timeout)
	defer cancel()
	var out bytes.Buffer
	stdout := &capped{to: &out, left: DefaultOutput, full: cancel}
	if c.Stdout != nil {
		stdout.to = c.Stdout
	}
	if c.Limit > 0 {
		stdout.left = c.Limit
	}
	var text bytes.Buffer
	cmd := f.command(ctx, c)
	cmd.Stdin = bytes.NewReader(c.Stdin)
	cmd.Stdout = stdout
	cmd.Stderr = &tail{to: &text, left: maxErrorText}
	f.running.Add(1)
	defer f.running.Done()
	err := cmd.Run()
	if errors.Is(err, exec.ErrWaitDelay) {
		syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // a child of git still holds the pipe, so the group is still there
	}
	if stdout.over {
		return nil, fmt.Errorf("git %s: %w", c.Args[0], ErrOutput)
	}
	if err := ending(ctx, c.Args[0], err, text.String()); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// command prepares a process in a group of its own, so that ending it ends all that it started.
func (f *Folder) command(ctx context.Context, c Command) *exec.Cmd {
	cmd := exec.CommandContext(ctx, f.git, c.Args...)
	cmd.Dir = f.Path("work")
	cmd.Env = slices.Concat(f.env, c.Env)
	cmd.WaitDelay = reapDelay
	if !mayGroup() {
		return cmd
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	return cmd
}

// mayGroup reports whether this process may make process groups. Behind the fence it may not, so that the fence's own group
// is complete; the fence then ends what a killed git leaves. The kernel knows no group -1 (EINVAL); a filter answers first.
func mayGroup() bool { return errors.Is(syscall.Setpgid(0, -1), syscall.EINVAL) }

// within bounds a context by a time limit and by the life of the folder.
func (f *Folder) within(ctx context.Context, limit time.Duration) (context.Context, context.CancelFunc) {
	if limit == 0 {
		limit = f.timeout
	}
	ctx, cancel := context.WithTimeoutCause(ctx, limit, ErrTimeout)
	stop := context.AfterFunc(f.closed, cancel)
	return ctx, func() { stop(); cancel() }
}

// ending turns the end of a process into an answer or an error. A signal is never an answer: git dies by one on assertions
// that a hostile patch reaches, and leaves its lock behind.
func ending(ctx context.Context, name string, err error, text string) error {
	if cause := context.Cause(ctx); cause != nil && err != nil {
		return fmt.Errorf("git %s: %w", name, cause)
	}
	if err == nil {
		return nil
	}
	var exit *exec.ExitError
	if !errors.As(err, &exit) {
		return fmt.Errorf("git %s: %w", name, err)
	}
	status, ok := exit.Sys().(syscall.WaitStatus)
	if ok && status.Signaled() && fromOutside(status.Signal()) {
		return fmt.Errorf("git %s: %w: %v", name, ErrEnded, exit)
	}
	if !ok || status.Signaled() {
		return fmt.Errorf("git %s: %w: %v", name, ErrSignal, exit)
	}
	return &ExitError{Command: name, Code: exit.ExitCode(), Text: text}
}

// fromOutside reports whether a signal comes from the machine or a person, and not from what git was given: out of memory, a limit, the end.
func fromOutside(s syscall.Signal) bool {
	switch s {
	case syscall.SIGKILL, syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP, syscall.SIGQUIT, syscall.SIGXFSZ, syscall.SIGXCPU:
		return true
	}
	return false
}

// capped passes bytes on up to a limit and then ends the process.
type capped struct {
	to   io.Writer
	left int64
	over bool
	full func()
}

func (w *capped) Write(p []byte) (int, error) {
	if int64(len(p)) > w.left {
		w.over = true
		w.full()
		return 0, ErrOutput
	}
	w.left -= int64(len(p))
	return w.to.Write(p)
}

// tail keeps the first bytes and drops the rest.
type tail struct {
	to   *bytes.Buffer
	left int
}

func (w *tail) Write(p []byte) (int, error) {
	n := min(len(p), w.left)
	w.to.Write(p[:n])
	w.left -= n
	return len(p), nil
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return line
}
