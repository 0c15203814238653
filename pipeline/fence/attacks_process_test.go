//go:build linux && (amd64 || arm64)

package fence

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

func itoa(n int) string { return strconv.Itoa(n) }

func killPID(a []string) error {
	pid, err := strconv.Atoi(a[0])
	if err != nil {
		return err
	}
	return unix.Kill(pid, 0)
}

// killChild ends a program that it started, as git and node do.
func killChild() error {
	cmd := exec.Command(os.Args[0], attackArg, "sleep")
	if err := cmd.Start(); err != nil {
		return err
	}
	if err := unix.Kill(cmd.Process.Pid, unix.SIGTERM); err != nil {
		return errors.Join(err, unix.Kill(cmd.Process.Pid, 0))
	}
	_ = cmd.Wait()
	if cmd.ProcessState.Sys().(syscall.WaitStatus).Signal() != unix.SIGTERM {
		return errors.New("it did not end")
	}
	return nil
}

// setpgidChild starts a child in a group of its own.
func setpgidChild([]string) error {
	cmd := exec.Command(os.Args[0], probeArg)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	return cmd.Run()
}

// cloneNamespace forks into a network namespace; the child ends at once.
func cloneNamespace() error {
	pid, _, errno := unix.RawSyscall6(unix.SYS_CLONE, unix.CLONE_NEWUSER|unix.CLONE_NEWNET|uintptr(unix.SIGCHLD), 0, 0, 0, 0, 0)
	return endChild(pid, errno)
}

// clone3 takes its flags from memory, where no filter sees them.
func clone3() error {
	var args [11]uint64
	args[0], args[4] = unix.CLONE_NEWUSER, uint64(unix.SIGCHLD)
	pid, _, errno := unix.RawSyscall(unix.SYS_CLONE3, uintptr(unsafe.Pointer(&args)), unsafe.Sizeof(args), 0)
	return endChild(pid, errno)
}

func endChild(pid uintptr, errno syscall.Errno) error {
	if errno != 0 {
		return errno
	}
	if pid == 0 {
		unix.RawSyscall(unix.SYS_EXIT_GROUP, 0, 0, 0)
	}
	_, err := unix.Wait4(int(pid), nil, 0, nil)
	return err
}

// inheritedDescriptors looks for descriptors that nobody opened here: the Go runtime has only anonymous ones of its own.
func inheritedDescriptors([]string) error {
	for fd := 3; fd < 1024; fd++ {
		var st unix.Stat_t
		if unix.Fstat(fd, &st) == nil && st.Mode&unix.S_IFMT != 0 {
			return nil
		}
	}
	for fd := range 3 {
		var st unix.Stat_t
		if unix.Fstat(fd, &st) == nil && st.Mode&unix.S_IFMT != unix.S_IFIFO {
			return nil
		}
	}
	return errors.New("none")
}

// otherEnvironment finds a variable that it was not given.
func otherEnvironment() error {
	for _, e := range os.Environ() {
		if !strings.HasPrefix(e, "GIVEN=") && !strings.HasPrefix(e, "PWD=") {
			return nil
		}
	}
	return errors.New("only what was given")
}

// typeIntoTerminal pushes a character into the input of whatever terminal can be found.
func typeIntoTerminal([]string) error {
	fds := []int{0, 1, 2}
	if fd, err := unix.Open("/dev/tty", unix.O_RDWR, 0); err == nil {
		fds = append(fds, fd)
	}
	var failures []error
	for _, fd := range fds {
		for _, cmd := range []uintptr{unix.TIOCSTI, unix.TIOCSTI | 1<<32} {
			char := byte('#')
			_, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(fd), cmd, uintptr(unsafe.Pointer(&char)))
			if errno == 0 {
				return nil
			}
			failures = append(failures, errno)
		}
	}
	return errors.Join(failures...)
}

