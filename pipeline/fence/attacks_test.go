//go:build linux && (amd64 || arm64)

package fence

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// attacks are small programs that a hostile agent could be. Each returns nil when it got what it wanted, and what stopped it
// otherwise.
func attacks() map[string]func(args []string) error {
	return map[string]func([]string) error{
		"chmod":                func(a []string) error { return unix.Chmod(a[0], 0o666) },
		"fchmodat":             func(a []string) error { return unix.Fchmodat(unix.AT_FDCWD, a[0], 0o666, 0) },
		"fchmodat2":            func(a []string) error { return unix.Fchmodat(unix.AT_FDCWD, a[0], 0o666, unix.AT_SYMLINK_NOFOLLOW) },
		"utimensat":            func(a []string) error { return os.Chtimes(a[0], time.Unix(1, 0), time.Unix(1, 0)) },
		"setxattr":             func(a []string) error { return unix.Setxattr(a[0], "user.fence", []byte("x"), 0) },
		"chown":                func(a []string) error { return unix.Lchown(a[0], os.Getuid(), os.Getgid()) },
		"truncate":             func(a []string) error { return unix.Truncate(a[0], 0) },
		"open":                 openAny,
		"each":                 each,
		"append":               func(a []string) error { return appendOne(a[0]) },
		"unlink":               func(a []string) error { return unix.Unlink(a[0]) },
		"symlink":              func(a []string) error { return os.Symlink("/etc/passwd", a[0]) },
		"link":                 func(a []string) error { return os.Link(a[0], a[1]) },
		"fifo":                 func(a []string) error { return unix.Mkfifo(a[0], 0o644) },
		"mknod":                func(a []string) error { return unix.Mknod(a[0], unix.S_IFREG|0o644, 0) },
		"device":               func(a []string) error { return unix.Mknod(a[0], unix.S_IFCHR|0o666, int(unix.Mkdev(1, 5))) },
		"bind":                 bindSocket,
		"rename":               func(a []string) error { return os.Rename(a[0], a[1]) },
		"create-suid":          createSetUID,
		"fchmod-suid":          fchmodSetUID,
		"mkdir-sgid":           func(a []string) error { return mkdirSetGID(a[0]) },
		"exec":                 func(a []string) error { return ranProgram(exec.Command(a[0], a[1:]...).Run()) },
		"memfd":                func([]string) error { _, err := unix.MemfdCreate("x", 0); return err },
		"write-exec":           writeAndExecute,
		"stream":               streamTo,
		"datagram":             datagramTo,
		"inet":                 inetSocket,
		"prlimit":              prlimitParent,
		"setown":               stopParentByOwner,
		"kill":                 func([]string) error { return unix.Kill(os.Getppid(), 0) },
		"kill-pid":             killPID,
		"kill-child":           func([]string) error { return killChild() },
		"kill-all":             func([]string) error { return unix.Kill(-1, 0) },
		"tgkill":               func([]string) error { return unix.Tgkill(os.Getppid(), os.Getppid(), 0) },
		"sigqueue":             func([]string) error { return sigqueueParent() },
		"pidfd-send":           pidfdSignalParent,
		"pidfd-getfd":          pidfdGetFromParent,
		"ptrace":               func([]string) error { return unix.PtraceAttach(os.Getppid()) },
		"vm-read":              readParentMemory,
		"setsid":               func([]string) error { _, err := unix.Setsid(); return err },
		"setpgid":              setpgidChild,
		"unshare":              func([]string) error { return unix.Unshare(unix.CLONE_NEWUSER) },
		"clone-ns":             func([]string) error { return cloneNamespace() },
		"clone3":               func([]string) error { return clone3() },
		"number":               callNumber,
		"inherited":            inheritedDescriptors,
		"environment":          func([]string) error { return otherEnvironment() },
		"tiocsti":              typeIntoTerminal,
		"terminal":             func([]string) error { _, err := unix.Open("/dev/tty", unix.O_RDWR, 0); return err },
		"fork":                 forkMany,
		"memory":               touchMemory,
		"fill":                 fillDisk,
		"fill-sparse":          fillSparse,
		"fill-deep":            fillDeep,
		"fill-names":           fillNames,
		"fill-hidden":          fillHidden,
		"shout":                func([]string) error { return shout() },
		"survive":              survive,
		"scribble":             scribble,
		"survive-and-scribble": func(a []string) error { return errors.Join(survive(a), scribble(a)) },
		"sleep":                func([]string) error { time.Sleep(time.Hour); return nil },
		"ignore-term":          func([]string) error { return ignoreTerm() },
		"core-limit":           func([]string) error { return coreLimitZero() },
		"relay":                talkToRelay,
		"relay-bulk":           relayBulk,
		"self-call":            selfCall,
	}
}

