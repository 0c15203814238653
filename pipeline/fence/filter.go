package fence

import (
	"errors"
	"fmt"

	"golang.org/x/net/bpf"

	"selffix/pipeline/fence/internal/supervisor"
)

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

// decide says what the table wants for one call. It is the meaning that assemble must reproduce.
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

var errFilter = errors.New("the system call filter cannot be assembled")

// assemble turns the table into a classic BPF program. Each rule loads the number anew before it compares
// it: a filter that goes on comparing what a failed condition left in the accumulator takes an argument for
// a number, and lets socket(16, …) pass because 16 is ioctl.
func (t table) assemble() ([]bpf.Instruction, error) {
	prog := []bpf.Instruction{
		bpf.LoadAbsolute{Off: offArch, Size: 4},
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: t.arch, SkipTrue: 1},
		bpf.RetConstant{Val: uint32(actKill)},
		bpf.LoadAbsolute{Off: offNumber, Size: 4},
		bpf.JumpIf{Cond: bpf.JumpBitsSet, Val: x32Bit, SkipFalse: 1},
		bpf.RetConstant{Val: uint32(actKill)},
	}
	seen := make(map[uint32]string, len(t.rules))
	for _, r := range t.rules {
		if other, twice := seen[r.nr]; twice {
			return nil, fmt.Errorf("%w: %s and %s have the number %d", errFilter, other, r.name, r.nr)
		}
		seen[r.nr] = r.name
		body, err := r.body()
		if err != nil {
			return nil, err
		}
		prog = append(prog,
			bpf.LoadAbsolute{Off: offNumber, Size: 4},
			bpf.JumpIf{Cond: bpf.JumpEqual, Val: r.nr, SkipFalse: uint8(len(body))})
		prog = append(prog, body...)
	}
	return append(prog,
		bpf.LoadAbsolute{Off: offNumber, Size: 4},
		bpf.JumpIf{Cond: bpf.JumpGreaterThan, Val: t.last, SkipFalse: 1},
		bpf.RetConstant{Val: uint32(t.unknown)},
		bpf.RetConstant{Val: uint32(t.deny)}), nil
}

// body is what runs when the number is the rule's; it always ends in a return.
func (r rule) body() ([]bpf.Instruction, error) {
	if len(r.when) == 0 {
		return []bpf.Instruction{bpf.RetConstant{Val: uint32(r.then)}}, nil
	}
	var body []bpf.Instruction
	for _, c := range r.when {
		if len(c) == 0 {
			return nil, fmt.Errorf("%w: %s has a clause without a check, which would always hold", errFilter, r.name)
		}
		steps, err := c.steps(r.name)
		if err != nil {
			return nil, err
		}
		body = append(body, steps...)
		body = append(body, bpf.RetConstant{Val: uint32(r.then)})
	}
	body = append(body, bpf.RetConstant{Val: uint32(r.other)})
	if len(body) > 255 {
		return nil, fmt.Errorf("%w: %s needs %d instructions, a jump skips at most 255", errFilter, r.name, len(body))
	}
	return body, nil
}

// steps compares the clause's arguments half by half and jumps behind the clause's return when one differs.
func (c clause) steps(name string) ([]bpf.Instruction, error) {
	type half struct{ off, mask, want uint32 }
	var halves []half
	for _, k := range c {
		if k.arg < 0 || k.arg > 5 || k.mask == 0 || k.want&^k.mask != 0 {
			return nil, fmt.Errorf("%w: %s has a check that cannot hold: %+v", errFilter, name, k)
		}
		off := uint32(offArgs + 8*k.arg)
		if lo := uint32(k.mask); lo != 0 {
			halves = append(halves, half{off, lo, uint32(k.want)})
		}
		if hi := uint32(k.mask >> 32); hi != 0 {
			halves = append(halves, half{off + 4, hi, uint32(k.want >> 32)})
		}
	}
	const each = 3 // instructions a half
	var steps []bpf.Instruction
	for i, h := range halves {
		behind := (len(halves)-1-i)*each + 1
		if behind > 255 {
			return nil, fmt.Errorf("%w: %s has a clause of %d halves", errFilter, name, len(halves))
		}
		steps = append(steps,
			bpf.LoadAbsolute{Off: h.off, Size: 4},
			bpf.ALUOpConstant{Op: bpf.ALUOpAnd, Val: h.mask},
			bpf.JumpIf{Cond: bpf.JumpEqual, Val: h.want, SkipFalse: uint8(behind)})
	}
	return steps, nil
}

// raw is the program as the kernel takes it: one struct sock_filter a number, of a little-endian machine.
func (t table) raw() ([]uint64, error) {
	prog, err := t.assemble()
	if err != nil {
		return nil, err
	}
	raw, err := bpf.Assemble(prog)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errFilter, err)
	}
	const most = 4096 // BPF_MAXINSNS
	if len(raw) > most {
		return nil, fmt.Errorf("%w: %d instructions, a kernel takes %d", errFilter, len(raw), most)
	}
	filter := make([]uint64, len(raw))
	for i, ins := range raw {
		filter[i] = uint64(ins.Op) | uint64(ins.Jt)<<16 | uint64(ins.Jf)<<24 | uint64(ins.K)<<32
	}
	return filter, nil
}
