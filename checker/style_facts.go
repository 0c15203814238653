package checker

import (
	"path"
	"strings"

	"selffix/checker/style"
)

// styleFacts are the facts of one style sheet before and after, read once for all rules.
type styleFacts struct {
	base, result *style.Facts
	added        map[int]bool
}

func isSheet(f *File) bool { return strings.ToLower(path.Ext(f.Path)) == ".css" }

// sheet returns the facts of a style sheet, or nil for another file. One over the size limit is refused by its size.
func (c *Change) sheet(f *File) *styleFacts {
	most := c.Policy.Limits.FileBytes
	if !isSheet(f) || f.Deleted || len(f.Result) > most || len(f.Base) > most {
		return nil
	}
	if f.style == nil {
		f.style = &styleFacts{base: style.Parse(f.Base), result: style.Parse(f.Result), added: map[int]bool{}}
		for _, l := range f.Added {
			f.style.added[l.Number] = true
		}
	}
	return f.style
}

// styleRule is a rule on facts that a style sheet newly holds. A message is a finding, "" is none.
func styleRule(r Rule, judge func(c *Change, fact style.Fact) string) Rule {
	r.Check = func(c *Change) []Finding {
		var found []Finding
		for _, f := range c.Files {
			s := c.sheet(f)
			if s == nil {
				continue
			}
			match := func(fact style.Fact) bool { return judge(c, fact) != "" }
			for _, u := range style.New(s.base, s.result, match, func(line int) bool { return s.added[line] }) {
				found = append(found, r.at(f.Path, u.Line, 0, judge(c, u.Fact)))
			}
		}
		return found
	}
	return r
}
