//go:build amd64 || arm64

package fence

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
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
	first, err := s.next()
	if err != nil {
		return Result{}, fmt.Errorf("%w: the supervisor ended before the program started: %w", ErrUnavailable, err)
	}
	if first.Refused != nil && first.Refused.Namespaces {
		return Result{}, fmt.Errorf("%w: %s", errNamespaces, first.Refused.Reason)
	}
	if first.Refused != nil {
		return Result{}, fmt.Errorf("%w: %s", ErrUnavailable, first.Refused.Reason)
	}
	if first.Started == nil {
		return Result{}, fmt.Errorf("%w: the supervisor did not start the program: %s", ErrLost, cut(first.Lost))
	}
	s.pid = first.Started.PID
	result, err = s.follow(ctx, o, r)
	result.Layers = Layers{Landlock: r.ABI, Namespaces: r.Layout.Namespaces, User: r.Layout.User,
		Scope: handledBy(r.ABI).scoped != 0, Relay: r.Relay.IsValid()}
	return result, err
}

// handle is the caller's side of one supervisor.
type handle struct {
	cmd    *exec.Cmd
	stdio  [3]*os.File // the caller's ends of the program's pipes
	orders *os.File
	status *os.File
	decode *json.Decoder
	plain  bool // no process namespace: a dead supervisor leaves the process group
	pid    int
}

// startSupervisor starts this program again, on a thread that can reach no TCP port but the relay's; the thread is
// thrown away.
func startSupervisor(r request) (*handle, error) {
	s := &handle{plain: !r.Layout.Namespaces}
	var theirs []*os.File
	defer func() {
		for _, f := range theirs {
			f.Close()
		}
	}()
	pipe := func(mine **os.File, write bool) error {
		read, wr, err := os.Pipe()
		if err != nil {
			return fmt.Errorf("%w: pipes: %w", ErrUnavailable, err)
		}
		if write {
			*mine, theirs = wr, append(theirs, read)
			return nil
		}
		*mine, theirs = read, append(theirs, wr)
		return nil
	}
	err := errors.Join(pipe(&s.stdio[0], true), pipe(&s.stdio[1], false), pipe(&s.stdio[2], false),
		pipe(&s.orders, true), pipe(&s.status, false))
	if err != nil {
		s.close()
		return nil, err
	}
	for _, o := range r.Layout.Owners {
		f, err := mapOwner(o, r.Layout.User)
		if err != nil {
			s.close()
			return nil, fmt.Errorf("%w: %w", errNamespaces, err)
		}
		theirs = append(theirs, f)
	}
	s.cmd = &exec.Cmd{
		Path: "/proc/self/exe", Args: []string{helperName}, Dir: "/", Env: supervisorEnv(),
		Stdin: theirs[0], Stdout: theirs[1], Stderr: theirs[2], ExtraFiles: theirs[3:],
		SysProcAttr: r.Layout.attributes(),
	}
	if err := startRestricted(s.cmd, r); err != nil {
		s.cmd = nil
		s.close()
		return nil, err
	}
	s.decode = json.NewDecoder(s.status)
	if err := json.NewEncoder(s.orders).Encode(r); err != nil {
		s.close()
		return nil, fmt.Errorf("%w: the supervisor did not take its request: %w", ErrUnavailable, err)
	}
	return s, nil
}

// supervisorEnv keeps the Go runtime from holding a descriptor of its own (of the control group, to follow its processor
// limit), which the supervisor would close, from printing memory when it dies, and from starting threads for a collector
// that so small a process hardly needs.
func supervisorEnv() []string {
	return []string{"GOTRACEBACK=none", "GODEBUG=containermaxprocs=0,updatemaxprocs=0", "GOMAXPROCS=1", "GOGC=off", "GOMEMLIMIT=64MiB"}
}

func startRestricted(cmd *exec.Cmd, r request) error {
	result := make(chan error)
	go func() {
		runtime.LockOSThread() // and never unlocked: the thread ends with the goroutine
		if err := restrictConnects(r.ABI, r.Relay.Port()); err != nil {
			result <- fmt.Errorf("%w: %w", ErrUnavailable, err)
			return
		}
		err := cmd.Start()
		switch {
		case err == nil:
		case r.Layout.Namespaces:
			err = fmt.Errorf("%w: %w", errNamespaces, err)
		default:
			err = fmt.Errorf("%w: starting the supervisor: %w", ErrUnavailable, err)
		}
		result <- err
	}()
	return <-result
}

// close lets go of the supervisor, which kills what is left when its orders end.
func (s *handle) close() {
	for _, f := range append(s.stdio[:], s.orders, s.status) {
		if f != nil {
			f.Close()
		}
	}
	if s.cmd == nil {
		return
	}
	stuck := time.AfterFunc(reapWithin+2*time.Second, func() { _ = s.cmd.Process.Kill() })
	_ = s.cmd.Wait()
	stuck.Stop()
}

func (s *handle) next() (status, error) {
	var st status
	err := s.decode.Decode(&st)
	return st, err
}

// follow moves the program's bytes, watches its limits, and waits for the end.
func (s *handle) follow(ctx context.Context, o Options, r request) (Result, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	stops := make(chan order, 8)
	output := pump(s.stdio, o, stops)
	go watchDisk(ctx, r.Write, o.Limits, stops)
	statuses := make(chan status, 1)
	go func() {
		st, err := s.next()
		if err != nil {
			st = status{Lost: fmt.Sprintf("the supervisor ended without a report: %v", err)}
		}
		statuses <- st
	}()
	late := time.NewTimer(r.Timeout + 2*reapWithin)
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
			_ = s.cmd.Process.Kill()
		case st := <-statuses:
			return s.conclude(st, o, r, output)
		}
	}
}

func (s *handle) order(o order) {
	_ = json.NewEncoder(s.orders).Encode(o) // a supervisor that is gone needs none
}

// conclude turns the last status into a result, after the last byte was read.
func (s *handle) conclude(st status, o Options, r request, output *output) (Result, error) {
	if st.Ended == nil {
		_ = s.cmd.Process.Kill()
		if s.plain {
			_ = unix.Kill(-s.pid, unix.SIGKILL)
		}
		return Result{}, fmt.Errorf("%w: %s", ErrLost, st.Lost)
	}
	over := output.drain()
	e := *st.Ended
	result := Result{End: e.End, Code: e.Code, Signal: e.Signal, Reason: e.Reason}
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

// attributes of the supervisor's start: a session of its own, so that a terminal's signals reach the caller alone, and the
// layout's namespaces.
func (l layout) attributes() *syscall.SysProcAttr {
	attr := &syscall.SysProcAttr{Setsid: true}
	if !l.Namespaces {
		return attr
	}
	attr.Cloneflags = unix.CLONE_NEWNS | unix.CLONE_NEWPID | unix.CLONE_NEWIPC | unix.CLONE_NEWUTS
	if !l.UserNS {
		return attr
	}
	// The same ids inside as outside: a program that runs as uid 0 behaves differently.
	attr.Cloneflags |= unix.CLONE_NEWUSER
	attr.UidMappings = []syscall.SysProcIDMap{{ContainerID: os.Geteuid(), HostID: os.Geteuid(), Size: 1}}
	attr.GidMappings = []syscall.SysProcIDMap{{ContainerID: os.Getegid(), HostID: os.Getegid(), Size: 1}}
	attr.AmbientCaps = []uintptr{unix.CAP_SYS_ADMIN, unix.CAP_SETPCAP}
	return attr
}
