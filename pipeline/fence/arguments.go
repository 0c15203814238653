package fence

// Values of Linux's interfaces that are compared with arguments. They are the same on both supported architectures
// unless numbers.go of the architecture gives them.
const (
	afUnix       = 1
	afInet       = 2
	afInet6      = 10
	sockStream   = 1
	sockNonblock = 0x800
	sockCloexec  = 0x80000
	solSocket    = 1
	soReuseAddr  = 2
	soSndBuf     = 7
	soRcvBuf     = 8
	soKeepAlive  = 9
	soLinger     = 13
	soRcvTimeo   = 20
	soSndTimeo   = 21

	oCreat   = 0x40
	oTmpfile = 0x400000 // without O_DIRECTORY, which belongs to it
	setIDs   = 0o6000   // set-user-ID and set-group-ID

	prSetName = 15
	prGetName = 16
	prSetVMA  = 0x53564d41
)

// cloneAllowed are the flags of threads and of fork: no namespace (CLONE_NEW*), no tracing, no CLONE_PARENT. The low byte
// is the signal that the parent gets; SIGCHLD or none.
const cloneAllowed = 0x11 | // SIGCHLD
	0x100 | 0x200 | 0x400 | 0x800 | // VM, FS, FILES, SIGHAND
	0x4000 | // VFORK
	0x10000 | 0x40000 | 0x80000 | // THREAD, SYSVSEM, SETTLS
	0x100000 | 0x200000 | 0x400000 | 0x1000000 // PARENT_SETTID, CHILD_CLEARTID, DETACHED, CHILD_SETTID

// cloneThread is CLONE_THREAD: without it a clone makes a process.
const cloneThread = 0x10000

// argumentRules are the calls that pass only with certain arguments, in every profile.
func argumentRules() []rule {
	withoutSetIDs := func(arg int) check { return check{arg: arg, mask: setIDs, want: 0} }
	return []rule{
		{name: "clone", when: []clause{{{arg: 0, mask: ^uint64(cloneAllowed), want: 0}}}, then: actAllow},
		{name: "prlimit64", when: ownLimits(), then: actAllow},
		// F_SETOWN, F_SETOWN_EX and F_SETSIG make the kernel send any signal to any process of the user.
		{name: "fcntl", when: either(-1, 0, 1, fcntlCommands()...), then: actAllow},
		// TIOCSTI and TIOCLINUX type into the terminal's shell; FIOSETOWN and SIOCSPGRP are F_SETOWN again.
		{name: "ioctl", when: either(-1, 0, 1, 0x5401, 0x5413, 0x541b, 0x5421, 0x5450, 0x5451), // TCGETS, TIOCGWINSZ, FIONREAD, FIONBIO, FIONCLEX, FIOCLEX
			then: actAllow, other: errno(enotty)},
		{name: "prctl", when: either(-1, 0, 0, prSetName, prGetName, prSetVMA), then: actAllow},
		// What is written behind the fence belongs to the caller once it is over: a set-user-ID file among it would be the
		// caller's own program, with the fenced process's contents.
		{name: "fchmod", when: []clause{{withoutSetIDs(1)}}, then: actAllow},
		// With a null path it sets the times of an own descriptor (futimens); by path it reaches files outside.
		{name: "utimensat", when: []clause{{{arg: 1, mask: ^uint64(0), want: 0}}}, then: actAllow},
		{name: "creat", when: []clause{{withoutSetIDs(1)}}, then: actAllow},
		{name: "mkdir", when: []clause{{withoutSetIDs(1)}}, then: actAllow},
		{name: "mkdirat", when: []clause{{withoutSetIDs(2)}}, then: actAllow},
		{name: "open", when: []clause{{{arg: 1, mask: oCreat | oTmpfile, want: 0}}, {withoutSetIDs(2)}}, then: actAllow},
		{name: "openat", when: []clause{{{arg: 2, mask: oCreat | oTmpfile, want: 0}}, {withoutSetIDs(3)}}, then: actAllow},
	}
}

// ownLimits: pid 0 is the caller; with another one a fenced process sets the limits of its supervisor. Limits are read, or set
// but for RLIMIT_CORE (4), which must stay 1: with 0 a core_pattern that is a pipe is run, by root, on what the process wrote.
func ownLimits() []clause {
	null := check{arg: 2, mask: ^uint64(0), want: 0}
	when := []clause{{low(0, 0), null}}
	for _, resource := range []uint32{0, 1, 2, 3, 5, 6, 7, 8, 9} { // CPU, FSIZE, DATA, STACK, RSS, NPROC, NOFILE, MEMLOCK, AS
		when = append(when, clause{low(0, 0), low(1, resource)})
	}
	return when
}

// fcntlCommands: duplicate, descriptor and status flags, record and open-file locks, pipe size (read only).
func fcntlCommands() []uint64 {
	return []uint64{0, 1, 2, 3, 4, 5, 6, 7, 36, 37, 38, 1030, 1032}
}

// low compares a 32-bit argument.
func low(arg int, want uint32) check { return check{arg: arg, mask: 0xffffffff, want: uint64(want)} }

// either makes one clause for each allowed 32-bit value of arg; with first >= 0 that argument must be also also.
func either(first int, also uint32, arg int, values ...uint64) []clause {
	var when []clause
	for _, v := range values {
		c := clause{low(arg, uint32(v))}
		if first >= 0 {
			c = append(clause{low(first, also)}, c...)
		}
		when = append(when, c)
	}
	return when
}
