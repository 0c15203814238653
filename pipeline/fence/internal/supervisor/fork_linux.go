//go:build amd64 || arm64

package supervisor

import (
	"runtime"
	"syscall"
	"unsafe"
)

// call is one system call that the forked process makes between fork and exec. The list of them is data, made before the
// fork: a forked Go process has one thread and no runtime, so it may neither allocate nor grow its stack.
type call struct {
	name  string
	nr    uintptr
	args  [6]argument
	store *uint32 // the result is written here
	want  uintptr // with check: any other result ends the process
	check bool
	may   bool // its error is not one: a number that this kernel does not have
}

func sys(name string, nr uintptr, args ...argument) call {
	c := call{name: name, nr: nr}
	copy(c.args[:], args)
	return c
}

// report is what the forked process writes to its supervisor: once before exec, with the number of the listener's descriptor,
// and once more if a call of the list fails.
type report struct {
	failed   uint32 // 1: the call at index failed with errno
	index    uint32
	errno    uint32
	listener uint32
}

// fork starts a process that makes the calls in order; the last one is execve. It returns the process id as this process
// sees it. Until then the child runs in this process's memory, on the stack of the calling thread, which waits: no page is
// copied, and the two reports and the filter are all that it writes to. The caller holds its thread locked: the child's
// death signal is tied to it.
func fork(flags uintptr, calls []call, pipe int) (int, error) {
	failure := &report{failed: 1}
	pid, err := withoutSignals(func() (uintptr, syscall.Errno) {
		return rawFork(flags|syscall.CLONE_VM|syscall.CLONE_VFORK, calls, uintptr(pipe), failure)
	})
	runtime.KeepAlive(calls)
	runtime.KeepAlive(failure)
	return pid, err
}

// Sleeper starts a process that only sleeps, in a user namespace of its own, and ends with the calling thread, which the
// caller holds locked. It returns the process id, for the caller to kill and wait for.
func Sleeper() (int, error) {
	return withoutSignals(func() (uintptr, syscall.Errno) {
		pid, errno := sleeper(syscall.CLONE_NEWUSER | syscall.CLONE_VM | uintptr(syscall.SIGCHLD))
		return pid, syscall.Errno(errno)
	})
}

// withoutSignals blocks all signals while a process is started, which inherits that: no handler of the Go runtime runs in it.
func withoutSignals(start func() (uintptr, syscall.Errno)) (int, error) {
	all, old := ^uint64(0), uint64(0)
	if err := signalMask(sigBlock, &all, &old); err != nil {
		return 0, wrap("blocking signals", err)
	}
	pid, errno := start()
	if err := signalMask(sigSetmask, &old, nil); err != nil {
		return 0, wrap("unblocking signals", err)
	}
	if errno != 0 {
		return 0, wrap("clone", errno)
	}
	return int(pid), nil
}

func signalMask(how int, set, old *uint64) error {
	_, err := do(syscall.SYS_RT_SIGPROCMASK, num(how), ptr(set), ptr(old), num(8))
	return err
}

// vfork is clone(2) with these flags, which have CLONE_VM and CLONE_VFORK among them.
//
//go:noescape
func vfork(flags uintptr) (pid, errno uintptr)

// sleeper is clone(2) with these flags; the child asks for SIGKILL when the calling thread ends, and sleeps.
//
//go:noescape
func sleeper(flags uintptr) (pid, errno uintptr)

// rawFork returns in the parent only, which uses nothing of this frame but what vfork returned: the child has used the frame
// before.
//
//go:noinline
//go:norace
//go:nocheckptr
func rawFork(flags uintptr, calls []call, pipe uintptr, failure *report) (uintptr, syscall.Errno) {
	pid, errno := vfork(flags | uintptr(syscall.SIGCHLD))
	if errno != 0 || pid != 0 {
		return pid, syscall.Errno(errno)
	}
	for i := range calls {
		c := &calls[i]
		result, _, errno := syscall.RawSyscall6(c.nr,
			c.args[0].n|uintptr(c.args[0].p), c.args[1].n|uintptr(c.args[1].p), c.args[2].n|uintptr(c.args[2].p),
			c.args[3].n|uintptr(c.args[3].p), c.args[4].n|uintptr(c.args[4].p), c.args[5].n|uintptr(c.args[5].p))
		if errno == 0 && c.check && result != c.want {
			errno = syscall.ESRCH
		}
		if errno != 0 && !c.may {
			failure.index, failure.errno = uint32(i), uint32(errno)
			syscall.RawSyscall6(syscall.SYS_WRITE, pipe, uintptr(unsafe.Pointer(failure)), unsafe.Sizeof(*failure), 0, 0, 0)
			break
		}
		if c.store != nil {
			*c.store = uint32(result)
		}
	}
	for {
		syscall.RawSyscall6(syscall.SYS_EXIT_GROUP, ExitUnavailable, 0, 0, 0, 0, 0)
	}
}
