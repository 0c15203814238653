//go:build amd64 || arm64

package fence

import (
	"fmt"
	"syscall"
	"unsafe"

	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"
)

// child is what the forked process needs to become the program behind the fence.
type child struct {
	program  string
	argv     []string
	env      []string
	dir      string
	uid      uint32 // 0: stay
	capable  bool   // has capabilities, which leave the bounding set too
	parent   int    // the supervisor's process id, as the child sees it
	limits   []rlimit
	ruleset  int
	filter   []bpf.RawInstruction
	listener bool
	report   int // descriptor of the pipe on which the supervisor waits; above 3
}

type rlimit struct {
	name     string
	resource int
	value    uint64
}

// calls is the whole way from fork to exec, in order.
func (c child) calls() ([]call, error) {
	dir, err := syscall.BytePtrFromString(c.dir)
	if err != nil {
		return nil, fmt.Errorf("folder: %w", err)
	}
	list := []call{
		// A session and process group of its own, without a terminal. Behind the filter nobody can leave it.
		sys("setsid", unix.SYS_SETSID),
		sys("umask", unix.SYS_UMASK, num(0o022)),
	}
	for _, l := range c.limits {
		list = append(list, sys("rlimit "+l.name, unix.SYS_PRLIMIT64, num(0), num(l.resource),
			ptr(&unix.Rlimit{Cur: l.value, Max: l.value})))
	}
	list = append(list, c.identity()...)
	parent := sys("parent", unix.SYS_GETPPID)
	parent.check, parent.want = true, uintptr(c.parent)
	list = append(list,
		sys("chdir to "+c.dir, unix.SYS_CHDIR, ptr(dir)),
		// A change of ids clears the death signal, so it comes after that; and it says nothing about a parent that has
		// died already.
		sys("death signal", unix.SYS_PRCTL, num(unix.PR_SET_PDEATHSIG), num(int(unix.SIGKILL))),
		parent,
		sys("no_new_privs", unix.SYS_PRCTL, num(unix.PR_SET_NO_NEW_PRIVS), num(1)),
		sys("landlock", unix.SYS_LANDLOCK_RESTRICT_SELF, num(c.ruleset)),
	)
	list = append(list, signalCalls()...)
	return c.lockAndExec(list)
}

// identity gives up every privilege: the bounding set, groups, ids, then what capabilities are left.
func (c child) identity() []call {
	var list []call
	if c.capable {
		for bit := range 64 {
			drop := sys("bounding set", unix.SYS_PRCTL, num(unix.PR_CAPBSET_DROP), num(bit))
			drop.may = true
			list = append(list, drop)
		}
	}
	if c.uid != 0 {
		list = append(list,
			sys("setgroups", unix.SYS_SETGROUPS),
			sys("setresgid", unix.SYS_SETRESGID, num(c.uid), num(c.uid), num(c.uid)),
			sys("setresuid", unix.SYS_SETRESUID, num(c.uid), num(c.uid), num(c.uid)))
	}
	return append(list,
		sys("ambient set", unix.SYS_PRCTL, num(unix.PR_CAP_AMBIENT), num(unix.PR_CAP_AMBIENT_CLEAR_ALL)),
		sys("capset", unix.SYS_CAPSET, ptr(&unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}),
			ptr(new([2]unix.CapUserData))))
}

// signalCalls put every signal back to its default, so that none of the Go runtime's handlers can run, and unblock them.
func signalCalls() []call {
	type sigaction struct{ handler, flags, restorer, mask uint64 }
	var list []call
	for sig := 1; sig <= 64; sig++ {
		reset := sys("signal default", unix.SYS_RT_SIGACTION, num(sig), ptr(new(sigaction)), num(0), num(8))
		reset.may = sig == int(unix.SIGKILL) || sig == int(unix.SIGSTOP)
		list = append(list, reset)
	}
	return append(list, sys("signal mask", unix.SYS_RT_SIGPROCMASK, num(unix.SIG_SETMASK), ptr(new(uint64)), num(0), num(8)))
}

// lockAndExec ends the list: the filter in one seccomp(2) call, every descriptor but 0 to 2 closed, the report, and exec.
// From the filter on, each call here is one that the filter allows.
func (c child) lockAndExec(list []call) ([]call, error) {
	program, err := syscall.BytePtrFromString(c.program)
	if err != nil {
		return nil, fmt.Errorf("program: %w", err)
	}
	argv, err := syscall.SlicePtrFromStrings(c.argv)
	if err != nil {
		return nil, fmt.Errorf("arguments: %w", err)
	}
	envv, err := syscall.SlicePtrFromStrings(c.env)
	if err != nil {
		return nil, fmt.Errorf("environment: %w", err)
	}
	filter := make([]unix.SockFilter, len(c.filter))
	for i, ins := range c.filter {
		filter[i] = unix.SockFilter{Code: ins.Op, Jt: ins.Jt, Jf: ins.Jf, K: ins.K}
		if ins.K == ownTGID {
			own := sys("own id into the filter", unix.SYS_GETPID)
			own.store = &filter[i].K
			list = append(list, own)
		}
	}
	flags := 0
	if c.listener {
		flags = unix.SECCOMP_FILTER_FLAG_NEW_LISTENER | unix.SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV
	}
	hello := new(message)
	lock := sys("seccomp", unix.SYS_SECCOMP, num(unix.SECCOMP_SET_MODE_FILTER), num(flags),
		ptr(&unix.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]}))
	lock.store = &hello.Listener
	return append(list, lock,
		// The descriptors are the supervisor's, the listener's too, until this call takes a table of its own.
		sys("descriptors below the report", unix.SYS_CLOSE_RANGE, num(3), num(c.report-1), num(unix.CLOSE_RANGE_UNSHARE)),
		sys("descriptors above the report", unix.SYS_CLOSE_RANGE, num(c.report+1), num(uint32(0xffffffff)), num(0)),
		sys("report", unix.SYS_WRITE, num(c.report), ptr(hello), num(unsafe.Sizeof(*hello))),
		sys("execve of "+c.program, unix.SYS_EXECVE, ptr(program), ptr(&argv[0]), ptr(&envv[0])),
	), nil
}
