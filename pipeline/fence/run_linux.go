//go:build amd64 || arm64

package fence

import (
	"context"
	"errors"
	"fmt"
	"time"

	"golang.org/x/sys/unix"

	"selffix/pipeline/fence/internal/supervisor"
)

// Run runs one program behind the fence and returns when no process of it is left. An error means that nothing of the
// program ran (ErrOptions, ErrUnavailable), or that what it left cannot be trusted to stand still (ErrLost). The end of
// ctx kills the program; Result then says Cancelled.
//
// If Stdin is a terminal or a pipe that stays open, one goroutine may stay in its Read after Run has returned.
func Run(ctx context.Context, o Options) (Result, error) {
	o, err := o.checked()
	if err != nil {
		return Result{}, err
	}
	kernel, err := mandatory(o.Relay != "")
	if err != nil {
		return Result{}, err
	}
	r, err := newRequest(ctx, o, kernel)
	if err != nil {
		return Result{}, err
	}
	ways, err := layouts(r, o.User)
	if err != nil {
		return Result{}, err
	}
	if ways, err = o.Demand.among(ways, kernel); err != nil {
		return Result{}, err
	}
	var refused error
	for _, way := range ways {
		r.Layout = way
		if r.Tasks, err = taskLimit(way, o.Limits.Processes); err != nil {
			return Result{}, err
		}
		result, err := attempt(ctx, o, r)
		if !errors.Is(err, errNamespaces) {
			return result, err
		}
		refused = err
	}
	return Result{}, fmt.Errorf("%w: no layout of %d works here: %v", ErrUnavailable, len(ways), refused)
}

// attempt runs the request in one layout. errNamespaces in its error means that another layout may do.
func attempt(ctx context.Context, o Options, r request) (result Result, err error) {
	if err := r.nested(); err != nil {
		return Result{}, err
	}
	if r.Layout.GiveAway {
		back, giveErr := giveAway(r.Write, r.Layout.User)
		defer func() { err = errors.Join(err, back()) }()
		if giveErr != nil {
			return Result{}, fmt.Errorf("%w: %w", ErrUnavailable, giveErr)
		}
	}
	s, err := startSupervisor(r)
	if err != nil {
		return Result{}, err
	}
	defer s.close()
	first, err := s.first()
	if err != nil {
		return Result{}, err
	}
	if first.Refused != "" && first.Other {
		return Result{}, fmt.Errorf("%w: %s", errNamespaces, first.Refused)
	}
	if first.Refused != "" {
		return Result{}, fmt.Errorf("%w: %s", ErrUnavailable, first.Refused)
	}
	if first.Started == 0 {
		return Result{}, fmt.Errorf("%w: the supervisor did not start the program: %s", ErrLost, cut(first.Lost))
	}
	s.pid = int(first.Started)
	result, err = s.follow(ctx, o, r)
	result.Layers = Layers{Landlock: r.ABI, Namespaces: r.Layout.Namespaces, User: r.Layout.User,
		Scope: handledBy(r.ABI).Scoped != 0, Relay: r.Relay.IsValid()}
	return result, err
}

// follow moves the program's bytes, watches its limits, and waits for the end.
func (s *handle) follow(ctx context.Context, o Options, r request) (Result, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	stops := make(chan order, 8)
	output := pump(s.stdio, o, stops)
	go watchDisk(ctx, r.Write, o.Limits, stops)
	statuses := make(chan supervisor.Status, 1)
	go func() {
		var st supervisor.Status
		if err := supervisor.Receive(s.status, &st); err != nil {
			st = supervisor.Status{Lost: fmt.Sprintf("the supervisor ended without a report: %v", err)}
		}
		statuses <- st
	}()
	late := time.NewTimer(r.Timeout + 2*supervisor.ReapWithin)
	defer late.Stop()
	done := ctx.Done()
	for {
		select {
		case stop := <-stops:
			s.order(stop)
		case <-done:
			done = nil
			s.order(order{Stop: Cancelled, Reason: "stopped: " + context.Cause(ctx).Error()})
		case <-late.C:
			s.process.kill()
		case st := <-statuses:
			return s.conclude(st, o, r, output)
		}
	}
}

func (s *handle) order(o order) {
	_ = supervisor.Send(s.orders, &supervisor.Order{Stop: string(o.Stop), Reason: o.Reason}) // a supervisor that is gone needs none
}

// conclude turns the last status into a result, after the last byte was read.
func (s *handle) conclude(st supervisor.Status, o Options, r request, output *output) (Result, error) {
	if !st.Ended {
		s.process.kill()
		if s.plain {
			_ = unix.Kill(-s.pid, unix.SIGKILL)
		}
		return Result{}, fmt.Errorf("%w: %s", ErrLost, st.Lost)
	}
	over := output.drain()
	result := resultOf(st)
	if result.End != Exited {
		return result, nil
	}
	// It may have ended by itself between two looks.
	if over != nil {
		return Result{End: over.Stop, Reason: over.Reason}, nil
	}
	if stop := overDisk(r.Write, o.Limits); stop != nil {
		return Result{End: stop.Stop, Reason: stop.Reason}, nil
	}
	return result, nil
}
