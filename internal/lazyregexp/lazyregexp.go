// Package lazyregexp compiles a regular expression when it is first used.
//
// self-fix starts many short processes, each of which uses few of the program's expressions: compiled at start, as package variables
// of type regexp.Regexp are, they cost more than what most steps do.
package lazyregexp

import (
	"regexp"
	"sync"
)

// Regexp is an expression that is compiled on first use. It is safe for concurrent use.
type Regexp struct {
	compiled func() *regexp.Regexp
	most     int // bytes of a string that MatchString looks at; 0: any number
}

// New returns the expression. One that does not compile panics when it is first used, so each needs a test that uses it.
func New(expr string) *Regexp {
	return &Regexp{compiled: sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })}
}

// AtMost is the expression for strings of at most n bytes: MatchString refuses longer ones. A bound written into an expression, as in
// [a-z]{0,99}, is compiled to that many copies of what it counts.
func (r *Regexp) AtMost(n int) *Regexp { return &Regexp{r.compiled, n} }

// Most is what AtMost was given; 0 is any number.
func (r *Regexp) Most() int { return r.most }

// MatchString reports whether s matches, and is not longer than AtMost said.
func (r *Regexp) MatchString(s string) bool {
	return (r.most == 0 || len(s) <= r.most) && r.compiled().MatchString(s)
}

// The other methods are those of regexp.Regexp.

func (r *Regexp) String() string                       { return r.compiled().String() }
func (r *Regexp) Match(b []byte) bool                  { return r.compiled().Match(b) }
func (r *Regexp) FindString(s string) string           { return r.compiled().FindString(s) }
func (r *Regexp) FindStringIndex(s string) []int       { return r.compiled().FindStringIndex(s) }
func (r *Regexp) FindStringSubmatch(s string) []string { return r.compiled().FindStringSubmatch(s) }
func (r *Regexp) FindSubmatch(b []byte) [][]byte       { return r.compiled().FindSubmatch(b) }
func (r *Regexp) FindStringSubmatchIndex(s string) []int {
	return r.compiled().FindStringSubmatchIndex(s)
}
func (r *Regexp) FindAllString(s string, n int) []string { return r.compiled().FindAllString(s, n) }
func (r *Regexp) FindAllStringIndex(s string, n int) [][]int {
	return r.compiled().FindAllStringIndex(s, n)
}
func (r *Regexp) FindAllStringSubmatch(s string, n int) [][]string {
	return r.compiled().FindAllStringSubmatch(s, n)
}
func (r *Regexp) FindAllStringSubmatchIndex(s string, n int) [][]int {
	return r.compiled().FindAllStringSubmatchIndex(s, n)
}
func (r *Regexp) ReplaceAllString(s, to string) string { return r.compiled().ReplaceAllString(s, to) }
func (r *Regexp) ReplaceAllStringFunc(s string, f func(string) string) string {
	return r.compiled().ReplaceAllStringFunc(s, f)
}
