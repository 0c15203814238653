package source

import (
	"math"
	"slices"
	"strconv"
	"strings"
)

// value is what an expression is known to be before the program runs.
type value struct {
	sort   valueSort
	texts  []string // the texts it may be, with Hole for unknown parts
	number float64
	list   []value
	fields map[string]value
	fn     *function
}

type valueSort uint8

const (
	unknown  valueSort = iota // nothing is known
	text                      // one of texts
	number                    // number
	numeric                   // a number, which one is not known
	list                      // list
	object                    // fields
	callable                  // fn
)

// Bounds of what is worked out: beyond them a value is unknown.
const (
	maxTexts = 16
	maxText  = 4096
	maxList  = 4096
)

func textOf(s ...string) value {
	slices.Sort(s)
	s = slices.Compact(s)
	if len(s) > maxTexts || slices.ContainsFunc(s, func(t string) bool { return len(t) > maxText }) {
		return value{}
	}
	return value{sort: text, texts: s}
}

func numberOf(f float64) value { return value{sort: number, number: f} }

func listOf(l []value) value {
	if len(l) > maxList {
		return value{}
	}
	return value{sort: list, list: l}
}

// isNumber reports whether the value can only be a number.
func (v value) isNumber() bool { return v.sort == number || v.sort == numeric }

// strings are the texts that the value turns into where a string is wanted. Unknown parts are holes.
func (v value) strings() []string {
	switch v.sort {
	case text:
		return v.texts
	case number:
		return []string{formatNumber(v.number)}
	case numeric:
		return []string{"0" + Hole} // its decimal form holds a digit, which no name of interest does
	case list:
		return join(v.list, ",").strings()
	}
	return []string{Hole}
}

// known is the one text that the value is in full, if there is one.
func (v value) known() (string, bool) {
	if v.sort == unknown || v.sort == numeric || v.sort == object || v.sort == callable {
		return "", false
	}
	s := v.strings()
	return s[0], len(s) == 1 && !strings.Contains(s[0], Hole)
}

// concat joins the texts of a and b, each with each.
func concat(a, b value) value {
	as, bs := a.strings(), b.strings()
	if len(as)*len(bs) > maxTexts {
		return textOf(Hole)
	}
	var out []string
	for _, x := range as {
		for _, y := range bs {
			if len(x)+len(y) > maxText {
				return textOf(Hole)
			}
			out = append(out, x+y)
		}
	}
	return textOf(out...)
}

// add is the operator "+".
func add(a, b value) value {
	if a.sort == number && b.sort == number {
		return numberOf(a.number + b.number)
	}
	if a.isNumber() && b.isNumber() {
		return value{sort: numeric}
	}
	return concat(a, b)
}

// join is Array.prototype.join.
func join(l []value, by string) value {
	out := textOf("")
	for i, v := range l {
		if i > 0 {
			out = concat(out, textOf(by))
		}
		out = concat(out, v)
	}
	return out
}

// either is a value that is a or b.
func either(a, b value) value {
	if a.isNumber() && b.isNumber() {
		return value{sort: numeric}
	}
	if a.sort == unknown && b.sort == unknown {
		return value{}
	}
	return textOf(slices.Concat(a.strings(), b.strings())...)
}

// field is v[key].
func (v value) field(key value) value {
	if v.sort == list && key.sort == number && key.number >= 0 && int(key.number) < len(v.list) {
		return v.list[int(key.number)]
	}
	name, ok := key.known()
	if !ok {
		return value{}
	}
	if s, one := v.known(); one && v.sort == text && key.sort == number {
		return at(s, int(key.number))
	}
	if v.sort == object {
		return v.fields[name]
	}
	if name == "length" || name == "size" {
		return value{sort: numeric}
	}
	return value{}
}

// at is the letter of s at a place, which counts from the end when it is negative.
func at(s string, i int) value {
	r := []rune(s)
	if i < 0 {
		i += len(r)
	}
	if i < 0 || i >= len(r) {
		return value{}
	}
	return textOf(string(r[i]))
}

func formatNumber(f float64) string {
	if f == math.Trunc(f) && math.Abs(f) < 1e21 {
		return strconv.FormatFloat(f, 'f', -1, 64)
	}
	return strconv.FormatFloat(f, 'g', -1, 64)
}
