//go:build amd64 || arm64

package fence

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"selffix/pipeline/fence/internal/supervisor"
)

// handle is the caller's side of one supervisor.
type handle struct {
	process *process
	stdio   [3]*os.File // the caller's ends of the program's pipes
	orders  *os.File
	status  *os.File
	plain   bool // no process namespace: a dead supervisor leaves the process group
	pid     int
}

// startSupervisor starts this program again, on a thread that can reach no TCP port but the relay's; the thread is
// thrown away.
func startSupervisor(r request) (*handle, error) {
	s := &handle{plain: !r.Layout.Namespaces}
	var theirs []int
	release := func() {
		for _, fd := range theirs {
			unix.Close(fd)
		}
		theirs = nil
	}
	defer release()
	err := errors.Join(writes(&s.stdio[0], &theirs), reads(&s.stdio[1], &theirs), reads(&s.stdio[2], &theirs),
		writes(&s.orders, &theirs), reads(&s.status, &theirs))
	if err != nil {
		s.close()
		return nil, fmt.Errorf("%w: pipes: %w", ErrUnavailable, err)
	}
	for _, o := range r.Layout.Owners {
		fd, err := mapOwner(o, r.Layout.User)
		if err != nil {
			s.close()
			return nil, fmt.Errorf("%w: %w", errNamespaces, err)
		}
		theirs = append(theirs, fd)
	}
	if s.process, err = startRestricted(r, theirs); err != nil {
		s.close()
		return nil, err
	}
	release() // so that what is sent to a supervisor which died comes back as an error
	do, err := r.supervised()
	if err != nil {
		s.close()
		return nil, err
	}
	if err := supervisor.Send(s.orders, do); err != nil {
		s.close()
		return nil, fmt.Errorf("%w: the supervisor did not take its request: %w", ErrUnavailable, err)
	}
	return s, nil
}

// writes makes a pipe that the caller writes to.
func writes(mine **os.File, theirs *[]int) error { return pipe(mine, theirs, 1) }

// reads makes a pipe that the caller reads from.
func reads(mine **os.File, theirs *[]int) error { return pipe(mine, theirs, 0) }

// pipe makes a pipe whose end number own the caller keeps. Only that end does not block: the program's is as a program expects.
func pipe(mine **os.File, theirs *[]int, own int) error {
	var ends [2]int
	if err := unix.Pipe2(ends[:], unix.O_CLOEXEC); err != nil {
		return err
	}
	*theirs = append(*theirs, ends[1-own])
	if err := unix.SetNonblock(ends[own], true); err != nil {
		unix.Close(ends[own])
		return err
	}
	*mine = os.NewFile(uintptr(ends[own]), "pipe")
	return nil
}

// supervisorEnv keeps the Go runtime from holding a descriptor of its own (of the control group, to follow its processor
// limit), which the supervisor would close, from printing memory when it dies, and from starting threads for a collector
// that so small a process hardly needs.
func supervisorEnv() []string {
	return []string{"GOTRACEBACK=none", "GODEBUG=containermaxprocs=0,updatemaxprocs=0", "GOMAXPROCS=1", "GOGC=off", "GOMEMLIMIT=64MiB"}
}

func startRestricted(r request, files []int) (p *process, err error) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		runtime.LockOSThread() // and never unlocked: the thread ends with the goroutine
		if err = restrictConnects(r.ABI, r.Relay.Port()); err != nil {
			err = fmt.Errorf("%w: %w", ErrUnavailable, err)
			return
		}
		p, err = startProcess("/proc/self/exe", []string{supervisor.Name}, supervisorEnv(), files, r.Layout.attributes())
		switch {
		case err == nil:
		case r.Layout.Namespaces:
			err = fmt.Errorf("%w: %w", errNamespaces, err)
		default:
			err = fmt.Errorf("%w: starting the supervisor: %w", ErrUnavailable, err)
		}
	}()
	<-done
	return p, err
}

// startWithin bounds how long the supervisor may take until the program runs: a dead network file system answers no mount and no exec.
const startWithin = 30 * time.Second

// first is what the supervisor says before the program runs, or once it does.
func (s *handle) first() (supervisor.Status, error) {
	var st supervisor.Status
	_ = s.status.SetReadDeadline(time.Now().Add(startWithin)) // a pipe has one
	err := supervisor.Receive(s.status, &st)
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded):
		s.process.kill()
		return st, fmt.Errorf("%w: the supervisor did not start the program within %v", ErrLost, startWithin)
	case err != nil:
		return st, fmt.Errorf("%w: the supervisor ended before the program started: %w", ErrUnavailable, err)
	}
	return st, s.status.SetReadDeadline(time.Time{})
}

// close lets go of the supervisor, which kills what is left when its orders end.
func (s *handle) close() {
	for _, f := range append(s.stdio[:], s.orders, s.status) {
		if f != nil {
			f.Close()
		}
	}
	if s.process == nil {
		return
	}
	stuck := time.AfterFunc(supervisor.ReapWithin+2*time.Second, s.process.kill)
	s.process.wait()
	stuck.Stop()
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
