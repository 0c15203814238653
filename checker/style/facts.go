package style

import (
	"cmp"
	"slices"
)

// Kind says what a fact is about.
type Kind uint8

// The kinds of facts. Name is what [Fact.Name] holds, in lower case where CSS does not tell letters apart.
const (
	_        Kind = iota
	AtRule        // an at-rule: "media"; its value is what follows, up to its block or end
	Function      // a function: "rgb"; a function inside attr( is "attr type"
	Property      // a name before a colon: a property, or an element before a pseudo-class; of composes the value as well
	Pseudo        // a name after a colon: ":export", or the value of a property
	Address       // what a url(, or a text in src(, image-set( and their kind, names, decoded
	Text          // a string elsewhere, decoded
	Escape        // a backslash outside of a string, or in an address
	Slashes       // "//" outside of strings, comments and url(
	Comment       // a comment, without its marks
	Broken        // a string, address, comment or block without an end, an end without a block, or "<!--"
)

// Fact is one thing that a style sheet does.
type Fact struct {
	Kind  Kind
	Name  string
	Value string // what a fact that loads a file by its place names: another value is another fact
}

// Use is a place at which a fact holds.
type Use struct {
	Fact
	Line int // from 1
}

// Facts are all uses in one style sheet, in the order of its text. A nil Facts is that of an empty one.
type Facts struct{ uses []Use }

// Has reports whether there is a fact that match takes.
func (f *Facts) Has(match func(Fact) bool) bool {
	return f != nil && slices.ContainsFunc(f.uses, func(u Use) bool { return match(u.Fact) })
}

// New returns the uses in result that match, as far as result has more of them than base. Where some of a fact's
// uses are new, those on a line that the patch added come first.
func New(base, result *Facts, match func(Fact) bool, added func(line int) bool) []Use {
	if result == nil {
		return nil
	}
	spare := map[Fact]int{}
	if base != nil {
		for _, u := range base.uses {
			spare[u.Fact]++
		}
	}
	var out []Use
	// Uses on lines that were there are the old ones, as far as the base has as many.
	for _, touched := range []bool{false, true} {
		for _, u := range result.uses {
			if added(u.Line) != touched || !match(u.Fact) {
				continue
			}
			if spare[u.Fact] > 0 {
				spare[u.Fact]--
				continue
			}
			out = append(out, u)
		}
	}
	slices.SortFunc(out, func(a, b Use) int {
		return cmp.Or(a.Line-b.Line, int(a.Kind)-int(b.Kind), cmp.Compare(a.Name, b.Name), cmp.Compare(a.Value, b.Value))
	})
	return slices.Compact(out)
}
