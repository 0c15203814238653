package source

import (
	"maps"
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
	keys   []string // of fields, in the order in which JavaScript lists them
	open   bool     // there may be more fields
	fn     *function
}

type valueSort uint8

const (
	unknown  valueSort = iota // nothing is known
	text                      // one of texts
	number                    // number
	numeric                   // a number, which one is not known
	list                      // list
	bag                       // some of list, in any order and any number
	object                    // fields
	callable                  // fn
	nothing                   // null, undefined, true or false: its word is the one of texts
)

// Bounds of what is worked out: beyond them a value is unknown.
const (
	maxTexts = 64
	maxJoins = 16 // texts that come of joining some with some
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

// built is a text that is put together of parts that are not known: two holes, since one alone is a value like any other.
func built() value { return value{sort: text, texts: []string{Hole + Hole}} }

// word is null, undefined, true or false.
func word(s string) value { return value{sort: nothing, texts: []string{s}} }

func truth(b bool) value { return word(strconv.FormatBool(b)) }

func numberOf(f float64) value { return value{sort: number, number: f} }

func listOf(l []value) value {
	if len(l) > maxList {
		return value{}
	}
	return value{sort: list, list: l}
}

func bagOf(l []value) value {
	if len(l) > maxList {
		return value{}
	}
	return value{sort: bag, list: l}
}

// objectOf is an object with these fields, whose keys are given in the order of the source.
func objectOf(keys []string, fields map[string]value) value {
	slices.SortStableFunc(keys, func(a, b string) int { return keyPlace(a) - keyPlace(b) })
	return value{sort: object, keys: keys, fields: fields}
}

// keyPlace orders keys: whole numbers come first, by size (ECMA-262, 10.1.11).
func keyPlace(key string) int {
	if n, err := strconv.ParseUint(key, 10, 31); err == nil && strconv.FormatUint(n, 10) == key {
		return int(n)
	}
	return math.MaxInt
}

// isNumber reports whether the value can only be a number.
func (v value) isNumber() bool { return v.sort == number || v.sort == numeric }

// strings are the texts that the value turns into where a string is wanted. Unknown parts are holes.
func (v value) strings() []string {
	switch v.sort {
	case text, nothing:
		return v.texts
	case number:
		return []string{formatNumber(v.number)}
	case numeric:
		return []string{"0" + Hole} // its decimal form holds a digit, which no name of interest does
	case list:
		return join(v.list, ",").strings()
	case bag:
		return built().texts
	}
	return []string{Hole}
}

// known is the one text that the value is in full, if there is one.
func (v value) known() (string, bool) {
	switch v.sort {
	case unknown, numeric, bag, object, callable:
		return "", false
	}
	s := v.strings()
	return s[0], len(s) == 1 && !strings.Contains(s[0], Hole)
}

// concat joins the texts of a and b, each with each.
func concat(a, b value) value {
	as, bs := a.strings(), b.strings()
	if len(as) > 1 && len(bs) > 1 && len(as)*len(bs) > maxJoins {
		return built()
	}
	var out []string
	for _, x := range as {
		for _, y := range bs {
			if len(x)+len(y) > maxText {
				return built()
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
		if v.sort == nothing && (v.texts[0] == "null" || v.texts[0] == "undefined") {
			continue
		}
		out = concat(out, v)
	}
	return out
}

// either is a value that is a or b.
func either(a, b value) value {
	isList := func(v value) bool { return v.sort == list || v.sort == bag }
	isText := func(v value) bool { return v.sort == text || v.isNumber() }
	switch {
	case a.isNumber() && b.isNumber():
		return value{sort: numeric}
	case isList(a) && isList(b):
		return bagOf(slices.Concat(a.list, b.list))
	case a.sort == object && b.sort == object:
		return merge(a, b)
	case a.sort == nothing && !isText(b):
		return b
	case b.sort == nothing && !isText(a):
		return a
	case !isText(a) && !isText(b):
		return value{}
	}
	return textOf(slices.Concat(a.strings(), b.strings())...)
}

// merge is an object that is a or b.
func merge(a, b value) value {
	keys, fields := slices.Clone(a.keys), maps.Clone(a.fields)
	for _, k := range b.keys {
		if v, ok := fields[k]; ok {
			fields[k] = either(v, b.fields[k])
			continue
		}
		keys, fields[k] = append(keys, k), b.fields[k]
	}
	out := objectOf(keys, fields)
	out.open = true
	return out
}

// one is one of l.
func one(l []value) value {
	var out value
	for i, v := range l {
		if i > 0 {
			v = either(out, v)
		}
		out = v
	}
	return out
}

// field is v[key].
func (v value) field(key value) value {
	name, known := key.known()
	sized := known && (name == "length" || name == "size")
	switch v.sort {
	case list, bag:
		switch {
		case key.sort == number && v.sort == list:
			if i := key.number; i >= 0 && i < float64(len(v.list)) && i == math.Trunc(i) {
				return v.list[int(i)]
			}
			return value{}
		case !known || key.sort == number:
			return one(v.list)
		}
	case object:
		if known {
			return v.fields[name]
		}
		return value{}
	case text:
		return v.letter(key, sized)
	}
	if sized {
		return value{sort: numeric}
	}
	return value{}
}

// letter is a field of a text.
func (v value) letter(key value, sized bool) value {
	s, known := v.known()
	switch {
	case sized:
		return value{sort: numeric}
	case known && key.sort == number && key.number >= 0:
		return at(s, key.number)
	case known && key.isNumber():
		return anyLetter(s)
	case slices.ContainsFunc(v.texts, func(s string) bool { return strings.Contains(s, Hole+Hole) }):
		return built()
	}
	return value{}
}

// maxLetters is how many letters of a text are told apart where any of them may be meant.
const maxLetters = 8

// anyLetter is some letter of s.
func anyLetter(s string) value {
	r := []rune(s)
	slices.Sort(r)
	if r = slices.Compact(r); len(r) > maxLetters {
		return textOf(Hole)
	}
	var out []string
	for _, c := range r {
		out = append(out, string(c))
	}
	return textOf(out...)
}

// units are the letters of s, if each is one unit of UTF-16, which is what JavaScript counts.
func units(s string) ([]rune, bool) {
	r := []rune(s)
	return r, !slices.ContainsFunc(r, func(c rune) bool { return c > 0xffff })
}

// at is the letter of s at a place, which counts from the end when it is negative.
func at(s string, place float64) value {
	r, ok := units(s)
	if !ok || place != math.Trunc(place) {
		return built()
	}
	if place < 0 {
		place += float64(len(r))
	}
	if place < 0 || place >= float64(len(r)) {
		return value{}
	}
	return textOf(string(r[int(place)]))
}

func formatNumber(f float64) string {
	if f == math.Trunc(f) && math.Abs(f) < 1e21 {
		return strconv.FormatFloat(f, 'f', -1, 64)
	}
	return strconv.FormatFloat(f, 'g', -1, 64)
}
