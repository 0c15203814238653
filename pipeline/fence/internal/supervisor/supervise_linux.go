//go:build amd64 || arm64

package supervisor

import (
	"errors"
	"os"
	"runtime"
	"strconv"
	"sync"
	"syscall"
	"time"
)

// init is where a process that package fence started turns off: before main and before nearly every other package is
// initialised, which would cost more than the fence does.
func init() {
	switch {
	case len(os.Args) == 1 && os.Args[0] == Name:
		runtime.LockOSThread()
		os.Exit(supervise())
	case len(os.Args) == 2 && os.Args[1] == Probe:
		os.Exit(0)
	}
}

// supervisor is one run, seen from the process that holds it.
type supervisor struct {
	request Request
	orders  *os.File
	status  *os.File
	pid     int
	stopped stop
}

// stop is why the program was killed; the first reason counts.
type stop struct {
	mu    sync.Mutex
	order *Order
}

// supervise reads the request, puts on the fence, starts the program, answers it, ends it, and reports.
func supervise() int {
	s := &supervisor{orders: os.NewFile(fdOrders, "orders"), status: os.NewFile(fdStatus, "status")}
	if s.orders == nil || s.status == nil {
		return ExitUnavailable
	}
	until, err := s.start()
	if err != nil {
		_ = Send(s.status, s.refuse(err))
		return ExitUnavailable
	}
	if Send(s.status, &Status{Started: uint64(s.pid)}) != nil {
		s.stop(Order{Cancelled, "the caller is gone"})
	}
	go s.guard(until)
	ended, err := s.reap()
	if err != nil {
		_ = Send(s.status, &Status{Lost: err.Error()})
		return ExitUnavailable
	}
	_ = Send(s.status, ended)
	return 0
}

// refuse says that nothing has run, or, when the program was already started, that it was ended and its traces are worth nothing.
func (s *supervisor) refuse(err error) *Status {
	if s.pid == 0 {
		return &Status{Refused: err.Error(), Other: errors.Is(err, errOther)}
	}
	s.kill()
	if _, reapErr := s.reap(); reapErr != nil {
		err = errors.Join(err, reapErr)
	}
	return &Status{Lost: err.Error()}
}

// start does everything up to the program's exec and this process's own fence. It returns when the program is to end.
func (s *supervisor) start() (time.Time, error) {
	if err := Receive(s.orders, &s.request); err != nil {
		return time.Time{}, wrap("reading the request", err)
	}
	r := &s.request
	// Go's exec passes on what the caller had open without close-on-exec.
	if _, err := do(sysCloseRange, num(FDOwners+r.Owners), num(^uint32(0)), num(0)); err != nil {
		return time.Time{}, wrap("closing inherited descriptors", err)
	}
	null, err := open(os.DevNull, syscall.O_RDWR)
	if err != nil {
		return time.Time{}, wrap("descriptors", err)
	}
	if _, err := do(syscall.SYS_PRCTL, num(prSetChildSubreaper), num(1)); err != nil {
		return time.Time{}, wrap("subreaper", err)
	}
	if err := endFirst(); err != nil {
		return time.Time{}, wrap("oom_score_adj", err)
	}
	if r.Namespaces {
		if err := r.enterRoot(); err != nil {
			return time.Time{}, err
		}
	}
	listener, err := s.launch()
	if err != nil {
		return time.Time{}, err
	}
	until := time.Now().Add(r.Timeout)
	for fd := range 3 {
		if err := syscall.Dup3(null, fd, 0); err != nil {
			return until, wrap("descriptors", err)
		}
	}
	syscall.Close(null)
	if err := fenceSelf(r.OwnFilter); err != nil {
		return until, err
	}
	if r.Relay.Port != 0 {
		go s.relay(listener)
	}
	return until, nil
}

// endFirst has the kernel's out-of-memory killer take the program first. The program inherits this and has no /proc to change it.
func endFirst() error {
	fd, err := open("/proc/self/oom_score_adj", syscall.O_WRONLY)
	if err != nil {
		return err
	}
	defer syscall.Close(fd)
	_, err = syscall.Write(fd, []byte("1000"))
	return err
}

func (s *supervisor) relay(listener int) {
	if err := newRelay(s.request.Relay).serve(listener); err != nil {
		s.stop(Order{Exceeded, "the relay ended: " + err.Error()})
	}
}

// guard waits for the caller's order or the deadline, whichever comes first. When the caller dies its end of the pipe closes, and
// the program goes with it.
func (s *supervisor) guard(until time.Time) {
	fds := []pollFD{{fd: fdOrders, events: pollIn}}
	for {
		left := time.Until(until)
		if left <= 0 {
			s.stop(Order{Deadline, "not done after " + s.request.Timeout.String()})
			return
		}
		n, err := wait(fds, left.Milliseconds()+1)
		switch {
		case n > 0:
			var o Order
			if err := Receive(s.orders, &o); err != nil || o.Stop == "" {
				o = Order{Cancelled, "the caller is gone"}
			}
			s.stop(o)
			return
		case err != nil && !errors.Is(err, syscall.EINTR):
			s.stop(Order{Exceeded, "waiting for orders: " + err.Error()})
			return
		}
	}
}

// stop kills the program for a reason, unless there was one already.
func (s *supervisor) stop(o Order) {
	s.stopped.mu.Lock()
	defer s.stopped.mu.Unlock()
	if s.stopped.order == nil {
		s.stopped.order = &o
		s.kill()
	}
}

// kill reaches every process of the run: in a process namespace all but this one, which is its first; elsewhere the
// process group, which nobody can leave because setsid and setpgid are refused.
func (s *supervisor) kill() {
	target := -s.pid
	if s.request.Namespaces {
		target = -1
	}
	_ = syscall.Kill(target, syscall.SIGKILL)
}

// reap waits for the program, then kills and reaps until no descendant is left, so that nothing is written any more once
// the caller reads.
func (s *supervisor) reap() (*Status, error) {
	var ws syscall.WaitStatus
	for {
		pid, err := syscall.Wait4(-1, &ws, 0, nil)
		if errors.Is(err, syscall.EINTR) {
			continue
		}
		if err != nil {
			return nil, wrap("waiting for the program", err)
		}
		if pid == s.pid {
			break
		}
	}
	for end := time.Now().Add(ReapWithin); time.Now().Before(end); {
		s.kill()
		pid, err := syscall.Wait4(-1, nil, syscall.WNOHANG, nil)
		switch {
		case errors.Is(err, syscall.ECHILD):
			return s.ended(ws), nil
		case pid == 0:
			time.Sleep(time.Millisecond)
		}
	}
	return nil, errors.New("processes are left after " + strconv.Itoa(int(ReapWithin/time.Second)) + " s")
}

func (s *supervisor) ended(ws syscall.WaitStatus) *Status {
	s.stopped.mu.Lock()
	defer s.stopped.mu.Unlock()
	st := &Status{Ended: true, Wait: uint64(ws)}
	if s.stopped.order != nil {
		st.Order = *s.stopped.order
	}
	return st
}