// each tries several attacks on one path, and says which of them worked.
func each(a []string) error {
	all := attacks()
	var failures []error
	for _, name := range a[1:] {
		err := all[name](a[:1])
		if err == nil {
			fmt.Printf("%s worked\n", name)
			return nil
		}
		failures = append(failures, fmt.Errorf("%s: %w", name, err))
	}
	return errors.Join(failures...)
}

// openAny opens the first path that it may.
func openAny(paths []string) error {
	var failures []error
	for _, p := range paths {
		err := readOne(p)
		if err == nil {
			fmt.Printf("%s was opened\n", p)
			return nil
		}
		failures = append(failures, err)
	}
	return errors.Join(failures...)
}

func readOne(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	if st, err := f.Stat(); err == nil && st.IsDir() {
		_, err = f.ReadDir(1)
		return err
	}
	_, err = f.Read(make([]byte, 1))
	return err
}

func appendOne(path string) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o644)
	if err != nil {
		return err
	}
	_, err = f.Write([]byte("x"))
	return errors.Join(err, f.Close())
}

// bindSocket makes a socket file. Binding needs no listener.
func bindSocket(a []string) error {
	fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM, 0)
	if err != nil {
		return err
	}
	return unix.Bind(fd, &unix.SockaddrUnix{Name: a[0]})
}

// createSetUID asks for the bit when the file is made. The umask does not take it away.
func createSetUID(a []string) error {
	fd, err := unix.Open(a[0], unix.O_CREAT|unix.O_WRONLY, 0o4755)
	if err != nil {
		return err
	}
	return hasSetID(fd)
}

func fchmodSetUID(a []string) error {
	fd, err := unix.Open(a[0], unix.O_CREAT|unix.O_WRONLY, 0o755)
	if err != nil {
		return err
	}
	if err := unix.Fchmod(fd, 0o6755); err != nil {
		return err
	}
	return hasSetID(fd)
}

func mkdirSetGID(path string) error {
	if err := unix.Mkdir(path, 0o2755); err != nil {
		return err
	}
	fd, err := unix.Open(path, unix.O_RDONLY|unix.O_DIRECTORY, 0)
	if err != nil {
		return err
	}
	if err := unix.Fchmod(fd, 0o2755); err != nil {
		return err
	}
	return hasSetID(fd)
}

func hasSetID(fd int) error {
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return err
	}
	if st.Mode&setIDs == 0 {
		return fmt.Errorf("mode %o has no set-id bit", st.Mode)
	}
	return nil
}

// ranProgram tells a program that ran, whatever its code, from one that was not started.
func ranProgram(err error) error {
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return nil
	}
	return err
}

// writeAndExecute copies a program into a folder and runs the copy.
func writeAndExecute(a []string) error {
	to := filepath.Join(a[0], "mine")
	if err := copyFile(to, a[1], 0o755); err != nil {
		return fmt.Errorf("writing it: %w", err)
	}
	return ranProgram(exec.Command(to, probeArg).Run())
}

func unixAddress(name string) *unix.SockaddrUnix { return &unix.SockaddrUnix{Name: name} }

// streamTo connects to a path or an abstract name ("@…") and wants one byte of the other side.
func streamTo(a []string) error {
	fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM, 0)
	if err != nil {
		return fmt.Errorf("socket: %w", err)
	}
	if err := unix.Connect(fd, unixAddress(a[0])); err != nil {
		return fmt.Errorf("connect: %w", err)
	}
	if _, err := unix.Write(fd, []byte("hello")); err != nil {
		return fmt.Errorf("write: %w", err)
	}
	n, err := unix.Read(fd, make([]byte, 8))
	if err != nil || n == 0 {
		return fmt.Errorf("read: %d, %w", n, errors.Join(err, io.EOF))
	}
	return nil
}

// datagramTo sends with an address and never connects, from a socket of its own and from one end of a pair.
func datagramTo(a []string) error {
	var failures []error
	fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_DGRAM, 0)
	if err == nil {
		err = unix.Sendto(fd, []byte("hello"), 0, unixAddress(a[0]))
	}
	if err == nil {
		return nil
	}
	failures = append(failures, err)
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_DGRAM, 0)
	if err == nil {
		err = unix.Sendmsg(pair[0], []byte("hello"), nil, unixAddress(a[0]), 0)
	}
	if err == nil {
		return nil
	}
	return errors.Join(append(failures, err)...)
}