// forkMany starts children that sleep until it has the wanted number.
func forkMany(a []string) error {
	wanted, err := strconv.Atoi(a[0])
	if err != nil {
		return err
	}
	for n := range wanted {
		pid, _, errno := unix.RawSyscall6(unix.SYS_CLONE, uintptr(unix.SIGCHLD), 0, 0, 0, 0, 0)
		if errno != 0 {
			return fmt.Errorf("fork %d: %w", n, errno)
		}
		if pid == 0 {
			for {
				// Asleep for good, in raw calls: this copy has no Go runtime.
				unix.RawSyscall6(unix.SYS_PPOLL, 0, 0, 0, 0, 0, 0)
			}
		}
	}
	return nil
}

// touchMemory writes to so many MiB.
func touchMemory(a []string) error {
	mib, err := strconv.Atoi(a[0])
	if err != nil {
		return err
	}
	const chunk = 16 << 20
	for have := 0; have < mib<<20; have += chunk {
		mem, err := unix.Mmap(-1, 0, chunk, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANONYMOUS)
		if err != nil {
			return fmt.Errorf("after %d MiB: %w", have>>20, err)
		}
		for i := 0; i < len(mem); i += 4096 {
			mem[i] = 1
		}
	}
	return nil
}

// fillDisk writes files of 1 MiB, so many.
func fillDisk(a []string) error {
	n, err := strconv.Atoi(a[1])
	if err != nil {
		return err
	}
	block := make([]byte, 1<<20)
	for i := range n {
		if err := os.WriteFile(filepath.Join(a[0], fmt.Sprint("block", i)), block, 0o644); err != nil {
			return err
		}
	}
	time.Sleep(2 * time.Second) // long enough to be seen
	return nil
}

// fillSparse makes one file that is large only when it is copied.
func fillSparse(a []string) error {
	size, err := strconv.ParseInt(a[1], 10, 64)
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(a[0], "sparse"), nil, 0o644); err != nil {
		return err
	}
	return os.Truncate(filepath.Join(a[0], "sparse"), size)
}

