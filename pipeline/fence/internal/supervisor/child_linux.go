//go:build amd64 || arm64

package supervisor

import (
	"syscall"
	"unsafe"
)

// child is what the forked process needs to become the program behind the fence.
type child struct {
	request *Request
	parent  int // the supervisor's process id, as the child sees it
	ruleset int
	report  int // descriptor of the pipe on which the supervisor waits; above 3
}

// Structures of capset(2), prlimit(2) and seccomp(2).
type (
	capHeader struct {
		version uint32
		pid     int32
	}
	capData   [2]struct{ effective, permitted, inheritable uint32 }
	sockFprog struct {
		size   uint16
		filter *uint64
	}
)

// calls is the whole way from fork to exec, in order.
func (c child) calls() ([]call, error) {
	dir, err := syscall.BytePtrFromString(c.request.Dir)
	if err != nil {
		return nil, wrap("folder", err)
	}
	list := make([]call, 0, 192)
	list = append(list,
		// A session and process group of its own, without a terminal. Behind the filter nobody can leave it.
		sys("setsid", syscall.SYS_SETSID),
		sys("umask", syscall.SYS_UMASK, num(0o022)),
	)
	for _, l := range c.request.Limits {
		list = append(list, sys("rlimit "+l.Name, syscall.SYS_PRLIMIT64, num(0), num(l.Resource),
			ptr(&syscall.Rlimit{Cur: l.Value, Max: l.Value})))
	}
	list = c.identity(list)
	parent := sys("parent", syscall.SYS_GETPPID)
	parent.check, parent.want = true, uintptr(c.parent)
	list = append(list,
		sys("chdir to "+c.request.Dir, syscall.SYS_CHDIR, ptr(dir)),
		// A change of ids clears the death signal, so it comes after that; and it says nothing about a parent that has
		// died already.
		sys("death signal", syscall.SYS_PRCTL, num(uintptr(syscall.PR_SET_PDEATHSIG)), num(int(syscall.SIGKILL))),
		parent,
		sys("no_new_privs", syscall.SYS_PRCTL, num(prSetNoNewPrivs), num(1)),
		sys("landlock", sysLandlockRestrictSelf, num(c.ruleset)),
	)
	return c.lockAndExec(signalCalls(list))
}

// identity gives up every privilege: the bounding set, groups, ids, then what capabilities are left.
func (c child) identity(list []call) []call {
	if c.request.Capable {
		for bit := range 64 {
			drop := sys("bounding set", syscall.SYS_PRCTL, num(uintptr(syscall.PR_CAPBSET_DROP)), num(bit))
			drop.may = true
			list = append(list, drop)
		}
	}
	if uid := num(c.request.User); c.request.User != 0 {
		list = append(list,
			sys("setgroups", syscall.SYS_SETGROUPS),
			sys("setresgid", syscall.SYS_SETRESGID, uid, uid, uid),
			sys("setresuid", syscall.SYS_SETRESUID, uid, uid, uid))
	}
	return append(list,
		sys("ambient set", syscall.SYS_PRCTL, num(prCapAmbient), num(prCapAmbientClearAll)),
		sys("capset", syscall.SYS_CAPSET, ptr(&capHeader{version: capabilityVersion3}), ptr(new(capData))))
}

// signalCalls put every signal back to its default, so that none of the Go runtime's handlers can run, and unblock them.
func signalCalls(list []call) []call {
	action := new(struct{ handler, flags, restorer, mask uint64 })
	for sig := 1; sig <= 64; sig++ {
		reset := sys("signal default", syscall.SYS_RT_SIGACTION, num(sig), ptr(action), num(0), num(8))
		reset.may = sig == int(syscall.SIGKILL) || sig == int(syscall.SIGSTOP)
		list = append(list, reset)
	}
	return append(list, sys("signal mask", syscall.SYS_RT_SIGPROCMASK, num(sigSetmask), ptr(new(uint64)), num(0), num(8)))
}

// lockAndExec ends the list: the filter in one seccomp(2) call, every descriptor but 0 to 2 closed, the report, and exec.
// From the filter on, each call here is one that the filter allows.
func (c child) lockAndExec(list []call) ([]call, error) {
	r := c.request
	program, err := syscall.BytePtrFromString(r.Program)
	if err != nil {
		return nil, wrap("program", err)
	}
	argv, err := syscall.SlicePtrFromStrings(r.Args)
	if err != nil {
		return nil, wrap("arguments", err)
	}
	envv, err := syscall.SlicePtrFromStrings(r.Env)
	if err != nil {
		return nil, wrap("environment", err)
	}
	for i, ins := range r.Filter {
		if value := (*[2]uint32)(unsafe.Pointer(&r.Filter[i])); uint32(ins>>32) == OwnID {
			own := sys("own id into the filter", syscall.SYS_GETPID)
			own.store = &value[1] // both architectures are little-endian
			list = append(list, own)
		}
	}
	flags := 0
	if r.Relay.Port != 0 {
		flags = seccompFlagNewListener | seccompFlagWaitKillable
	}
	hello := new(report)
	lock := sys("seccomp", sysSeccomp, num(seccompSetModeFilter), num(flags), ptr(filterProgram(r.Filter)))
	lock.store = &hello.listener
	return append(list, lock,
		// The descriptors are the supervisor's, the listener's too, until this call takes a table of its own.
		sys("descriptors below the report", sysCloseRange, num(3), num(c.report-1), num(closeRangeUnshare)),
		sys("descriptors above the report", sysCloseRange, num(c.report+1), num(^uint32(0)), num(0)),
		sys("report", syscall.SYS_WRITE, num(c.report), ptr(hello), num(unsafe.Sizeof(*hello))),
		sys("execve of "+r.Program, syscall.SYS_EXECVE, ptr(program), ptr(&argv[0]), ptr(&envv[0])),
	), nil
}

// filterProgram is struct sock_fprog for a filter that is not empty.
func filterProgram(filter []uint64) *sockFprog {
	return &sockFprog{size: uint16(len(filter)), filter: &filter[0]}
}
