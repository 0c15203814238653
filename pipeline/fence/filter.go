package fence

import "selffix/pipeline/fence/internal/supervisor"

// action is what the kernel does with a system call: a seccomp return value.
type action uint32

// The actions that a filter may answer with. An errno is added to actErrno.
const (
	actKill   action = 0x80000000 // the whole process, at once
	actErrno  action = 0x00050000
	actNotify action = 0x7fc00000 // the supervisor answers
	actAllow  action = 0x7fff0000
)

// Offsets in struct seccomp_data. Arguments are 64 bit; both supported architectures are little-endian,
// so the low half comes first.
const (
	offNumber = 0
	offArch   = 4
	offArgs   = 16
)

// x32Bit marks the second set of numbers that x86-64 kernels offer beside the native one.
const x32Bit = 0x40000000

// ownTGID stands in a check for the process id of the program, which is not known before the fork.
const ownTGID = supervisor.OwnID

// check holds when arg&mask == want. A mask without high bits looks at the low half only: the kernel
// itself cuts such an argument (int, unsigned int) to 32 bits, so its high half means nothing.
type check struct {
	arg  int
	mask uint64
	want uint64
}

// clause holds when all its checks do.
type clause []check

// rule answers one system call: then, if there are no clauses or one of them holds, otherwise other.
type rule struct {
	name  string
	nr    uint32
	when  []clause
	then  action
	other action
}

// table is a default-deny filter as data: the program that the kernel runs is made from it, and the test
// that proves the program compares it with it.
type table struct {
	arch    uint32 // AUDIT_ARCH value of the native architecture; any other is killed
	rules   []rule
	last    uint32 // the highest number that the table's author knew
	unknown action // for numbers above last: programs fall back on ENOSYS and on nothing else
	deny    action // for every other number
}

// decide says what the table wants for one call. It is the meaning that raw must reproduce.
func (t table) decide(arch, nr uint32, args [6]uint64) action {
	if arch != t.arch || nr&x32Bit != 0 {
		return actKill
	}
	for _, r := range t.rules {
		if r.nr == nr {
			return r.decide(args)
		}
	}
	if nr > t.last {
		return t.unknown
	}
	return t.deny
}

func (r rule) decide(args [6]uint64) action {
	if len(r.when) == 0 {
		return r.then
	}
	for _, c := range r.when {
		if c.holds(args) {
			return r.then
		}
	}
	return r.other
}

func (c clause) holds(args [6]uint64) bool {
	for _, k := range c {
		if args[k.arg]&k.mask != k.want {
			return false
		}
	}
	return true
}