// fillNames makes empty files, so many.
func fillNames(a []string) error {
	n, err := strconv.Atoi(a[1])
	if err != nil {
		return err
	}
	for i := range n {
		if err := os.WriteFile(filepath.Join(a[0], strconv.Itoa(i)), nil, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// fillDeep nests folders deeper than a path can name, each made from the one above it.
func fillDeep(a []string) error {
	n, err := strconv.Atoi(a[1])
	if err != nil {
		return err
	}
	if err := unix.Chdir(a[0]); err != nil {
		return err
	}
	name := strings.Repeat("n", 200)
	for range n {
		if err := unix.Mkdir(name, 0o755); err != nil {
			return err
		}
		if err := unix.Chdir(name); err != nil {
			return err
		}
	}
	return nil
}

// fillHidden writes to files that it has deleted, which no walk of the folder finds.
func fillHidden(a []string) error {
	n, err := strconv.Atoi(a[1])
	if err != nil {
		return err
	}
	block := make([]byte, 1<<20)
	for i := range n {
		name := filepath.Join(a[0], fmt.Sprint("hidden", i))
		f, err := os.Create(name)
		if err != nil {
			return err
		}
		if err := os.Remove(name); err != nil {
			return err
		}
		if _, err := f.Write(block); err != nil {
			return err
		}
		defer f.Close()
	}
	time.Sleep(2 * time.Second)
	return nil
}

func shout() error {
	block := []byte(strings.Repeat("spam ", 1000))
	for {
		if _, err := os.Stdout.Write(block); err != nil {
			return err
		}
	}
}

// survive leaves a scribbler behind, once more removed from this process, and ends.
func survive(a []string) error {
	cmd := exec.Command(os.Args[0], attackArg, "scribble", a[0])
	if slices.Contains(a, "session") {
		cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	for range 100 { // until it writes
		if st, err := os.Stat(a[0]); err == nil && st.Size() > 0 {
			return nil
		}
		time.Sleep(20 * time.Millisecond)
	}
	return errors.New("it wrote nothing")
}

// scribble changes a file for as long as it lives.
func scribble(a []string) error {
	signal.Ignore(unix.SIGTERM, unix.SIGHUP, unix.SIGINT)
	for {
		if err := appendOne(a[0]); err != nil {
			return err
		}
		time.Sleep(time.Millisecond)
	}
}

func ignoreTerm() error {
	signal.Ignore(unix.SIGTERM, unix.SIGHUP, unix.SIGINT, unix.SIGQUIT)
	time.Sleep(time.Hour)
	return nil
}

// coreLimitZero sets the limit with which a piped core_pattern is still run, hard and soft or soft alone.
func coreLimitZero() error {
	var now unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_CORE, &now); err != nil {
		return err
	}
	var failures []error
	for _, l := range []unix.Rlimit{{Cur: 0, Max: now.Max}, {}} {
		failures = append(failures, unix.Prlimit(0, unix.RLIMIT_CORE, &l, nil), unix.Prlimit(os.Getpid(), unix.RLIMIT_CORE, &l, nil),
			syscall.Setrlimit(unix.RLIMIT_CORE, &syscall.Rlimit{Cur: l.Cur, Max: l.Max}))
	}
	if err := unix.Getrlimit(unix.RLIMIT_CORE, &now); err != nil {
		return err
	}
	if now.Cur == 1 && now.Max == 1 {
		return errors.Join(append(failures, errors.New("it is still 1"))...)
	}
	return nil
}

// talkToRelay sends lines as HTTP and prints what comes back. Its arguments are the socket's path, what to send, and
// "nonblock" for a descriptor that does not wait.
func talkToRelay(a []string) error {
	kind := unix.SOCK_STREAM
	if slices.Contains(a, "nonblock") {
		kind |= unix.SOCK_NONBLOCK
	}
	fd, err := unix.Socket(unix.AF_UNIX, kind|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return fmt.Errorf("socket: %w", err)
	}
	flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFL, 0)
	if err != nil || (flags&unix.O_NONBLOCK != 0) != (kind&unix.SOCK_NONBLOCK != 0) {
		return fmt.Errorf("flags %#x, %w", flags, errors.Join(err))
	}
	if flags, err = unix.FcntlInt(uintptr(fd), unix.F_GETFD, 0); err != nil || flags&unix.FD_CLOEXEC == 0 {
		return fmt.Errorf("descriptor flags %#x, %w", flags, errors.Join(err))
	}
	if err := unix.Connect(fd, unixAddress(a[0])); err != nil {
		return fmt.Errorf("connect: %w", err)
	}
	conn := os.NewFile(uintptr(fd), "relay")
	defer conn.Close()
	if _, err := io.WriteString(conn, a[1]); err != nil {
		return fmt.Errorf("write: %w", err)
	}
	line, err := bufio.NewReader(conn).ReadString('\n')
	if err != nil {
		return fmt.Errorf("read: %w", err)
	}
	fmt.Print(line)
	return nil
}

// relayBulk sends so many bytes, closes its half, and wants as many back.
func relayBulk(a []string) error {
	size, err := strconv.Atoi(a[0])
	if err != nil {
		return err
	}
	fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return fmt.Errorf("socket: %w", err)
	}
	if err := unix.Connect(fd, unixAddress("/x")); err != nil {
		return fmt.Errorf("connect: %w", err)
	}
	conn := os.NewFile(uintptr(fd), "relay")
	defer conn.Close()
	if _, err := io.WriteString(conn, RelayPrefix+strings.Repeat("y", size)); err != nil {
		return fmt.Errorf("write: %w", err)
	}
	if err := unix.Shutdown(fd, unix.SHUT_WR); err != nil {
		return fmt.Errorf("shutdown: %w", err)
	}
	if n, err := io.Copy(io.Discard, conn); err != nil || n != int64(size) {
		return fmt.Errorf("read %d bytes of %d, %w", n, size, errors.Join(err, io.ErrUnexpectedEOF))
	}
	return nil
}

// selfCall signals a thread of its own, which a runtime does all the time, and must be able to.
func selfCall([]string) error {
	return unix.Tgkill(os.Getpid(), unix.Gettid(), unix.SIGURG)
}
