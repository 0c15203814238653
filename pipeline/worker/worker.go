package worker

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"

	"selffix/pipeline"
	"selffix/pipeline/fence"
)

// The reasons for which a step does not run, or does not count.
var (
	ErrStep    = errors.New("this worker does not run that step")
	ErrNoFence = errors.New("not behind the fence")
	ErrStepEnd = errors.New("the fence ended the step")
)

// Options are what the outer half of a step works with.
type Options struct {
	Layout Layout
	Helper fence.Helper
	Self   string              // the program that was started, for the inner half
	Getenv func(string) string // of this step's own, fresh environment
	Stdout io.Writer           // one line or none; never anything that others wrote
	Stderr io.Writer           // errors, which may quote what others wrote
}

// work is one step at work.
type work struct {
	Options
	step pipeline.Step
	at   paths
}

// in is where a path of the step lies.
func (w work) in(path string) string { return w.at.of(path) }

// find looks a step up in the built-in plans: a name means the same in each.
func find(name string) (pipeline.Step, error) {
	for _, p := range append(pipeline.Plans(), pipeline.Plan{Steps: pipeline.Collectors()}) {
		if s, ok := p.Step(pipeline.StepName(name)); ok {
			return s, nil
		}
	}
	return pipeline.Step{}, fmt.Errorf("%w: %.60q", ErrStep, name)
}

// Step runs the step called name to its end and writes its outcome. An error means that not even that could
// be done; everything else is in the outcome.
func Step(ctx context.Context, name string, o Options) error {
	s, err := find(name)
	if err != nil {
		return err
	}
	unix.Umask(0o022) // what a step writes is read by steps of other users
	if o.Layout.container() {
		o.Stderr = io.Discard // an engine's log may be public, and errors may quote what others wrote: the outcome has fixed words
	}
	if o.Layout.NewRoot != "" {
		if err := enterRoot(o.Layout); err != nil {
			return fmt.Errorf("lay the step out: %w", err)
		}
	}
	w := work{Options: o, step: s, at: o.Layout.paths()}
	if err := os.MkdirAll(w.in(pipeline.OutDir), 0o755); err != nil {
		return fmt.Errorf("make the step's folder: %w", err)
	}
	outcome, err := w.run(ctx)
	if err == nil && o.Layout.container() {
		err = w.measure()
	}
	if err != nil {
		fmt.Fprintf(o.Stderr, "step %s: %v\n", s.Name, err)
		outcome = explain(err)
	}
	if outcome == (pipeline.Outcome{}) {
		return nil // the inner half has written its own
	}
	return writeOutcome(w.in(pipeline.OutDir), outcome)
}

// run chooses the half that does the work. An exposed step has one way only.
func (w work) run(ctx context.Context) (pipeline.Outcome, error) {
	if w.step.Profile() == pipeline.ProfileNone {
		do, ok := outerSteps()[w.step.Name]
		if !ok {
			return pipeline.Outcome{}, fmt.Errorf("%w: %s", ErrStep, w.step.Name)
		}
		if !w.step.Service() { // a service is ended by whoever started it
			var cancel context.CancelFunc
			ctx, cancel = context.WithTimeout(ctx, w.step.Limits.Timeout)
			defer cancel()
		}
		return do(ctx, w)
	}
	for _, d := range append(w.outputs(), w.home(), w.temp()) {
		if err := os.MkdirAll(d, 0o755); err != nil {
			return pipeline.Outcome{}, fmt.Errorf("make a folder of the step: %w", err)
		}
	}
	switch w.step.Profile() {
	case pipeline.ProfileAgent:
		return runAgent(ctx, w)
	case pipeline.ProfileCode:
		return runVerify(ctx, w)
	}
	if err := w.runInside(ctx); err != nil {
		return pipeline.Outcome{}, err
	}
	return pipeline.Outcome{}, w.makeLinks()
}

func (w work) home() string { return filepath.Join(w.in(ScratchDir), "home") }
func (w work) temp() string { return filepath.Join(w.in(ScratchDir), "tmp") }

// programs is what a tool behind the fence may read and run: the machine's programs and libraries.
func programs() []string { return present("/usr", "/bin", "/lib", "/lib64", "/etc/ld.so.cache") }

// libraries is what the agent gets: there is no shell and no other program for it to start.
func libraries() []string {
	return present("/usr/lib", "/usr/lib64", "/lib", "/lib64", "/etc/ld.so.cache")
}

func present(paths ...string) []string {
	var have []string
	for _, p := range paths {
		if _, err := os.Stat(p); err == nil {
			have = append(have, p)
		}
	}
	return have
}

// inputs are the paths of the step's inputs that may be seen behind the fence.
func (w work) inputs() []string {
	var list []string
	for _, in := range w.step.In {
		if in.Access == pipeline.ReadOnly && !strings.HasPrefix(in.Path, pipeline.SupervisorDir) {
			list = append(list, w.in(in.Path))
		}
	}
	return list
}

// outputs are the folders that may be written behind the fence.
func (w work) outputs() []string {
	list := []string{w.in(pipeline.OutDir), w.in(ScratchDir)}
	for _, o := range w.step.Out {
		if !strings.HasPrefix(o.Path, pipeline.OutDir+"/") {
			list = append(list, w.in(o.Path))
		}
	}
	return list
}

// limits are the fence's for this step. A step may leave what its outputs may hold, and as much again while
// it works.
func (w work) limits() fence.Limits {
	l := fence.Limits{
		OutputBytes: w.step.Limits.OutputBytes, DataBytes: uint64(w.step.Limits.MemoryBytes), Processes: uint64(w.step.Limits.Processes),
		DiskBytes: 64 << 20, DiskFiles: 10_000,
	}
	for _, o := range w.step.Out {
		l.DiskBytes += 2 * o.MaxBytes
		l.DiskFiles += 2 * int64(max(o.MaxFiles, 1))
	}
	l.FileBytes = uint64(l.DiskBytes)
	return l
}

// runInside starts this program again behind the fence. The inner half writes the outcome.
func (w work) runInside(ctx context.Context) error {
	mapping, err := json.Marshal(w.at)
	if err != nil {
		return fmt.Errorf("start the inner half: %w", err)
	}
	r, err := fence.Run(ctx, fence.Options{
		Helper: w.Helper, Profile: fence.Tools, Timeout: w.step.Limits.Timeout, Limits: w.limits(),
		Args: []string{w.Self, InsideCommand, string(w.step.Name), string(mapping)},
		Read: append(append(programs(), w.Self), w.inputs()...), Write: w.outputs(),
		Env:    []string{"PATH=/usr/local/bin:/usr/bin:/bin", "HOME=" + w.home(), "TMPDIR=" + w.temp(), "LC_ALL=C", "TZ=UTC"},
		Stderr: w.Stderr,
	})
	if err != nil {
		return err
	}
	if r.End != fence.Exited || r.Code != 0 {
		return fmt.Errorf("%w: %v", ErrStepEnd, r)
	}
	return nil
}
