package pipeline

import (
	"context"
	"fmt"
	"time"
)

// Service is a running service step.
type Service interface {
	// Stop ends the service and waits until nothing of it runs. It returns the artifacts that the
	// step hands on (the proxy's meter), nil if it has none.
	Stop(context.Context) error
}

// Interpreter turns one step into an exec. It knows nothing of order, of the stop rule or of
// validation: Run owns these. A is how the interpreter names an artifact: a path, a Dagger file.
type Interpreter[A any] interface {
	// Run executes a step and returns one artifact for each of its outputs that exists.
	// An error means that the step could not be run as the plan says; its outcome is then ignored.
	Run(ctx context.Context, s Step, in map[Ref]A, services map[StepName]Service) (map[Ref]A, Outcome, error)
	// Serve starts a service step and returns when it answers.
	Serve(ctx context.Context, s Step, in map[Ref]A) (Service, error)
}

// StepResult is how one step ended.
type StepResult struct {
	Step    StepName
	Outcome Outcome
	Took    time.Duration
}

// Result is how a run ended: the outcome of the last step that ran, and each step before it.
type Result struct {
	Outcome Outcome
	Steps   []StepResult
}

// Run validates the plan and runs its steps in order, until one does not say "continue". It returns
// every artifact made so far, so that a refused run can be looked at. Services start just before the
// first step that uses them and stop after the last one, also on errors and cancellation.
func Run[A any](ctx context.Context, p Plan, ip Interpreter[A], in map[Ref]A) (map[Ref]A, Result, error) {
	if err := p.Validate(); err != nil {
		return nil, Result{}, err
	}
	d := driver[A]{plan: p, ip: ip, have: make(map[Ref]A, len(in)), running: make(map[StepName]Service)}
	for _, r := range p.Inputs {
		a, ok := in[r.Ref]
		if !ok {
			return nil, Result{}, fmt.Errorf("%w: the plan %q needs %s, which was not given", ErrInput, p.Name, r.Ref)
		}
		d.have[r.Ref] = a
	}
	return d.run(ctx)
}

type driver[A any] struct {
	plan    Plan
	ip      Interpreter[A]
	have    map[Ref]A
	running map[StepName]Service
	result  Result
}

func (d *driver[A]) run(ctx context.Context) (map[Ref]A, Result, error) {
	defer d.stopAll(ctx)
	for i, s := range d.plan.Steps {
		if s.Service() {
			continue // started by the first step that relays to it
		}
		if err := d.step(ctx, s); err != nil {
			d.result.Outcome = Outcome{Decision: Undecided, Rule: "SF-RUN-001", Reason: fmt.Sprintf("step %s could not be run", s.Name)}
			return d.have, d.result, fmt.Errorf("step %s: %w", s.Name, err)
		}
		if d.result.Outcome.Decision != Continue {
			return d.have, d.result, nil
		}
		if err := d.stopUnused(ctx, i); err != nil {
			d.result.Outcome = Outcome{Decision: Undecided, Rule: "SF-RUN-002", Reason: "a service did not stop"}
			return d.have, d.result, err
		}
	}
	return d.have, d.result, nil
}

func (d *driver[A]) step(ctx context.Context, s Step) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	start := time.Now()
	if name := s.Net.Relay; name != "" && d.running[name] == nil {
		svc, err := d.ip.Serve(ctx, d.plan.step(name), d.inputs(d.plan.step(name)))
		if err != nil {
			return fmt.Errorf("service %s: %w", name, err)
		}
		d.running[name] = svc
	}
	out, outcome, err := d.ip.Run(ctx, s, d.inputs(s), d.running)
	if err != nil {
		outcome = Outcome{Decision: Undecided, Rule: "SF-RUN-001", Reason: "the step could not be run"}
	}
	d.result.Outcome = outcome
	d.result.Steps = append(d.result.Steps, StepResult{Step: s.Name, Outcome: outcome, Took: time.Since(start)})
	if err != nil {
		return err
	}
	for _, o := range s.Out {
		ref := s.Ref(o.Name)
		a, ok := out[ref]
		if ok {
			d.have[ref] = a
			continue
		}
		if outcome.Decision == Continue {
			return fmt.Errorf("%w: it says continue but left no %s", ErrOutput, ref)
		}
	}
	return nil
}

// inputs hands a step exactly the artifacts that it names.
func (d *driver[A]) inputs(s Step) map[Ref]A {
	in := make(map[Ref]A, len(s.In))
	for _, i := range s.In {
		if a, ok := d.have[i.Ref]; ok {
			in[i.Ref] = a
		}
	}
	return in
}

// stopUnused stops each service that no step after i relays to.
func (d *driver[A]) stopUnused(ctx context.Context, i int) error {
	for name, svc := range d.running {
		if d.plan.relaysTo(name, i+1) {
			continue
		}
		delete(d.running, name)
		if err := svc.Stop(ctx); err != nil {
			return fmt.Errorf("service %s: %w", name, err)
		}
	}
	return nil
}

// stopAll is the way out after an error: whatever still runs is stopped, even when ctx has ended.
func (d *driver[A]) stopAll(ctx context.Context) {
	for name, svc := range d.running {
		stop, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
		_ = svc.Stop(stop) // the run has already failed; its first error is the one to report
		cancel()
		delete(d.running, name)
	}
}
