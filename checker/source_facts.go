package checker

import (
	"runtime"
	"strings"
	"sync"

	"selffix/checker/source"
)

// sourceFacts are the facts of one TypeScript file, read once for all rules.
type sourceFacts struct {
	result *source.Facts
	err    error // why the result could not be read
	base   func() *source.Facts
	server func() bool // the result is all server actions: asked for each export
	added  map[int]bool
}

// readable reports whether the rules on source judge a file, and in which dialect. One over the size limit is refused by
// its size, and never parsed.
func (c *Change) readable(f *File) (source.Dialect, bool) {
	d := source.DialectOf(f.Path)
	most := c.Policy.Limits.FileBytes
	return d, d != 0 && !f.Deleted && len(f.Result) > 0 && len(f.Result) <= most && len(f.Base) <= most
}

// sources reads the results of all files, some at a time, the first time that a rule asks.
func (c *Change) sources() {
	slots := make(chan struct{}, runtime.GOMAXPROCS(0))
	var reading sync.WaitGroup
	for _, f := range c.Files {
		d, ok := c.readable(f)
		if !ok || f.source != nil {
			continue
		}
		s := &sourceFacts{added: map[int]bool{}}
		f.source = s
		for _, l := range f.Added {
			s.added[l.Number] = true
		}
		s.base = sync.OnceValue(func() *source.Facts {
			// A base that cannot be read excuses nothing: every use in the result is then a new one.
			facts, _ := source.Parse(f.Base, d)
			return facts
		})
		s.server = sync.OnceValue(func() bool { return hasServerDirective(s.result) })
		slots <- struct{}{}
		reading.Go(func() {
			s.result, s.err = c.ahead.read(f, d)
			<-slots
		})
	}
	reading.Wait()
}

// fresh returns the uses of facts that match and that a file has more of than before. The base is read only where
// the result has such a fact at all, which the result of an ordinary fix has not.
func (c *Change) fresh(f *File, match func(source.Fact) bool) []source.Use {
	c.sources()
	if f.source == nil || !f.source.result.Has(match) {
		return nil
	}
	return source.New(f.source.base(), f.source.result, match, func(line int) bool { return f.source.added[line] })
}

// factRule is a rule on facts that a file newly holds. A message is a finding, "" is none.
func factRule(r Rule, judge func(c *Change, f *File, fact source.Fact) string) Rule {
	r.Check = func(c *Change) []Finding {
		var found []Finding
		for _, f := range c.Files {
			match := func(fact source.Fact) bool { return judge(c, f, fact) != "" }
			for _, u := range c.fresh(f, match) {
				found = append(found, r.at(f.Path, f.lineOf(u), 0, judge(c, f, u.Fact)))
			}
		}
		return found
	}
	return r
}

// lineOf is the line of a use, or the first added line that holds its name where the place of the use was not added: a fact may come
// about by a change elsewhere, and folded code has lost some of its places.
func (f *File) lineOf(u source.Use) int {
	name := u.Name[strings.LastIndexAny(u.Name, " .")+1:]
	if f.source.added[u.Line] || name == "" {
		return u.Line
	}
	for _, l := range f.Added {
		if strings.Contains(l.Text, name) {
			return l.Number
		}
	}
	return u.Line
}

// withLines adds to a rule one on each added line of TypeScript files.
func withLines(r Rule, judge func(c *Change, line string) (offset int, message string)) Rule {
	return withLinesOf(r, func(f *File) bool { return source.DialectOf(f.Path) != 0 }, judge)
}

// withWords adds to a rule one on each added line of every file that a patch may hold: TypeScript, and style sheets, in which a hyphen is a part
// of a name (.process-step).
func withWords(r Rule, judge func(c *Change, line string) (offset int, message string)) Rule {
	r = withLinesOf(r, isSheet, func(c *Change, line string) (int, string) { return judge(c, strings.ReplaceAll(line, "-", "_")) })
	return withLines(r, judge)
}

// withLinesOf adds to a rule one on each added line of some files.
func withLinesOf(r Rule, of func(*File) bool, judge func(c *Change, line string) (offset int, message string)) Rule {
	before, lines := r.Check, lineRule(r, judge).Check
	r.Check = func(c *Change) []Finding {
		some := &Change{Policy: c.Policy}
		for _, f := range c.Files {
			if of(f) {
				some.Files = append(some.Files, f)
			}
		}
		found := lines(some)
		if before != nil {
			found = append(found, before(c)...)
		}
		return found
	}
	return r
}
