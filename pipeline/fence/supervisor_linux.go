//go:build amd64 || arm64

package fence

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"runtime"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// helperName is the name under which Run starts this program again.
const helperName = "self-fix fence supervisor"

// Descriptors of the supervisor. 0 to 2 are the program's pipes, made for this run.
const (
	fdOrders = 3
	fdStatus = 4
	fdOwners = 5 // and up: one user namespace for each of layout.Owners
)

// Helper proves that Enter was called. Its zero value is refused by Run.
type Helper struct{ entered bool }

// Enter is called at the beginning of main, and of TestMain in packages whose tests fence something: the value is what
// shows that this program can be started again as a supervisor.
func Enter() Helper { return Helper{entered: true} }

// init is where a process that Run started turns off: before main, so that it does not pay for the tables and patterns of
// every other package of the program, which would double what a fence costs.
func init() {
	switch {
	case len(os.Args) == 1 && os.Args[0] == helperName:
		runtime.LockOSThread()
		os.Exit(supervise())
	case len(os.Args) == 2 && os.Args[1] == probeArg:
		os.Exit(0)
	}
}

// supervisor is one run, seen from the process that holds it.
type supervisor struct {
	request request
	orders  *json.Decoder
	status  *json.Encoder
	stop    stopReason
	pid     int
	clock   *time.Timer
}

// stopReason is why the program is killed; the first reason counts.
type stopReason struct {
	once  sync.Once
	order order
	told  chan struct{}
}

func (s *stopReason) set(o order) {
	s.once.Do(func() { s.order = o; close(s.told) })
}

// supervise reads the request, puts on the fence, starts the program, answers it, ends it, and reports.
func supervise() int {
	s := &supervisor{
		orders: json.NewDecoder(os.NewFile(fdOrders, "orders")),
		status: json.NewEncoder(os.NewFile(fdStatus, "status")),
		stop:   stopReason{told: make(chan struct{})},
	}
	if err := s.start(); err != nil {
		_ = s.status.Encode(s.refuse(err))
		return ExitUnavailable
	}
	if s.status.Encode(status{Started: &started{PID: s.pid}}) != nil {
		s.stop.set(order{Stop: Cancelled, Reason: "the caller is gone"})
	}
	go s.listen()
	go s.enforce()
	result, err := s.reap()
	if err != nil {
		_ = s.status.Encode(status{Lost: err.Error()})
		return ExitUnavailable
	}
	_ = s.status.Encode(status{Ended: &result})
	return 0
}

// refuse says that nothing has run, or, when the program was already started, that it was ended and its traces are worth nothing.
func (s *supervisor) refuse(err error) status {
	if s.pid == 0 {
		return status{Refused: &refusal{Reason: err.Error(), Namespaces: errors.Is(err, errNamespaces)}}
	}
	s.kill()
	if _, reapErr := s.reap(); reapErr != nil {
		err = errors.Join(err, reapErr)
	}
	return status{Lost: err.Error()}
}

// start does everything up to the program's exec and this process's own fence.
func (s *supervisor) start() error {
	if err := s.orders.Decode(&s.request); err != nil {
		return fmt.Errorf("reading the request: %w", err)
	}
	// Go's exec passes on what the caller had open without close-on-exec.
	first := uint(fdOwners + len(s.request.Layout.Owners))
	if err := unix.CloseRange(first, ^uint(0)>>32, 0); err != nil {
		return fmt.Errorf("closing inherited descriptors: %w", err)
	}
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return fmt.Errorf("descriptors: %w", err)
	}
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("subreaper: %w", err)
	}
	// The kernel's out-of-memory killer takes the program first. The program inherits this and has no /proc to change it.
	if err := os.WriteFile("/proc/self/oom_score_adj", []byte("1000"), 0); err != nil {
		return fmt.Errorf("oom_score_adj: %w", err)
	}
	if s.request.Layout.Namespaces {
		if err := s.request.enterRoot(); err != nil {
			return err
		}
	}
	listener, err := s.launch()
	if err != nil {
		return err
	}
	for fd := range 3 {
		if err := unix.Dup3(int(null.Fd()), fd, 0); err != nil {
			return fmt.Errorf("descriptors: %w", err)
		}
	}
	null.Close()
	if err := fenceSupervisor(); err != nil {
		return err
	}
	s.clock = time.AfterFunc(s.request.Timeout, func() {
		s.stop.set(order{Stop: Deadline, Reason: fmt.Sprintf("not done after %v", s.request.Timeout)})
	})
	if s.request.Relay.IsValid() {
		go func() {
			if err := newRelay(s.request.Relay).serve(listener); err != nil {
				s.stop.set(order{Stop: Exceeded, Reason: "the relay ended: " + err.Error()})
			}
		}()
	}
	return nil
}

// listen takes the caller's orders. When the caller dies its end of the pipe closes, and the program goes with it.
func (s *supervisor) listen() {
	var o order
	if err := s.orders.Decode(&o); err != nil || o.Stop == "" {
		o = order{Stop: Cancelled, Reason: "the caller is gone"}
	}
	s.stop.set(o)
}

// enforce kills the program once there is a reason to.
func (s *supervisor) enforce() {
	<-s.stop.told
	s.kill()
}

// kill reaches every process of the run: in a process namespace all but this one, which is its first; elsewhere the
// process group, which nobody can leave because setsid and setpgid are refused.
func (s *supervisor) kill() {
	target := -s.pid
	if s.request.Layout.Namespaces {
		target = -1
	}
	_ = unix.Kill(target, unix.SIGKILL)
}

// reapWithin bounds how long killed processes may take to go: one that sits in the kernel (a dead network file system) may
// never do.
const reapWithin = 10 * time.Second

// reap waits for the program, then kills and reaps until no descendant is left, so that nothing is written any more once
// the caller reads.
func (s *supervisor) reap() (ended, error) {
	var ws unix.WaitStatus
	for {
		pid, err := unix.Wait4(-1, &ws, 0, nil)
		if errors.Is(err, unix.EINTR) {
			continue
		}
		if err != nil {
			return ended{}, fmt.Errorf("waiting for the program: %w", err)
		}
		if pid == s.pid {
			break
		}
	}
	if s.clock != nil {
		s.clock.Stop()
	}
	for end := time.Now().Add(reapWithin); time.Now().Before(end); {
		s.kill()
		pid, err := unix.Wait4(-1, nil, unix.WNOHANG, nil)
		switch {
		case errors.Is(err, unix.ECHILD):
			return s.verdict(ws), nil
		case pid == 0:
			time.Sleep(time.Millisecond)
		}
	}
	return ended{}, fmt.Errorf("processes are left after %v", reapWithin)
}

// verdict tells the kernel's status from the fence's own kill.
func (s *supervisor) verdict(ws unix.WaitStatus) ended {
	select {
	case <-s.stop.told:
		if ws.Signaled() {
			return ended{End: s.stop.order.Stop, Reason: s.stop.order.Reason}
		}
	default:
	}
	if ws.Exited() {
		return ended{End: Exited, Code: ws.ExitStatus()}
	}
	return ended{End: Signalled, Signal: int(ws.Signal()), Reason: signalReason(ws.Signal())}
}

func signalReason(sig unix.Signal) string {
	reason := fmt.Sprintf("ended by signal %d (%s)", int(sig), unix.SignalName(sig))
	switch sig {
	case unix.SIGSYS:
		return reason + ": it made a system call of another architecture"
	case unix.SIGXFSZ:
		return reason + ": a file reached its limit"
	}
	return reason
}
