package pipeline

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"
)

// Service is a running service step.
type Service[A any] interface {
	// Stop ends the service and waits until nothing of it runs. It returns the artifacts that the
	// step hands on (the proxy's meter). An error means that it may still run, or that what it says
	// cannot be trusted. A second call does nothing.
	Stop(context.Context) (map[Ref]A, error)
}

// Interpreter turns one step into an exec. It knows nothing of order, of the stop rule or of
// validation: Run owns these. A is how the interpreter names an artifact: a path, a Dagger file.
type Interpreter[A any] interface {
	// Run executes a step and returns one artifact for each of its outputs that exists.
	// An error means that the step could not be run as the plan says; its outcome is then ignored.
	Run(ctx context.Context, s Step, in map[Ref]A, services map[StepName]Service[A]) (map[Ref]A, Outcome, error)
	// Serve starts a service step and returns when it answers.
	Serve(ctx context.Context, s Step, in map[Ref]A) (Service[A], error)
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
	d := driver[A]{plan: p, ip: ip, have: make(map[Ref]A, len(in)), running: make(map[StepName]Service[A])}
	for _, r := range p.Inputs {
		a, ok := in[r.Ref]
		if !ok {
			return nil, Result{}, fmt.Errorf("%w: the plan %q needs %s, which was not given", ErrInput, p.Name, r.Ref)
		}
		d.have[r.Ref] = a
	}
	return d.run(ctx)
}

// RunPart runs the steps from first to last of a plan, and no other. A job may be several calls, so that a secret's engine session
// ends before the next step begins: a later call is given what the earlier ones of the same job made, by the refs under which
// the plan knows it. The whole plan is proven, and each step gets exactly the artifacts that it names, or does not run.
func RunPart[A any](ctx context.Context, p Plan, first, last StepName, ip Interpreter[A], in map[Ref]A) (map[Ref]A, Result, error) {
	if err := p.Validate(); err != nil {
		return nil, Result{}, err
	}
	from := slices.IndexFunc(p.Steps, func(s Step) bool { return s.Name == first })
	to := slices.IndexFunc(p.Steps, func(s Step) bool { return s.Name == last })
	if from < 0 || to < from {
		return nil, Result{}, fmt.Errorf("%w: the plan %q has no steps from %.40q to %.40q", ErrPlan, p.Name, first, last)
	}
	part := Plan{Name: p.Name, Inputs: p.Inputs, Steps: p.Steps[from : to+1]}
	d := driver[A]{plan: part, ip: ip, have: maps.Clone(in), running: make(map[StepName]Service[A])}
	if d.have == nil {
		d.have = make(map[Ref]A)
	}
	return d.run(ctx)
}

type driver[A any] struct {
	plan    Plan
	ip      Interpreter[A]
	have    map[Ref]A
	running map[StepName]Service[A]
	result  Result
}

func (d *driver[A]) run(ctx context.Context) (map[Ref]A, Result, error) {
	defer d.stopAll(ctx)
	for i, s := range d.plan.Steps {
		if s.Service() {
			continue // started by the first step that relays to it
		}
		if err := d.step(ctx, s); err != nil {
			d.undecided("SF-RUN-001", fmt.Sprintf("step %s could not be run", s.Name))
			return d.have, d.result, fmt.Errorf("step %s: %w", s.Name, err)
		}
		if d.result.Outcome.Decision != Continue {
			return d.have, d.result, nil
		}
		if err := d.stopUnused(ctx, i); err != nil {
			d.undecided("SF-RUN-002", "a service did not stop or left nothing to count")
			return d.have, d.result, err
		}
	}
	return d.have, d.result, nil
}

func (d *driver[A]) undecided(rule, reason string) {
	d.result.Outcome = Outcome{Decision: Undecided, Rule: rule, Reason: reason}
}

func (d *driver[A]) step(ctx context.Context, s Step) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	start := time.Now()
	if err := d.serve(ctx, s.Net.Relay); err != nil {
		return err
	}
	in, err := d.inputs(s)
	if err != nil {
		return err
	}
	out, outcome, err := d.ip.Run(ctx, s, in, d.running)
	if err == nil {
		err = ctx.Err() // a step that ended because the run was cancelled has decided nothing
	}
	switch {
	case err != nil:
		outcome = Outcome{Decision: Undecided, Rule: "SF-RUN-001", Reason: "the step could not be run"}
	case outcome.Decision != Continue && outcome.Decision != Stop:
		outcome = Outcome{Decision: Undecided, Rule: orElse(outcome.Rule, "SF-RUN-003"), Reason: orElse(outcome.Reason, "the step did not say how it ended")}
	}
	d.result.Outcome = outcome
	d.result.Steps = append(d.result.Steps, StepResult{Step: s.Name, Outcome: outcome, Took: time.Since(start)})
	if err != nil {
		return err
	}
	return d.collect(s, out, outcome.Decision == Continue)
}

// collect keeps the outputs that the plan names and nothing else. A step that says "continue" has made
// every one of them.
func (d *driver[A]) collect(s Step, out map[Ref]A, all bool) error {
	for _, o := range s.Out {
		ref := s.Ref(o.Name)
		a, ok := out[ref]
		if ok {
			d.have[ref] = a
			continue
		}
		if all {
			return fmt.Errorf("%w: step %s left no %s", ErrOutput, s.Name, ref)
		}
	}
	return nil
}

// inputs hands a step exactly the artifacts that it names, all of them.
func (d *driver[A]) inputs(s Step) (map[Ref]A, error) {
	in := make(map[Ref]A, len(s.In))
	for _, i := range s.In {
		a, ok := d.have[i.Ref]
		if !ok {
			return nil, fmt.Errorf("%w: step %s needs %s, which was not made", ErrInput, s.Name, i.Ref)
		}
		in[i.Ref] = a
	}
	return in, nil
}

// serve starts the service called name unless it runs.
func (d *driver[A]) serve(ctx context.Context, name StepName) error {
	if name == "" || d.running[name] != nil {
		return nil
	}
	s, ok := d.plan.Step(name)
	if !ok { // Validate has proven that a whole plan has it
		return fmt.Errorf("%w: the service %s stands outside of the steps that are run", ErrPlan, name)
	}
	in, err := d.inputs(s)
	if err != nil {
		return err
	}
	svc, err := d.ip.Serve(ctx, s, in)
	if err != nil {
		return fmt.Errorf("service %s: %w", name, err)
	}
	d.running[name] = svc
	return nil
}

// stopUnused stops each service that no step after i relays to, and keeps what it hands on.
func (d *driver[A]) stopUnused(ctx context.Context, i int) error {
	for name, svc := range d.running {
		if d.plan.relaysTo(name, i+1) {
			continue
		}
		delete(d.running, name)
		out, err := svc.Stop(ctx)
		if err != nil {
			return fmt.Errorf("service %s: %w", name, err)
		}
		s, _ := d.plan.Step(name)
		if err := d.collect(s, out, true); err != nil {
			return err
		}
	}
	return nil
}

// stopAll is the way out after an error or a stop: whatever still runs is stopped, even when ctx has
// ended, and what it left is kept for people to look at.
func (d *driver[A]) stopAll(ctx context.Context) {
	for name, svc := range d.running {
		stop, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
		out, err := svc.Stop(stop)
		cancel()
		delete(d.running, name)
		if err != nil {
			continue // the run has already ended otherwise; its first reason is the one to report
		}
		s, _ := d.plan.Step(name)
		_ = d.collect(s, out, false) // never fails without "all"
	}
}

func orElse(s, fallback string) string {
	if s == "" {
		return fallback
	}
	return s
}
