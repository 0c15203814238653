//go:build linux && (amd64 || arm64)

package fence

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"
)

// tables are all that are ever installed on this architecture.
func tables() map[string]table {
	all := map[string]table{"supervisor": supervisorRules(native())}
	for _, p := range []Profile{Agent, Tools} {
		for name, s := range map[string]setting{
			"least":               {},
			"relay":               {net: netRelay},
			"signals":             {signals: signalsInside},
			"signals and files":   {signals: signalsInside, files: filesInside},
			"everything together": {netRelay, signalsInside, filesInside},
		} {
			all[fmt.Sprintf("%v, %s", p, name)] = rulesOf(p, native(), s)
		}
	}
	return all
}

// machine runs an assembled filter as a kernel does.
type machine struct {
	vm *bpf.VM
	in []byte
}

func newMachine(t *testing.T, table table) *machine {
	t.Helper()
	filter, err := table.raw()
	if err != nil {
		t.Fatal(err)
	}
	raw := make([]bpf.RawInstruction, len(filter))
	for i, ins := range filter {
		raw[i] = bpf.RawInstruction{Op: uint16(ins), Jt: uint8(ins >> 16), Jf: uint8(ins >> 24), K: uint32(ins >> 32)}
	}
	prog, known := bpf.Disassemble(raw)
	if !known {
		t.Fatal("the program has an instruction that no kernel knows")
	}
	vm, err := bpf.NewVM(prog)
	if err != nil {
		t.Fatal(err)
	}
	return &machine{vm, make([]byte, 64)}
}

// run lays out struct seccomp_data. A packet filter loads words in network order where seccomp loads them as the
// machine does, so each word is stored in that order here; the halves of an argument keep a little-endian machine's.
func (m *machine) run(t *testing.T, arch, nr uint32, args [6]uint64) action {
	binary.BigEndian.PutUint32(m.in[offNumber:], nr)
	binary.BigEndian.PutUint32(m.in[offArch:], arch)
	for i, a := range args {
		binary.BigEndian.PutUint32(m.in[offArgs+8*i:], uint32(a))
		binary.BigEndian.PutUint32(m.in[offArgs+8*i+4:], uint32(a>>32))
	}
	got, err := m.vm.Run(m.in)
	if err != nil {
		t.Fatal(err)
	}
	return action(got)
}

func (m *machine) same(t *testing.T, table table, arch, nr uint32, args [6]uint64) {
	if got, want := m.run(t, arch, nr, args), table.decide(arch, nr, args); got != want {
		t.Fatalf("arch %#x, number %d (%#x), arguments %#x: the program answers %#x, the table %#x", arch, nr, nr, args, got, want)
	}
}

// TestFilterEveryNumber compares program and table over all call numbers of three architectures and of x32.
func TestFilterEveryNumber(t *testing.T) {
	arches := []uint32{unix.AUDIT_ARCH_X86_64, unix.AUDIT_ARCH_AARCH64, unix.AUDIT_ARCH_I386, 0, 0xffffffff}
	var numbers []uint32
	for n := range uint32(1024) {
		numbers = append(numbers, n, n|x32Bit, n|0x80000000, ^n)
	}
	for name, table := range tables() {
		t.Run(name, func(t *testing.T) {
			m := newMachine(t, table)
			for _, arch := range arches {
				for _, n := range numbers {
					for _, args := range [][6]uint64{{}, {^uint64(0), ^uint64(0), ^uint64(0), ^uint64(0), ^uint64(0), ^uint64(0)}} {
						m.same(t, table, arch, n, args)
						if got := m.run(t, arch, n, args); arch != table.arch || n&x32Bit != 0 {
							if got != actKill {
								t.Fatalf("arch %#x, number %#x: %#x, want the process killed", arch, n, got)
							}
						}
					}
				}
			}
		})
	}
}

// TestFilterEveryArgument compares them for each filtered argument over 0 to 65,535, each bit, each call number, each value
// that a check wants, and each of these with bits set in the other half and in the other filtered arguments.
func TestFilterEveryArgument(t *testing.T) {
	for name, table := range tables() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := newMachine(t, table)
			for _, r := range table.rules {
				if len(r.when) == 0 {
					continue
				}
				values := valuesFor(r, table)
				for _, arg := range filteredArguments(r) {
					for i, base := range baseArguments(r) {
						for _, v := range values {
							args := base
							args[arg] = v
							m.same(t, table, table.arch, r.nr, args)
						}
						if i > 2 {
							continue // the whole range with no, all and the first clause's other arguments
						}
						for v := range uint64(65536) {
							args := base
							args[arg] = v
							m.same(t, table, table.arch, r.nr, args)
						}
					}
				}
			}
		})
	}
}

