package source

import (
	"cmp"
	"math"
	"slices"
	"unicode/utf16"
)

// listMethod is a method of a list whose elements are known to be there.
func (e *evaluator) listMethod(of value, name string, args []value) value {
	l := of.list
	exact := of.sort == list
	like := func(l []value) value { return value{sort: of.sort, list: l} }
	switch name {
	case "join":
		return joined(of, args)
	case "toString", "toLocaleString":
		return joined(of, nil)
	case "reverse", "toReversed":
		l = slices.Clone(l)
		slices.Reverse(l)
		return like(l)
	case "sort", "toSorted":
		if s, ok := sorted(l); ok && exact && len(args) == 0 {
			return listOf(s)
		}
		return bagOf(l)
	case "concat", "with", "toSpliced":
		return extended(of, name, args)
	case "fill":
		return bagOf(slices.Concat(l, args[:min(1, len(args))]))
	case "map", "flatMap":
		if len(args) == 0 {
			return value{}
		}
		l = e.mapped(of, args[0])
		if name == "flatMap" {
			l = flat(l)
		}
		out := like(l)
		if len(l) > maxList {
			return value{}
		}
		return out
	case "filter":
		return e.filtered(of, args)
	case "flat":
		if len(args) > 0 {
			return bagOf(flat(flat(l)))
		}
		return like(flat(l))
	case "values":
		return of
	case "slice", "splice":
		if from, to, ok := bounds(args, len(l), name); ok && exact {
			return listOf(l[from:to])
		}
		return bagOf(l)
	case "copyWithin":
		return bagOf(l)
	}
	return e.picked(of, name, args)
}

// picked is a method of a list that gives back one thing.
func (e *evaluator) picked(of value, name string, args []value) value {
	l := of.list
	exact := of.sort == list && len(l) > 0
	switch name {
	case "at":
		if i, ok := integer(args, 0); ok && exact && i < 0 {
			return of.field(numberOf(float64(i + len(l))))
		} else if ok && exact {
			return of.field(args[0])
		}
		return one(l)
	case "pop":
		if exact {
			return l[len(l)-1]
		}
		return one(l)
	case "shift":
		if exact {
			return l[0]
		}
		return one(l)
	case "find", "findLast":
		return one(l)
	case "reduce", "reduceRight":
		if of.sort == list {
			return e.reduce(l, name, args)
		}
		return built()
	case "indexOf", "lastIndexOf", "findIndex", "findLastIndex", "push", "unshift":
		return value{sort: numeric}
	}
	return value{}
}

// joined is of.join(args).
func joined(of value, args []value) value {
	by := ","
	if len(args) > 0 {
		s, ok := args[0].known()
		if !ok {
			return built()
		}
		by = s
	}
	switch {
	case of.sort == list:
		return join(of.list, by)
	case by == "" || hasLetter(by):
		return built()
	case of.sort == bag:
		return either(one(of.list), textOf(Hole+by+Hole))
	}
	return textOf(Hole + by + Hole) // a name that is put together of more than one part holds by, which no name of interest does
}

// hasLetter reports whether a name could hold a part of s.
func hasLetter(s string) bool {
	for i := range len(s) {
		if wordByte(s[i]) || s[i] >= 0x80 {
			return true
		}
	}
	return false
}

// sorted is l in the order of sort(), which is that of UTF-16.
func sorted(l []value) ([]value, bool) {
	type entry struct {
		v   value
		key []uint16
	}
	all := make([]entry, len(l))
	for i, v := range l {
		s, ok := v.known()
		if !ok || v.sort == nothing {
			return nil, false
		}
		all[i] = entry{v, utf16.Encode([]rune(s))}
	}
	slices.SortStableFunc(all, func(a, b entry) int { return slices.Compare(a.key, b.key) })
	out := make([]value, len(l))
	for i, a := range all {
		out[i] = a.v
	}
	return out, true
}