// inetSocket tries every kind of socket that leads off the machine or into the kernel.
func inetSocket([]string) error {
	var failures []error
	for _, family := range []int{unix.AF_INET, unix.AF_INET6, unix.AF_NETLINK, unix.AF_PACKET, unix.AF_VSOCK, unix.AF_ALG} {
		for _, kind := range []int{unix.SOCK_STREAM, unix.SOCK_DGRAM, unix.SOCK_RAW, unix.SOCK_SEQPACKET} {
			_, err := unix.Socket(family, kind, 0)
			if err == nil {
				return nil
			}
			failures = append(failures, err)
		}
	}
	return errors.Join(failures...)
}

// prlimitParent sets the parent's limit of open files to what it is.
func prlimitParent([]string) error {
	var old unix.Rlimit
	if err := unix.Prlimit(os.Getppid(), unix.RLIMIT_NOFILE, nil, &old); err != nil {
		return err
	}
	return unix.Prlimit(os.Getppid(), unix.RLIMIT_NOFILE, &old, nil)
}

// stopParentByOwner has the kernel send a signal to the parent when a socket becomes readable. SIGURG harms nobody; SIGSTOP
// would go the same way.
func stopParentByOwner([]string) error {
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM, 0)
	if err != nil {
		return err
	}
	var failures []error
	const fSetown, fSetsig, fSetownEx, fiosetown, siocspgrp = 8, 10, 15, 0x8901, 0x8902
	pid := int32(os.Getppid())
	ex := [2]int32{1, pid}
	for _, c := range []struct {
		nr, cmd, arg uintptr
	}{
		{unix.SYS_FCNTL, fSetown, uintptr(pid)}, {unix.SYS_FCNTL, fSetownEx, uintptr(unsafe.Pointer(&ex))},
		{unix.SYS_FCNTL, fSetsig, uintptr(unix.SIGURG)},
		{unix.SYS_IOCTL, fiosetown, uintptr(unsafe.Pointer(&pid))}, {unix.SYS_IOCTL, siocspgrp, uintptr(unsafe.Pointer(&pid))},
		// The commands are of 32 bits: what stands above them must not hide them from the filter.
		{unix.SYS_FCNTL, fSetown | 1<<32, uintptr(pid)},
	} {
		_, _, errno := unix.Syscall(c.nr, uintptr(pair[0]), c.cmd, c.arg)
		if errno == 0 {
			return nil
		}
		failures = append(failures, errno)
	}
	return errors.Join(failures...)
}

func sigqueueParent() error {
	var info [128]byte
	*(*int32)(unsafe.Pointer(&info[0])) = int32(unix.SIGURG)
	*(*int32)(unsafe.Pointer(&info[8])) = -1 // SI_QUEUE
	_, _, errno := unix.Syscall(unix.SYS_RT_SIGQUEUEINFO, uintptr(os.Getppid()), uintptr(unix.SIGURG), uintptr(unsafe.Pointer(&info)))
	return result(errno)
}

func result(errno syscall.Errno) error {
	if errno == 0 {
		return nil
	}
	return errno
}

func pidfdSignalParent([]string) error {
	fd, err := unix.PidfdOpen(os.Getppid(), 0)
	if err != nil {
		return fmt.Errorf("open: %w", err)
	}
	return unix.PidfdSendSignal(fd, 0, nil, 0)
}

func pidfdGetFromParent([]string) error {
	fd, err := unix.PidfdOpen(os.Getppid(), 0)
	if err != nil {
		return fmt.Errorf("open: %w", err)
	}
	_, err = unix.PidfdGetfd(fd, 0, 0)
	return err
}

func readParentMemory([]string) error {
	buf := make([]byte, 8)
	local := []unix.Iovec{{Base: &buf[0]}}
	local[0].SetLen(len(buf))
	// The address of this very variable may be unmapped there; EFAULT says that the kernel went to look.
	_, err := unix.ProcessVMReadv(os.Getppid(), local, []unix.RemoteIovec{{Base: uintptr(unsafe.Pointer(&buf[0])), Len: len(buf)}}, 0)
	if errors.Is(err, unix.EFAULT) {
		return nil
	}
	return err
}

// callNumber makes one system call by number, such as one with the x32 bit.
func callNumber(a []string) error {
	nr, err := strconv.ParseUint(a[0], 0, 32)
	if err != nil {
		return fmt.Errorf("number: %w", err)
	}
	_, _, errno := unix.RawSyscall6(uintptr(nr), 0, 0, 0, 0, 0, 0)
	return result(errno)
}