func filteredArguments(r rule) []int {
	var args []int
	for _, c := range r.when {
		for _, k := range c {
			if !slices.Contains(args, k.arg) {
				args = append(args, k.arg)
			}
		}
	}
	return args
}

// baseArguments are those of each clause, of none, and of all bits.
func baseArguments(r rule) [][6]uint64 {
	all := ^uint64(0)
	bases := [][6]uint64{{}, {all, all, all, all, all, all}}
	for _, c := range r.when {
		var args [6]uint64
		for _, k := range c {
			args[k.arg] = k.want
		}
		bases = append(bases, args)
	}
	return bases
}

func valuesFor(r rule, t table) []uint64 {
	var values []uint64
	add := func(v uint64) { values = append(values, v, v|1<<32, v|1<<63, v<<32, ^v) }
	for bit := range 64 {
		add(1 << bit)
		add(1<<bit - 1)
	}
	for _, other := range t.rules {
		add(uint64(other.nr))
	}
	for _, c := range r.when {
		for _, k := range c {
			add(k.want)
			for bit := range 64 {
				values = append(values, k.want^1<<bit)
			}
		}
	}
	return values
}

// TestFilterRefuses states what must never pass, apart from the tables: a table that forgot one would agree with itself.
func TestFilterRefuses(t *testing.T) {
	null, path := uint64(0), uint64(0x7f0000001000)
	pid := uint64(1234)
	never := []struct {
		name string
		nr   uint32
		args [6]uint64
	}{
		{"clone with a user namespace", unix.SYS_CLONE, [6]uint64{unix.CLONE_NEWUSER | 17}},
		{"clone with a mount namespace", unix.SYS_CLONE, [6]uint64{unix.CLONE_NEWNS | 17}},
		{"clone with a network namespace", unix.SYS_CLONE, [6]uint64{unix.CLONE_NEWNET | 17}},
		{"clone with a process namespace", unix.SYS_CLONE, [6]uint64{unix.CLONE_NEWPID | 17}},
		{"clone as a sibling", unix.SYS_CLONE, [6]uint64{unix.CLONE_PARENT | 17}},
		{"clone traced", unix.SYS_CLONE, [6]uint64{unix.CLONE_PTRACE | 17}},
		{"clone3", unix.SYS_CLONE3, [6]uint64{path, 88}},
		{"socket of the internet", unix.SYS_SOCKET, [6]uint64{unix.AF_INET, unix.SOCK_STREAM}},
		{"socket of number ioctl", unix.SYS_SOCKET, [6]uint64{16, unix.SOCK_RAW}},
		{"socket of number clone", unix.SYS_SOCKET, [6]uint64{56, unix.SOCK_STREAM}},
		{"datagram socket", unix.SYS_SOCKET, [6]uint64{unix.AF_UNIX, unix.SOCK_DGRAM}},
		{"packet socket", unix.SYS_SOCKET, [6]uint64{unix.AF_UNIX, unix.SOCK_SEQPACKET}},
		{"datagram pair", unix.SYS_SOCKETPAIR, [6]uint64{unix.AF_UNIX, unix.SOCK_DGRAM}},
		{"sendto with an address", unix.SYS_SENDTO, [6]uint64{3, path, 5, 0, path, 10}},
		{"sendto with a high address", unix.SYS_SENDTO, [6]uint64{3, path, 5, 0, 1 << 40, 10}},
		{"sendmmsg", unix.SYS_SENDMMSG, [6]uint64{3, path}},
		{"bind", unix.SYS_BIND, [6]uint64{3, path}},
		{"listen", unix.SYS_LISTEN, [6]uint64{3, 1}},
		{"accept", unix.SYS_ACCEPT, [6]uint64{3, 0}},
		{"accept4", unix.SYS_ACCEPT4, [6]uint64{3, 0}},
		{"socket filter", unix.SYS_SETSOCKOPT, [6]uint64{3, unix.SOL_SOCKET, unix.SO_ATTACH_FILTER}},
		{"limits of another", unix.SYS_PRLIMIT64, [6]uint64{pid, 7, path}},
		{"the limit of core files", unix.SYS_PRLIMIT64, [6]uint64{0, unix.RLIMIT_CORE, path}},
		{"the limit of core files, with high bits", unix.SYS_PRLIMIT64, [6]uint64{1 << 32, unix.RLIMIT_CORE | 1<<32, path}},
		{"the limit of core files, at a high address", unix.SYS_PRLIMIT64, [6]uint64{0, unix.RLIMIT_CORE, 1 << 40}},
		{"F_SETOWN", unix.SYS_FCNTL, [6]uint64{3, 8, pid}},
		{"F_SETOWN_EX", unix.SYS_FCNTL, [6]uint64{3, 15, path}},
		{"F_SETSIG", unix.SYS_FCNTL, [6]uint64{3, 10, 19}},
		{"F_SETOWN with a high bit", unix.SYS_FCNTL, [6]uint64{3, 8 | 1<<32, pid}},
		{"F_NOTIFY", unix.SYS_FCNTL, [6]uint64{3, 1026, 1}},
		{"F_SETLEASE", unix.SYS_FCNTL, [6]uint64{3, 1024, 1}},
		{"TIOCSTI", unix.SYS_IOCTL, [6]uint64{0, unix.TIOCSTI, path}},
		{"TIOCSTI with a high bit", unix.SYS_IOCTL, [6]uint64{0, unix.TIOCSTI | 1<<32, path}},
		{"TIOCLINUX", unix.SYS_IOCTL, [6]uint64{0, 0x541c, path}},
		{"FIOSETOWN", unix.SYS_IOCTL, [6]uint64{3, 0x8901, path}},
		{"SIOCSPGRP", unix.SYS_IOCTL, [6]uint64{3, 0x8902, path}},
		{"FIOASYNC", unix.SYS_IOCTL, [6]uint64{3, 0x5452, path}},
		{"fchmod with set-user-ID", unix.SYS_FCHMOD, [6]uint64{3, 0o4755}},
		{"fchmod with set-group-ID", unix.SYS_FCHMOD, [6]uint64{3, 0o2755}},
		{"openat that makes a set-user-ID file", unix.SYS_OPENAT, [6]uint64{0, path, unix.O_CREAT | unix.O_WRONLY, 0o4755}},
		{"openat of an unnamed set-user-ID file", unix.SYS_OPENAT, [6]uint64{0, path, unix.O_TMPFILE | unix.O_WRONLY, 0o4755}},
		{"mkdirat with set-group-ID", unix.SYS_MKDIRAT, [6]uint64{0, path, 0o2755}},
		{"times by path", unix.SYS_UTIMENSAT, [6]uint64{0, path}},
		{"PR_SET_PTRACER", unix.SYS_PRCTL, [6]uint64{0x59616d61, pid}},
		{"PR_SET_DUMPABLE", unix.SYS_PRCTL, [6]uint64{unix.PR_SET_DUMPABLE, 1}},
		{"PR_CAP_AMBIENT", unix.SYS_PRCTL, [6]uint64{unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_RAISE}},
		{"PR_SET_SECCOMP", unix.SYS_PRCTL, [6]uint64{unix.PR_SET_SECCOMP, 2, path}},
	}
	for _, nr := range []uint32{
		unix.SYS_PTRACE, unix.SYS_PROCESS_VM_READV, unix.SYS_PROCESS_VM_WRITEV, unix.SYS_PIDFD_GETFD, unix.SYS_PIDFD_SEND_SIGNAL,
		unix.SYS_KCMP, unix.SYS_PROCESS_MADVISE, unix.SYS_MOUNT, unix.SYS_UMOUNT2, unix.SYS_PIVOT_ROOT, unix.SYS_CHROOT, unix.SYS_UNSHARE,
		unix.SYS_SETNS, unix.SYS_OPEN_TREE, unix.SYS_MOVE_MOUNT, unix.SYS_FSOPEN, unix.SYS_MOUNT_SETATTR, unix.SYS_BPF,
		unix.SYS_PERF_EVENT_OPEN, unix.SYS_USERFAULTFD, unix.SYS_KEYCTL, unix.SYS_ADD_KEY, unix.SYS_REQUEST_KEY,
		unix.SYS_IO_URING_SETUP, unix.SYS_IO_URING_ENTER, unix.SYS_IO_URING_REGISTER, unix.SYS_IO_SETUP, unix.SYS_SHMGET, unix.SYS_SHMAT,
		unix.SYS_SEMGET, unix.SYS_MSGGET, unix.SYS_MQ_OPEN, unix.SYS_SETSID, unix.SYS_SETPGID, unix.SYS_SETUID, unix.SYS_SETGID,
		unix.SYS_SETRESUID, unix.SYS_SETGROUPS, unix.SYS_CAPSET, unix.SYS_PERSONALITY, unix.SYS_SECCOMP,
		unix.SYS_FCHOWN, unix.SYS_FCHOWNAT, unix.SYS_SETXATTR, unix.SYS_LSETXATTR, unix.SYS_FSETXATTR, unix.SYS_REMOVEXATTR,
		unix.SYS_LINKAT, unix.SYS_SYMLINKAT, unix.SYS_MKNODAT, unix.SYS_EXECVEAT, unix.SYS_MEMFD_CREATE, unix.SYS_MEMFD_SECRET,
		unix.SYS_OPENAT2, unix.SYS_NAME_TO_HANDLE_AT, unix.SYS_OPEN_BY_HANDLE_AT, unix.SYS_TKILL, unix.SYS_RT_SIGQUEUEINFO,
		unix.SYS_RT_TGSIGQUEUEINFO, unix.SYS_SETPRIORITY, unix.SYS_SCHED_SETSCHEDULER, unix.SYS_SCHED_SETATTR, unix.SYS_SETRLIMIT,
		unix.SYS_REBOOT, unix.SYS_INIT_MODULE, unix.SYS_KEXEC_LOAD, unix.SYS_SYSLOG, unix.SYS_QUOTACTL, unix.SYS_FANOTIFY_INIT,
		unix.SYS_LANDLOCK_CREATE_RULESET, unix.SYS_FCHMODAT2, unix.SYS_SWAPON, unix.SYS_SETTIMEOFDAY, unix.SYS_CLOCK_SETTIME,
	} {
		never = append(never, struct {
			name string
			nr   uint32
			args [6]uint64
		}{fmt.Sprint("call ", nr), nr, [6]uint64{null}})
	}
	for name, table := range tables() {
		if name == "supervisor" {
			continue
		}
		m := newMachine(t, table)
		for _, c := range never {
			if got := m.run(t, table.arch, c.nr, c.args); got&^0xffff != actErrno || got == actErrno {
				t.Errorf("%s: %s answers %#x, want an error", name, c.name, got)
			}
		}
		mode := m.run(t, table.arch, unix.SYS_FCHMODAT, [6]uint64{0, path, 0o4755})
		if mode == actAllow || strings.HasPrefix(name, "agent") && mode != errno(eperm) {
			t.Errorf("%s: fchmodat with set-user-ID answers %#x", name, mode)
		}
		if mode = m.run(t, table.arch, unix.SYS_FCHMODAT, [6]uint64{0, path, 0o644}); mode == actAllow && !strings.Contains(name, "tools") {
			t.Errorf("%s: fchmodat by path answers %#x", name, mode)
		}
		for _, sig := range []uint32{unix.SYS_KILL, unix.SYS_TGKILL} {
			got, inside := m.run(t, table.arch, sig, [6]uint64{pid, pid, 9}), table.decide(table.arch, unix.SYS_KILL, [6]uint64{}) == actAllow
			if !inside && got != errno(eperm) {
				t.Errorf("%s: signal to %d answers %#x, want an error", name, pid, got)
			}
		}
	}
}

