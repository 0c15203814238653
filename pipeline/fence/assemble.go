package fence

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
)

var errFilter = errors.New("the system call filter cannot be assembled")

// raw assembles the table into a classic BPF program, one struct sock_filter of a little-endian machine a number: a binary
// search over ranges of call numbers, which the kernel also runs once over every number when it takes the program. Whatever a
// range leads to ends in a return, so that what a condition left in the accumulator is never taken for a number: a filter that
// goes on comparing lets socket(16, …) pass, because 16 is ioctl.
func (t table) raw() ([]uint64, error) {
	spans, err := t.spans()
	if err != nil {
		return nil, err
	}
	p := make(instructions, 0, 3*len(spans))
	p.load(offArch)
	p.jump(opJumpEqual, t.arch, 1, 0)
	p.answer(actKill)
	p.load(offNumber)
	p.jump(opJumpBits, x32Bit, 0, 1)
	p.answer(actKill)
	if err := p.search(spans); err != nil {
		return nil, err
	}
	const most = 4096 // BPF_MAXINSNS
	if len(p) > most {
		return nil, fmt.Errorf("%w: %d instructions, a kernel takes %d", errFilter, len(p), most)
	}
	return p, nil
}

// span is what is done for the numbers from first up to the next span's first.
type span struct {
	first uint32
	then  action
	rule  *rule // a rule with conditions, instead of then
}

// spans covers all numbers: those of the rules, and what lies between them.
func (t table) spans() ([]span, error) {
	rules := make([]*rule, len(t.rules))
	for i := range t.rules {
		rules[i] = &t.rules[i]
	}
	slices.SortFunc(rules, func(a, b *rule) int { return cmp.Compare(a.nr, b.nr) })
	spans := make([]span, 0, 2*len(rules)+2)
	var next uint64 // the first number without a span
	for i, r := range rules {
		if i > 0 && rules[i-1].nr == r.nr {
			return nil, fmt.Errorf("%w: %s and %s have the number %d", errFilter, rules[i-1].name, r.name, r.nr)
		}
		s := span{first: r.nr, then: r.then}
		if len(r.when) > 0 {
			s = span{first: r.nr, rule: r}
		}
		spans = extend(t.gap(spans, next, uint64(r.nr)), s)
		next = uint64(r.nr) + 1
	}
	return t.gap(spans, next, 1<<32), nil
}

// gap covers the numbers from first up to end, which have no rule.
func (t table) gap(spans []span, first, end uint64) []span {
	above := max(first, uint64(t.last)+1)
	if first < min(above, end) {
		spans = extend(spans, span{first: uint32(first), then: t.deny})
	}
	if above < end {
		spans = extend(spans, span{first: uint32(above), then: t.unknown})
	}
	return spans
}

// extend adds a span, or lengthens the last one if it answers the same without a look at arguments.
func extend(spans []span, s span) []span {
	if n := len(spans); n > 0 && s.rule == nil && spans[n-1].rule == nil && spans[n-1].then == s.then {
		return spans
	}
	return append(spans, s)
}

// instructions are what has been assembled.
type instructions []uint64

// Operations of classic BPF.
const (
	opLoad      = 0x20 // BPF_LD | BPF_W | BPF_ABS
	opAnd       = 0x54 // BPF_ALU | BPF_AND | BPF_K
	opJump      = 0x05 // BPF_JMP | BPF_JA
	opJumpEqual = 0x15 // BPF_JMP | BPF_JEQ | BPF_K
	opJumpFrom  = 0x35 // BPF_JMP | BPF_JGE | BPF_K
	opJumpBits  = 0x45 // BPF_JMP | BPF_JSET | BPF_K
	opReturn    = 0x06 // BPF_RET | BPF_K
)

func instruction(op uint16, yes, no uint8, k uint32) uint64 {
	return uint64(op) | uint64(yes)<<16 | uint64(no)<<24 | uint64(k)<<32
}

func (p *instructions) add(op uint16, yes, no uint8, k uint32) {
	*p = append(*p, instruction(op, yes, no, k))
}

func (p *instructions) load(offset uint32)                      { p.add(opLoad, 0, 0, offset) }
func (p *instructions) and(mask uint32)                         { p.add(opAnd, 0, 0, mask) }
func (p *instructions) answer(a action)                         { p.add(opReturn, 0, 0, uint32(a)) }
func (p *instructions) jump(op uint16, k uint32, yes, no uint8) { p.add(op, yes, no, k) }

// search halves the spans until one is left.
func (p *instructions) search(spans []span) error {
	if len(spans) == 1 {
		if spans[0].rule != nil {
			return p.body(*spans[0].rule)
		}
		p.answer(spans[0].then)
		return nil
	}
	half := len(spans) / 2
	high := spans[half:]
	at := len(*p)
	p.jump(opJumpFrom, high[0].first, 0, 1)
	p.add(opJump, 0, 0, 0)
	if err := p.search(spans[:half]); err != nil {
		return err
	}
	if skip := len(*p) - at - 2; skip > 255 { // more than a condition skips
		(*p)[at+1] |= uint64(skip) << 32
	} else {
		*p = slices.Delete(*p, at+1, at+2)
		(*p)[at] = instruction(opJumpFrom, uint8(skip), 0, high[0].first)
	}
	return p.search(high)
}

// body is what runs for a number whose rule has conditions; it always ends in a return.
func (p *instructions) body(r rule) error {
	for _, c := range r.when {
		if len(c) == 0 {
			return fmt.Errorf("%w: %s has a clause without a check, which would always hold", errFilter, r.name)
		}
		if err := p.clause(r.name, c); err != nil {
			return err
		}
		p.answer(r.then)
	}
	p.answer(r.other)
	return nil
}

// clause compares the arguments half by half and jumps behind the clause's return when one differs.
func (p *instructions) clause(name string, c clause) error {
	type half struct{ off, mask, want uint32 }
	var halves []half
	for _, k := range c {
		if k.arg < 0 || k.arg > 5 || k.mask == 0 || k.want&^k.mask != 0 {
			return fmt.Errorf("%w: %s has a check that cannot hold: %+v", errFilter, name, k)
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
	for i, h := range halves {
		behind := (len(halves)-1-i)*each + 1
		if behind > 255 {
			return fmt.Errorf("%w: %s has a clause of %d halves", errFilter, name, len(halves))
		}
		p.load(h.off)
		p.and(h.mask)
		p.jump(opJumpEqual, h.want, 0, uint8(behind))
	}
	return nil
}
