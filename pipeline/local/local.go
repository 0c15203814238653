package local

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"

	"selffix/internal/tokens"
	"selffix/internal/visible"
	"selffix/pipeline"
)

// ErrStep marks a step that could not be run as the plan says.
var ErrStep = errors.New("the step could not be run")

// Options are what an interpreter works with.
type Options struct {
	Worker  string // the program whose "step" command is the worker; absolute
	Parent  string // where the run's folder is made; "" is DefaultParent
	Secrets map[pipeline.SecretName]tokens.Token
	Keys    map[pipeline.SecretName][]byte // secrets of several lines: the review app's key
	Offline bool
	Getenv  func(string) string // for what an installer needs: PATH, and the network's proxy and certificates
	Stderr  io.Writer           // what steps say, made visible; nil drops it
	// Keep names outputs that lie in a folder of their own between runs: they are not copied or measured.
	Keep map[pipeline.Ref]string
}

// Interpreter runs steps as processes. Close it: nothing of the run is left then.
type Interpreter struct {
	o       Options
	run     *runDir
	ownRoot bool

	mu      sync.Mutex
	next    int
	reached map[string]string // by name: where steps find what lies where they may not enter
}

// New sweeps old runs and makes a run folder.
func New(o Options) (*Interpreter, error) {
	if !filepath.IsAbs(o.Worker) {
		return nil, fmt.Errorf("%w: the worker's path must be absolute", ErrStep)
	}
	if o.Parent == "" {
		o.Parent = DefaultParent
	}
	if o.Getenv == nil {
		o.Getenv = func(string) string { return "" }
	}
	if err := sweep(o.Parent); err != nil {
		warn(o.Stderr, err)
	}
	run, err := newRunDir(o.Parent)
	if err != nil {
		return nil, err
	}
	i := &Interpreter{o: o, run: run, ownRoot: os.Geteuid() == 0 && mayMount(o.Worker)}
	if os.Geteuid() == 0 && !i.ownRoot {
		// Steps run as users of their own on mapped paths, so they pass through this folder. Its name is random.
		if err := os.Chmod(run.path, 0o711); err != nil {
			return nil, errors.Join(fmt.Errorf("open the run's folder: %w", err), run.close())
		}
		if i.o.Worker, err = i.reach(o.Worker); err != nil {
			return nil, errors.Join(err, run.close())
		}
	}
	return i, nil
}

// warn says what does not stop the run. An old run's folder may have a name that a stranger chose.
func warn(w io.Writer, err error) {
	if w != nil {
		fmt.Fprintf(w, "warning: %s\n", visible.Cut(err.Error(), 1000))
	}
}

// Close removes the run's folder. What cannot be removed is left to the next run's sweep.
func (i *Interpreter) Close() error { return i.run.close() }

// Folder makes an empty folder that lives as long as the run, for what the caller brings.
func (i *Interpreter) Folder(name string) (string, error) {
	p := filepath.Join(i.run.path, "in", filepath.Base(name))
	if err := os.MkdirAll(p, 0o755); err != nil {
		return "", fmt.Errorf("make a folder: %w", err)
	}
	return p, nil
}

// mayMount reports whether root may give its children a mount namespace: in a container it often may not.
func mayMount(worker string) bool {
	c := exec.Command(worker, "version")
	c.Env = []string{}
	c.SysProcAttr = &syscall.SysProcAttr{Cloneflags: unix.CLONE_NEWNS}
	return c.Run() == nil
}

// Run runs one step to its end.
func (i *Interpreter) Run(ctx context.Context, s pipeline.Step, in map[pipeline.Ref]string, services map[pipeline.StepName]pipeline.Service[string]) (map[pipeline.Ref]string, pipeline.Outcome, error) {
	p, err := i.prepare(s, in, services)
	if err != nil {
		return nil, pipeline.Outcome{}, err
	}
	defer p.dropSecrets()
	proc, err := p.start(ctx)
	if err != nil {
		return nil, pipeline.Outcome{}, err
	}
	if err := proc.wait(); err != nil {
		return nil, pipeline.Outcome{}, fmt.Errorf("%w: %s: %w", ErrStep, s.Name, err)
	}
	return p.collect()
}

// Serve starts a service step and returns when it answers.
func (i *Interpreter) Serve(ctx context.Context, s pipeline.Step, in map[pipeline.Ref]string) (pipeline.Service[string], error) {
	p, err := i.prepare(s, in, nil)
	if err != nil {
		return nil, err
	}
	defer p.dropSecrets() // once it answers, it has read them
	proc, err := p.start(ctx)
	if err != nil {
		return nil, err
	}
	address, err := proc.address(ctx)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%w: %s: %w", ErrStep, s.Name, err), proc.stop())
	}
	return &service{step: p, proc: proc, address: address}, nil
}

type service struct {
	step    *prepared
	proc    *process
	address string
	once    sync.Once
	out     map[pipeline.Ref]string
	err     error
}

// Stop tells the service to end, waits until it has, and collects what it hands on.
func (s *service) Stop(context.Context) (map[pipeline.Ref]string, error) {
	s.once.Do(func() {
		if s.err = s.proc.stop(); s.err != nil {
			return
		}
		var o pipeline.Outcome
		s.out, o, s.err = s.step.collect()
		if s.err == nil && o.Decision != pipeline.Continue {
			s.err = fmt.Errorf("%w: %s: %s", ErrStep, s.step.step.Name, o.Reason)
		}
	})
	return s.out, s.err
}