// TestFilterSupervisor: no file, no program, no process, no privilege.
func TestFilterSupervisor(t *testing.T) {
	table := supervisorRules(native())
	m := newMachine(t, table)
	for _, nr := range []uint32{unix.SYS_OPENAT, unix.SYS_OPENAT2, unix.SYS_EXECVE, unix.SYS_EXECVEAT, unix.SYS_PTRACE, unix.SYS_MOUNT,
		unix.SYS_BIND, unix.SYS_LISTEN, unix.SYS_ACCEPT4, unix.SYS_SETRESUID, unix.SYS_UNLINKAT, unix.SYS_MKDIRAT, unix.SYS_RENAMEAT,
		unix.SYS_FCHMODAT, unix.SYS_FCHOWNAT, unix.SYS_PROCESS_VM_READV, unix.SYS_PIDFD_GETFD, unix.SYS_BPF, unix.SYS_UNSHARE} {
		if got := m.run(t, table.arch, nr, [6]uint64{}); got != errno(eperm) {
			t.Errorf("call %d answers %#x, want EPERM", nr, got)
		}
	}
	if got := m.run(t, table.arch, unix.SYS_CLONE, [6]uint64{17}); got != errno(eperm) {
		t.Errorf("fork answers %#x, want EPERM", got)
	}
	if got := m.run(t, table.arch, unix.SYS_SOCKET, [6]uint64{unix.AF_INET, unix.SOCK_DGRAM}); got != errno(eperm) {
		t.Errorf("a datagram socket answers %#x, want EPERM", got)
	}
}

