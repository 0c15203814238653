//go:build amd64 || arm64

package supervisor

import (
	"errors"
	"io"
	"strconv"
	"syscall"
	"unsafe"
)

// launch forks the program and waits until it is behind the fence and has been executed. It returns the listener of the
// filter if there is a relay.
func (s *supervisor) launch() (int, error) {
	r := &s.request
	if len(r.Filter) == 0 || len(r.OwnFilter) == 0 {
		return -1, errMessage // of an empty filter the kernel has an opinion, but nothing should depend on it
	}
	ruleset, err := r.Handled.ruleset()
	if err != nil {
		return -1, wrap("landlock ruleset", err)
	}
	defer syscall.Close(ruleset)
	if err := grant(ruleset, r.Grants); err != nil {
		return -1, err
	}
	var pipe [2]int
	if err := syscall.Pipe2(pipe[:], syscall.O_CLOEXEC); err != nil {
		return -1, wrap("report pipe", err)
	}
	defer syscall.Close(pipe[0])
	calls, err := child{request: r, parent: syscall.Getpid(), ruleset: ruleset, report: pipe[1]}.calls()
	if err != nil {
		return -1, err
	}
	flags := uintptr(syscall.CLONE_FILES)
	if r.Namespaces {
		flags |= syscall.CLONE_NEWNET
	}
	if s.pid, err = fork(flags, calls, pipe[1]); err != nil {
		return -1, err
	}
	listener, err := s.await(pipe, calls)
	if err != nil {
		s.endChild()
	}
	return listener, err
}

// endChild waits for a child that did not become the program.
func (s *supervisor) endChild() {
	_ = syscall.Kill(s.pid, syscall.SIGKILL)
	_, _ = syscall.Wait4(s.pid, nil, 0, nil)
	s.pid = 0
}

// await reads the child's report: first that it is behind the fence with descriptors of its own, then the end of the
// pipe, which exec closes.
func (s *supervisor) await(pipe [2]int, calls []call) (int, error) {
	var m report
	if err := s.readReport(pipe[0], &m); err != nil {
		syscall.Close(pipe[1])
		return -1, err
	}
	syscall.Close(pipe[1])
	listener := int(m.listener)
	if m.failed == 0 {
		err := s.readReport(pipe[0], &m)
		if errors.Is(err, io.EOF) {
			return listener, nil
		}
		if err != nil {
			return -1, err
		}
	}
	if int(m.index) >= len(calls) {
		return -1, errors.New("the child reports call " + strconv.Itoa(int(m.index)) + " of " + strconv.Itoa(len(calls)))
	}
	return -1, launchError(calls[m.index].name, syscall.Errno(m.errno))
}

// launchError says what to do about the usual reasons.
func launchError(call string, errno syscall.Errno) error {
	what := Cut(call) + ": " + errno.Error()
	switch errno {
	case syscall.EACCES:
		what += "; it must lie at or below a --read path that this user may enter"
	case syscall.ENOENT:
		what += "; the program, its loader or its interpreter lies below no given path"
	}
	return errors.New(what)
}

// readReport reads one message. It notices a child that died without a word, although this process holds the pipe's other
// end as well.
func (s *supervisor) readReport(fd int, m *report) error {
	fds := []pollFD{{fd: int32(fd), events: pollIn}}
	for range 400 { // 10 s
		n, err := wait(fds, 25)
		if err != nil && !errors.Is(err, syscall.EINTR) {
			return wrap("report pipe", err)
		}
		if n > 0 {
			return readMessage(fd, m)
		}
		var ws syscall.WaitStatus
		if pid, _ := syscall.Wait4(s.pid, &ws, syscall.WNOHANG, nil); pid == s.pid {
			return errors.New("the child ended before the fence was on, by signal " + strconv.Itoa(int(ws.Signal())))
		}
	}
	return errors.New("the child did not report within 10 s")
}

func readMessage(fd int, m *report) error {
	buf := (*[unsafe.Sizeof(*m)]byte)(unsafe.Pointer(m))[:]
	n, err := syscall.Read(fd, buf)
	if err != nil {
		return wrap("report pipe", err)
	}
	if n == 0 {
		return io.EOF
	}
	if n != len(buf) {
		return errors.New("report of " + strconv.Itoa(n) + " bytes")
	}
	return nil
}
