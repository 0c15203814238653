package local

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"selffix/internal/visible"
	"selffix/pipeline"
)

// grace is how long a worker may take to end after it was told to: it ends what it fenced, first.
const grace = 15 * time.Second

// startTime is how long a service may take until it answers.
const startTime = 30 * time.Second

// process is one worker at work.
type process struct {
	cmd    *exec.Cmd
	leash  io.Closer // the worker ends when this closes, so it ends too when this process is killed
	lines  chan string
	ended  chan struct{}
	err    error
	cancel func() bool
}

// installEnv lists what an installer takes of the caller's environment: where npm is, and how to reach the
// registry. What it brings is held to its integrity, whoever answers.
func installEnv() []string {
	return []string{"PATH", "NODE_EXTRA_CA_CERTS", "SSL_CERT_FILE", "SSL_CERT_DIR", "HTTPS_PROXY", "https_proxy", "NO_PROXY", "no_proxy"}
}

func (p *prepared) env() []string {
	env := []string{"HOME=" + filepath.Join(p.dir, "scratch"), "TMPDIR=" + filepath.Join(p.dir, "scratch"), "LC_ALL=C", "TZ=UTC"}
	for _, h := range p.step.Net.Hosts {
		if h != pipeline.HostNPM {
			continue
		}
		for _, name := range installEnv() {
			if v := p.i.o.Getenv(name); v != "" {
				env = append(env, name+"="+v)
			}
		}
		return env
	}
	return append(env, "PATH=/usr/local/bin:/usr/bin:/bin")
}

// start starts the worker. The lock of the run goes with it, so that the run's folder is not swept while a
// process of a killed run is still ending.
func (p *prepared) start(ctx context.Context) (*process, error) {
	leashEnd, leash, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrStep, err)
	}
	defer leashEnd.Close()
	cmd := exec.Command(p.i.o.Worker, append(p.step.Args, "--layout", p.layoutFile())...)
	cmd.Dir, cmd.Env = "/", p.env()
	cmd.Stdin = leashEnd
	cmd.ExtraFiles = []*os.File{p.i.run.lock}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if p.layout.NewRoot != "" {
		cmd.SysProcAttr.Cloneflags = unix.CLONE_NEWNS
	}
	cmd.WaitDelay = grace
	cmd.Stderr = &said{to: p.i.o.Stderr, left: p.step.Limits.OutputBytes}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%w: %w", ErrStep, err), leash.Close())
	}
	if err := cmd.Start(); err != nil {
		return nil, errors.Join(fmt.Errorf("%w: %s: %w", ErrStep, p.step.Name, err), leash.Close())
	}
	proc := &process{cmd: cmd, leash: leash, lines: make(chan string, 16), ended: make(chan struct{})}
	proc.cancel = context.AfterFunc(ctx, func() { proc.tell() })
	go proc.follow(out)
	return proc, nil
}

// follow reads the worker's few lines and waits for its end.
func (p *process) follow(out io.Reader) {
	lines := bufio.NewScanner(io.LimitReader(out, 64<<10))
	for lines.Scan() {
		select {
		case p.lines <- lines.Text():
		default: // nobody reads more than the first ones
		}
	}
	_, _ = io.Copy(io.Discard, out) // until it closes
	p.err = p.cmd.Wait()
	close(p.ended)
}

// tell lets go of the leash; a worker that does not end is killed.
func (p *process) tell() {
	_ = p.leash.Close()
	time.AfterFunc(grace, func() {
		select {
		case <-p.ended:
		default:
			_ = syscall.Kill(-p.cmd.Process.Pid, syscall.SIGKILL)
		}
	})
}

// wait waits for the end by itself, or by the end of the context.
func (p *process) wait() error {
	<-p.ended
	p.cancel()
	return errors.Join(p.err, p.close())
}

// stop ends a service.
func (p *process) stop() error {
	p.cancel()
	p.tell()
	<-p.ended
	return p.err
}

func (p *process) close() error {
	if err := p.leash.Close(); err != nil && !errors.Is(err, os.ErrClosed) {
		return err
	}
	return nil
}

// address waits for the line by which a service says that it answers.
func (p *process) address(ctx context.Context) (string, error) {
	late := time.NewTimer(startTime)
	defer late.Stop()
	for {
		select {
		case line := <-p.lines:
			if a, ok := strings.CutPrefix(line, "listening on "); ok {
				return a, nil
			}
		case <-p.ended:
			return "", errors.New("the service ended before it answered")
		case <-ctx.Done():
			return "", ctx.Err()
		case <-late.C:
			return "", fmt.Errorf("the service did not answer within %v", startTime)
		}
	}
}

// said passes a bounded amount of what a worker says on, line by line, with everything that does not print
// shown as its code point: it may quote what others wrote, and this may be a terminal.
type said struct {
	mu   sync.Mutex
	to   io.Writer
	left int64
	line []byte
}

// Write never fails: a worker must not end because nobody wants to hear it.
func (s *said) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.to == nil {
		return len(b), nil
	}
	for _, c := range b {
		if s.left <= 0 {
			break
		}
		s.left--
		if c != '\n' && len(s.line) < 4096 {
			s.line = append(s.line, c)
			continue
		}
		// Behind a margin, so that no line begins as a command of a workflow's log. The terminal may be gone.
		_, _ = io.WriteString(s.to, "  | "+visible.String(string(s.line))+"\n")
		s.line = s.line[:0]
	}
	return len(b), nil
}
