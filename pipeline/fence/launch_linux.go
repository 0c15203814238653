//go:build amd64 || arm64

package fence

import (
	"fmt"
	"runtime"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
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

// argument is a number, or a pointer that the garbage collector can see until the fork is done.
type argument struct {
	n uintptr
	p unsafe.Pointer
}

func num[N ~int | ~uint32 | ~uint64 | ~uintptr](n N) argument { return argument{n: uintptr(n)} }
func ptr[T any](p *T) argument                                { return argument{p: unsafe.Pointer(p)} }

func sys(name string, nr uintptr, args ...argument) call {
	c := call{name: name, nr: nr}
	copy(c.args[:], args)
	return c
}

// message is what the forked process writes to its supervisor: once before exec, with the number of the listener's descriptor,
// and once more if a call of the list fails.
type message struct {
	Failed   uint32 // 1: the call at Index failed with Errno
	Index    uint32
	Errno    uint32
	Listener uint32
}

// fork starts a process that makes the calls in order; the last one is execve. It returns the process id as this process
// sees it. All signals are blocked from before the fork until the list unblocks them, so no handler of the Go runtime
// runs in the child. The caller holds its thread locked: the child's death signal is tied to it.
func fork(flags uintptr, calls []call, report int) (int, error) {
	all, old := unix.Sigset_t{}, unix.Sigset_t{}
	for i := range all.Val {
		all.Val[i] = ^all.Val[i]
	}
	if err := unix.PthreadSigmask(unix.SIG_BLOCK, &all, &old); err != nil {
		return 0, fmt.Errorf("blocking signals: %w", err)
	}
	failure := &message{Failed: 1}
	pid, errno := rawFork(flags, calls, uintptr(report), failure)
	runtime.KeepAlive(calls)
	runtime.KeepAlive(failure)
	if err := unix.PthreadSigmask(unix.SIG_SETMASK, &old, nil); err != nil {
		return 0, fmt.Errorf("unblocking signals: %w", err)
	}
	if errno != 0 {
		return 0, fmt.Errorf("clone: %w", errno)
	}
	return int(pid), nil
}

// rawFork returns in the parent only.
//
//go:noinline
//go:norace
//go:nocheckptr
func rawFork(flags uintptr, calls []call, report uintptr, failure *message) (uintptr, syscall.Errno) {
	pid, _, errno := syscall.RawSyscall6(unix.SYS_CLONE, flags|uintptr(unix.SIGCHLD), 0, 0, 0, 0, 0)
	if errno != 0 || pid != 0 {
		return pid, errno
	}
	for i := range calls {
		c := &calls[i]
		result, _, errno := syscall.RawSyscall6(c.nr,
			c.args[0].n|uintptr(c.args[0].p), c.args[1].n|uintptr(c.args[1].p), c.args[2].n|uintptr(c.args[2].p),
			c.args[3].n|uintptr(c.args[3].p), c.args[4].n|uintptr(c.args[4].p), c.args[5].n|uintptr(c.args[5].p))
		if errno == 0 && c.check && result != c.want {
			errno = unix.ESRCH
		}
		if errno != 0 && !c.may {
			failure.Index, failure.Errno = uint32(i), uint32(errno)
			syscall.RawSyscall6(unix.SYS_WRITE, report, uintptr(unsafe.Pointer(failure)), unsafe.Sizeof(*failure), 0, 0, 0)
			break
		}
		if c.store != nil {
			*c.store = uint32(result)
		}
	}
	for {
		syscall.RawSyscall6(unix.SYS_EXIT_GROUP, ExitUnavailable, 0, 0, 0, 0, 0)
	}
}
