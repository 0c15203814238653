package source

import (
	"cmp"
	"slices"
)

// Kind says what a fact is about.
type Kind uint8

// The kinds of facts. Name is what [Fact.Name] holds.
const (
	_             Kind = iota
	Global             // a name that the file does not declare, used as a value
	Bare               // window, document, navigator or location used otherwise than through one of its members: Name is the object
	Member             // a member of one of those: "window.innerWidth"
	Read               // a property named in code: x.name, { name } = x
	Index              // a property named by the value of an expression that is known before the program runs: x["na" + "me"]
	Define             // a key of an object literal, a class member or a JSX attribute
	Write              // a property that is assigned to: x.name = y
	Key                // a computed key that is not known: its text with Hole for each unknown part
	String             // the value of a string, template or joined string, with Hole for each unknown part
	Probe              // a string that a value is only compared with: x.startsWith("https://")
	Text               // text between JSX tags
	Import             // a module that is imported: its specifier
	Name               // a name that is imported: "specifier name"
	DynamicImport      // import(…): the specifier when it is known, else Hole
	Meta               // import.meta
	Directive          // a string that stands as a statement: its decoded value
	Export             // an exported name; "*" for all names of another module
	This               // this outside of a class
	Syntax             // a construct that the rules name: "with", "new.target", "debugger", "too much to work out"
	Element            // a tag that is made, or may be: JSX, createElement, a text beside an unknown tag; Hole when it is not known, or its maker is passed on
	Attribute          // a name given to setAttribute, or a handler in lower case that is no function; Hole when it is not known
	Timer              // a timer that does not get a function: Name is the timer
	Foreign            // an identifier with letters outside ASCII
	Child              // text between the tags of a component, which gets it as a prop; it is a Text as well
	Pattern            // the source of a regular expression, its escaped marks undone
	Prologue           // a Directive that stands where it takes effect: first in a file or function
	Given              // what something dangerous is given: "eval code", "innerHTML code", "script src code", "process process.env.NAME"
)

// Hole stands in a text for a part that is not known before the program runs. It is a noncharacter.
const Hole = "\uffff"

// Fact is one thing that a file does. Two facts that are equal are uses of the same thing.
type Fact struct {
	Kind Kind
	Name string
}

// Use is a place at which a fact holds.
type Use struct {
	Fact
	// Line is that of the file as it was given, from 1: that of the nearest place before the use for which there is a
	// mapping. 0 stands for a place before the first.
	Line int
}

// Facts are all uses in one file. A nil Facts is that of an empty file.
type Facts struct {
	plain, folded reading
}

// reading is one normal form of a file, read.
type reading struct {
	uses     []place
	count    map[Fact]int
	distinct []Fact // each of count once, in the order of first use
	lines    func(offset int) int
}

// place is a use before its line is worked out.
type place struct {
	Fact
	offset int
}

// Has reports whether the file has at least one use of a fact of this kind that holds for match.
func (f *Facts) Has(match func(Fact) bool) bool {
	if f == nil {
		return false
	}
	return slices.ContainsFunc(f.plain.distinct, match) || slices.ContainsFunc(f.folded.distinct, match)
}

// New returns the uses in result of facts that match, as far as result has more of them than base. Where some
// of a fact's uses are new, those on a line that the patch added come first. A fact is reported once a line,
// ordered by line and name.
func New(base, result *Facts, match func(Fact) bool, added func(line int) bool) []Use {
	if result == nil {
		return nil
	}
	if base == nil {
		base = &Facts{}
	}
	out := more(base.plain, result.plain, match, added)
	seen := map[Fact]bool{}
	for _, u := range out {
		seen[u.Fact] = true
	}
	for _, u := range more(base.folded, result.folded, match, added) {
		if !seen[u.Fact] {
			out = append(out, u)
		}
	}
	slices.SortFunc(out, func(a, b Use) int { return cmp.Or(a.Line-b.Line, cmp.Compare(a.Name, b.Name), int(a.Kind)-int(b.Kind)) })
	return slices.Compact(out)
}

func more(base, result reading, match func(Fact) bool, added func(line int) bool) []Use {
	places := map[Fact][]int{}
	var order []Fact
	for _, p := range result.uses {
		if result.count[p.Fact] <= base.count[p.Fact] || !match(p.Fact) {
			continue
		}
		if places[p.Fact] == nil {
			order = append(order, p.Fact)
		}
		places[p.Fact] = append(places[p.Fact], result.lines(p.offset))
	}
	var out []Use
	for _, f := range order {
		lines := places[f]
		slices.SortStableFunc(lines, func(a, b int) int { return rank(added(a)) - rank(added(b)) })
		for _, l := range lines[:result.count[f]-base.count[f]] {
			out = append(out, Use{f, l})
		}
	}
	return out
}

func rank(added bool) int {
	if added {
		return 0
	}
	return 1
}

// Each calls f with the name of each use of a kind.
func (f *Facts) Each(k Kind, each func(name string)) {
	if f == nil {
		return
	}
	for _, uses := range [][]place{f.plain.uses, f.folded.uses} {
		for _, p := range uses {
			if p.Kind == k {
				each(p.Name)
			}
		}
	}
}
