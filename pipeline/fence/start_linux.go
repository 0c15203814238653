//go:build amd64 || arm64

package fence

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"golang.org/x/sys/unix"
)

// enterRoot gives the request's paths a root of their own.
func (r request) enterRoot() error {
	n := names{links: map[string]string{}}
	wishes := map[string]mountWish{}
	var readable []string
	for _, p := range r.Read {
		at, err := n.resolve(p)
		if err != nil {
			return err
		}
		owner, err := r.ownerOf(at, false)
		if err != nil {
			return err
		}
		readable = append(readable, at)
		wishes[at] = mountWish{exec: true, owner: owner}
	}
	given := slices.Clone(readable)
	for _, p := range r.Write {
		at, err := n.resolve(p)
		if err != nil {
			return err
		}
		owner, err := r.ownerOf(at, true)
		if err != nil {
			return err
		}
		given = append(given, at)
		wishes[at] = mountWish{write: true, exec: covers(readable, at), owner: owner}
	}
	for _, p := range devices() {
		if _, err := os.Stat(p); err == nil {
			wishes[p] = mountWish{device: true, write: true, owner: -1}
		}
	}
	for _, p := range []string{r.Program, r.Dir} {
		_, _ = n.resolve(p) // only for the links; a missing file is exec's to tell
	}
	n.merged(given)
	return newRoot(n, wishes)
}

// ownerOf is the descriptor of the user namespace that shows the path as the program's own; -1 if none is needed.
func (r request) ownerOf(path string, write bool) (int, error) {
	o, needed, err := ownerOf(path, write)
	if err != nil {
		return -1, err
	}
	i := slices.Index(r.Layout.Owners, o)
	if !needed || i < 0 {
		return -1, nil
	}
	return fdOwners + i, nil
}

// filter is the profile's table for this kernel and layout.
func (r request) filter() table {
	var s setting
	if r.Relay.IsValid() {
		s.net = netRelay
	}
	if r.Layout.Namespaces || handledBy(r.ABI).scoped != 0 {
		s.signals = signalsInside
	}
	if r.Layout.Namespaces || r.Layout.User != 0 {
		s.files = filesInside
	}
	return rulesOf(r.Profile, native(), s)
}

// rlimits bound the program. RLIMIT_CORE is 1, not 0: with 0 a core_pattern that is a pipe is still run, by root, on
// the program's memory. Address space is not bounded, since JavaScript engines reserve far more than they use.
func (r request) rlimits() []rlimit {
	return []rlimit{
		{"core", unix.RLIMIT_CORE, 1},
		{"file size", unix.RLIMIT_FSIZE, r.Limits.FileBytes},
		{"open files", unix.RLIMIT_NOFILE, r.Limits.OpenFiles},
		{"processes", unix.RLIMIT_NPROC, r.Tasks},
		{"data", unix.RLIMIT_DATA, r.Limits.DataBytes},
		{"locked memory", unix.RLIMIT_MEMLOCK, 1 << 20},
		{"message queues", unix.RLIMIT_MSGQUEUE, 0},
		{"pending signals", unix.RLIMIT_SIGPENDING, 1024},
	}
}

// launch forks the program and waits until it is behind the fence and has been executed. It returns the listener of the
// filter if there is a relay.
func (s *supervisor) launch() (int, error) {
	r := s.request
	land := handledBy(r.ABI)
	ruleset, err := land.ruleset()
	if err != nil {
		return -1, fmt.Errorf("landlock ruleset: %w", err)
	}
	defer unix.Close(ruleset)
	if err := land.grant(ruleset, r.Read, r.Write); err != nil {
		return -1, err
	}
	filter, err := r.filter().raw()
	if err != nil {
		return -1, err
	}
	var report [2]int
	if err := unix.Pipe2(report[:], unix.O_CLOEXEC); err != nil {
		return -1, fmt.Errorf("report pipe: %w", err)
	}
	defer unix.Close(report[0])
	calls, err := child{
		program: r.Program, argv: r.Args, env: r.Env, dir: r.Dir, uid: r.Layout.User,
		capable: r.Layout.User != 0 || r.Layout.UserNS, parent: os.Getpid(), limits: r.rlimits(), ruleset: ruleset,
		filter: filter, listener: r.Relay.IsValid(), report: report[1],
	}.calls()
	if err != nil {
		return -1, err
	}
	flags := uintptr(unix.CLONE_FILES)
	if r.Layout.Namespaces {
		flags |= unix.CLONE_NEWNET
	}
	if s.pid, err = fork(flags, calls, report[1]); err != nil {
		return -1, err
	}
	listener, err := s.await(report, calls)
	if err != nil {
		s.endChild()
	}
	return listener, err
}

// endChild waits for a child that did not become the program.
func (s *supervisor) endChild() {
	_ = unix.Kill(s.pid, unix.SIGKILL)
	_, _ = unix.Wait4(s.pid, nil, 0, nil)
	s.pid = 0
}

// await reads the child's report: first that it is behind the fence with descriptors of its own, then the end of the
// pipe, which exec closes.
func (s *supervisor) await(report [2]int, calls []call) (int, error) {
	var m message
	if err := s.readReport(report[0], &m); err != nil {
		unix.Close(report[1])
		return -1, err
	}
	unix.Close(report[1])
	listener := int(m.Listener)
	if m.Failed == 0 {
		err := s.readReport(report[0], &m)
		if errors.Is(err, io.EOF) {
			return listener, nil
		}
		if err != nil {
			return -1, err
		}
	}
	if int(m.Index) >= len(calls) {
		return -1, fmt.Errorf("the child reports call %d of %d", m.Index, len(calls))
	}
	return -1, s.launchError(calls[m.Index].name, unix.Errno(m.Errno))
}

// launchError says what to do about the usual reasons.
func (s *supervisor) launchError(call string, errno unix.Errno) error {
	err := fmt.Errorf("%s: %w", cut(call), errno)
	switch errno {
	case unix.EACCES:
		return fmt.Errorf("%w; it must lie at or below a --read path that this user may enter", err)
	case unix.ENOENT:
		return fmt.Errorf("%w; the program, its loader or its interpreter lies below no given path", err)
	}
	return err
}

// readReport reads one message. It notices a child that died without a word, although this process holds the pipe's other
// end as well.
func (s *supervisor) readReport(fd int, m *message) error {
	buf := make([]byte, binary.Size(*m))
	wait := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}
	for range 400 { // 10 s
		n, err := unix.Poll(wait, 25)
		if err != nil && !errors.Is(err, unix.EINTR) {
			return fmt.Errorf("report pipe: %w", err)
		}
		if n > 0 {
			return readMessage(fd, buf, m)
		}
		var ws unix.WaitStatus
		if pid, _ := unix.Wait4(s.pid, &ws, unix.WNOHANG, nil); pid == s.pid {
			return fmt.Errorf("the child ended before the fence was on: %s", signalReason(ws.Signal()))
		}
	}
	return errors.New("the child did not report within 10 s")
}

func readMessage(fd int, buf []byte, m *message) error {
	n, err := unix.Read(fd, buf)
	if err != nil {
		return fmt.Errorf("report pipe: %w", err)
	}
	if n == 0 {
		return io.EOF
	}
	if _, err := binary.Decode(buf[:n], binary.NativeEndian, m); err != nil {
		return fmt.Errorf("report of %d bytes: %w", n, err)
	}
	return nil
}
