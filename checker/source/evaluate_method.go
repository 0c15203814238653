package source

import (
	"slices"
	"strconv"
	"strings"
)

// listMethod is a method of a list whose elements are known to be there.
func (e *evaluator) listMethod(l []value, name string, args []value) value {
	switch name {
	case "join":
		by := ","
		if len(args) > 0 {
			s, ok := args[0].known()
			if !ok {
				s = Hole
			}
			by = s
		}
		return join(l, by)
	case "reverse", "toReversed":
		l = slices.Clone(l)
		slices.Reverse(l)
		return listOf(l)
	case "concat":
		l = slices.Clone(l)
		for _, a := range args {
			if a.sort == list {
				l = append(l, a.list...)
				continue
			}
			l = append(l, a)
		}
		return listOf(l)
	case "map", "flatMap":
		if len(args) > 0 {
			return e.mapped(l, args[0])
		}
	case "filter", "sort", "toSorted", "flat", "values":
		return listOf(l)
	case "slice", "splice":
		from, to := bounds(args, len(l))
		return listOf(l[from:to])
	case "at":
		if i, ok := integer(args, 0); ok && i < 0 {
			args = []value{numberOf(float64(i + len(l)))}
		}
		if len(args) > 0 {
			return value{sort: list, list: l}.field(args[0])
		}
	case "pop":
		if len(l) > 0 {
			return l[len(l)-1]
		}
	case "shift":
		if len(l) > 0 {
			return l[0]
		}
	case "reduce", "reduceRight":
		return e.reduce(l, name, args)
	}
	return value{}
}

func (e *evaluator) reduce(l []value, name string, args []value) value {
	if len(args) == 0 || args[0].sort != callable {
		return value{}
	}
	l = slices.Clone(l)
	if name == "reduceRight" {
		slices.Reverse(l)
	}
	if len(args) > 1 {
		l = append([]value{args[1]}, l...)
	}
	if len(l) == 0 {
		return value{}
	}
	out := l[0]
	for _, v := range l[1:] {
		out = e.apply(args[0], []value{out, v})
	}
	return out
}

// textMethod is a method of a text that is known in full.
func textMethod(of value, s, name string, args []value) value {
	arg := func(i int) string {
		if i >= len(args) {
			return ""
		}
		t, ok := args[i].known()
		if !ok && args[i].sort == object { // a regular expression: one that says a plain text is taken as that text
			t, _ = args[i].fields["source"].known()
		}
		return t
	}
	switch name {
	case "concat":
		for _, a := range args {
			of = concat(of, a)
		}
		return of
	case "toLowerCase", "toLocaleLowerCase":
		return textOf(strings.ToLower(s))
	case "toUpperCase", "toLocaleUpperCase":
		return textOf(strings.ToUpper(s))
	case "trim", "trimStart", "trimEnd":
		return textOf(strings.TrimSpace(s))
	case "normalize", "valueOf":
		return textOf(s)
	case "toString":
		if base, ok := integer(args, 0); ok && of.sort == number && base >= 2 && base <= 36 {
			return textOf(strconv.FormatInt(int64(of.number), base))
		}
		return textOf(s)
	case "replace", "replaceAll":
		return textOf(strings.ReplaceAll(s, arg(0), arg(1)), strings.Replace(s, arg(0), arg(1), 1))
	case "split":
		var l []value
		for _, p := range strings.Split(s, arg(0)) {
			l = append(l, textOf(p))
		}
		return listOf(l)
	case "slice", "substring":
		r := []rune(s)
		from, to := bounds(args, len(r))
		return textOf(string(r[from:to]))
	case "substr":
		r := []rune(s)
		from, _ := bounds(args[:min(1, len(args))], len(r))
		n, ok := integer(args, 1)
		if !ok || n < 0 || from+n > len(r) {
			n = len(r) - from
		}
		return textOf(string(r[from : from+n]))
	case "charAt", "at":
		i, _ := integer(args, 0)
		return at(s, i)
	case "charCodeAt", "codePointAt":
		i, _ := integer(args, 0)
		r := []rune(s)
		if i >= 0 && i < len(r) {
			return numberOf(float64(r[i]))
		}
		return value{sort: numeric}
	case "repeat":
		n, ok := integer(args, 0)
		if !ok || n < 0 || n*len(s) > maxText {
			return value{}
		}
		return textOf(strings.Repeat(s, n))
	case "padStart":
		return textOf(padding(s, args, arg(1)) + s)
	case "padEnd":
		return textOf(s + padding(s, args, arg(1)))
	case "indexOf", "lastIndexOf", "search":
		return value{sort: numeric}
	}
	return value{}
}

// padding is what padStart and padEnd add to s.
func padding(s string, args []value, with string) string {
	n, _ := integer(args, 0)
	n -= len(s)
	if n <= 0 || n > maxText {
		return ""
	}
	if with == "" {
		with = " "
	}
	return strings.Repeat(with, n/len(with)+1)[:n]
}

func integer(args []value, i int) (int, bool) {
	if i >= len(args) || args[i].sort != number || args[i].number > 1<<31 || args[i].number < -1<<31 {
		return 0, false
	}
	return int(args[i].number), true
}

// bounds are the bounds that slice(args) takes of n elements.
func bounds(args []value, n int) (from, to int) {
	clamp := func(i int) int {
		if i < 0 {
			i += n
		}
		return max(0, min(i, n))
	}
	from, to = 0, n
	if i, ok := integer(args, 0); ok {
		from = clamp(i)
	}
	if i, ok := integer(args, 1); ok {
		to = clamp(i)
	}
	if to < from {
		to = from
	}
	return from, to
}