// extended is a list with more elements.
func extended(of value, name string, args []value) value {
	l, exact := slices.Clone(of.list), of.sort == list && name == "concat"
	for _, a := range args {
		switch a.sort {
		case list:
			l = append(l, a.list...)
		case bag, unknown:
			l, exact = append(append(l, a.list...), one(a.list)), false
		default:
			l = append(l, a)
		}
	}
	if exact {
		return listOf(l)
	}
	return bagOf(l)
}

// flat takes the elements of lists among l.
func flat(l []value) []value {
	var out []value
	for _, v := range l {
		if v.sort == list || v.sort == bag {
			out = append(out, v.list...)
			continue
		}
		out = append(out, v)
	}
	return out
}

// mapped are the elements of of.map(f).
func (e *evaluator) mapped(of value, f value) []value {
	out := make([]value, len(of.list))
	for i, v := range of.list {
		if f.sort != callable {
			continue
		}
		index := numberOf(float64(i))
		if of.sort != list {
			index = value{sort: numeric}
		}
		out[i] = e.apply(f, []value{v, index})
	}
	return out
}

// filtered is of.filter(args).
func (e *evaluator) filtered(of value, args []value) value {
	if len(args) == 0 || args[0].sort != callable || of.sort != list {
		return bagOf(of.list)
	}
	var out []value
	for i, v := range of.list {
		keep := e.apply(args[0], []value{v, numberOf(float64(i))})
		if keep.sort != nothing {
			return bagOf(of.list)
		}
		if keep.texts[0] == "true" {
			out = append(out, v)
		}
	}
	return listOf(out)
}

func (e *evaluator) reduce(l []value, name string, args []value) value {
	if len(args) == 0 || args[0].sort != callable {
		return built()
	}
	l = slices.Clone(l)
	at := make([]value, len(l))
	for i := range at {
		at[i] = numberOf(float64(i))
	}
	if name == "reduceRight" {
		slices.Reverse(l)
		slices.Reverse(at)
	}
	if len(args) > 1 {
		l, at = append([]value{args[1]}, l...), append([]value{{}}, at...)
	}
	if len(l) == 0 {
		return value{}
	}
	out := l[0]
	for i, v := range l[1:] {
		out = e.apply(args[0], []value{out, v, at[i+1]})
	}
	return out
}

func integer(args []value, i int) (int, bool) {
	if i >= len(args) || args[i].sort != number || math.Abs(args[i].number) > 1<<31 {
		return 0, false
	}
	return int(args[i].number), true
}

// bounds are what slice, splice, substring or substr take of n elements, if that is known.
func bounds(args []value, n int, name string) (from, to int, ok bool) {
	from, to = 0, n
	for i := range min(2, len(args)) {
		at, known := integer(args, i)
		if !known {
			return 0, 0, false
		}
		if at < 0 && (name != "substring") && (i == 0 || name == "slice") {
			at += n
		}
		if i == 0 {
			from = min(max(at, 0), n)
			continue
		}
		if name == "splice" || name == "substr" {
			at += from
		}
		to = min(max(at, 0), n)
	}
	if name == "substring" && to < from {
		from, to = to, from
	}
	return from, max(from, to), true
}

// compared is the value of x == y, as far as it is known.
func compared(x, y value, equal bool) value {
	a, isA := x.known()
	b, isB := y.known()
	if !isA || !isB || x.sort != y.sort || x.sort == list {
		return value{}
	}
	return truth((a == b) == equal)
}

// ordered is the value of x < y and its kind, as far as it is known.
func ordered(x, y value, holds func(order int) bool) value {
	switch {
	case x.sort == number && y.sort == number && !math.IsNaN(x.number) && !math.IsNaN(y.number):
		return truth(holds(cmp.Compare(x.number, y.number)))
	case x.sort == text && y.sort == text:
		a, isA := x.known()
		b, isB := y.known()
		if isA && isB {
			return truth(holds(slices.Compare(utf16.Encode([]rune(a)), utf16.Encode([]rune(b)))))
		}
	}
	return value{}
}