// TestFilterIsProven breaks programs and tables and wants the comparison to notice.
func TestFilterIsProven(t *testing.T) {
	whole := rulesOf(Agent, native(), setting{})
	for i, r := range whole.rules {
		if len(r.when) == 0 {
			continue
		}
		broken := whole
		broken.rules = slices.Clone(whole.rules)
		broken.rules[i].when = nil // the condition is taken out of the program
		m := newMachine(t, broken)
		if !differs(t, m, whole, r) {
			t.Errorf("%s without its conditions answers like the table", r.name)
		}
	}
}

func differs(t *testing.T, m *machine, table table, r rule) bool {
	for _, arg := range filteredArguments(r) {
		for _, v := range []uint64{0, 1, 8, 0x5412, unix.CLONE_NEWUSER, 0o4755, ^uint64(0)} {
			args := [6]uint64{0, unix.O_CREAT, unix.O_CREAT, 0o4755}
			args[arg] = v
			if m.run(t, table.arch, r.nr, args) != table.decide(table.arch, r.nr, args) {
				return true
			}
		}
	}
	return false
}

func TestAssembleRefuses(t *testing.T) {
	twice := table{rules: []rule{{name: "a", nr: 1, then: actAllow}, {name: "b", nr: 1, then: actAllow}}}
	always := table{rules: []rule{{name: "a", nr: 1, when: []clause{{}}, then: actAllow}}}
	never := table{rules: []rule{{name: "a", nr: 1, when: []clause{{{arg: 0, mask: 1, want: 2}}}, then: actAllow}}}
	masks := table{rules: []rule{{name: "a", nr: 1, when: []clause{{{arg: 0, mask: 0, want: 0}}}, then: actAllow}}}
	seventh := table{rules: []rule{{name: "a", nr: 1, when: []clause{{{arg: 6, mask: 1, want: 0}}}, then: actAllow}}}
	long := table{rules: []rule{{name: "a", nr: 1, when: []clause{slices.Repeat(clause{low(0, 1)}, 100)}, then: actAllow}}}
	large := table{rules: []rule{{name: "a", nr: 1, when: either(-1, 0, 0, make([]uint64, 1100)...), then: actAllow}}}
	for name, table := range map[string]table{"one number twice": twice, "a clause that always holds": always,
		"a check that never holds": never, "a check of nothing": masks, "a seventh argument": seventh, "a long jump": long, "a program that no kernel takes": large} {
		if _, err := table.raw(); !errors.Is(err, errFilter) {
			t.Errorf("%s: %v, want %v", name, err, errFilter)
		}
	}
}

// TestListsAreKnown: a name without a number would silently be refused, and one on two lists is a mistake.
func TestListsAreKnown(t *testing.T) {
	if !slices.IsSortedFunc(native().numbers, func(a, b number) int { return strings.Compare(a.name, b.name) }) {
		t.Error("the numbers are not sorted by name: the search misses some")
	}
	seen := map[string]bool{}
	for _, list := range [][]string{common, toolsOnly, absent, attributes} {
		for _, name := range list {
			if _, known := native().number(name); !known && native().audit == unix.AUDIT_ARCH_X86_64 {
				t.Errorf("%s has no number", name)
			}
			if seen[name] {
				t.Errorf("%s is on two lists", name)
			}
			seen[name] = true
		}
	}
}
