package checker

import "unicode/utf8"

// at makes a finding of the rule. Line and column count from 1; 0 means that the fault has none.
func (r Rule) at(file string, line, column int, message string) Finding {
	return Finding{
		Rule: r.ID, Kind: r.Kind, File: file, Line: line, Column: column, Message: message, PolicyKey: r.Policy,
	}
}

// column turns a byte offset of a line into a column: code points, from 1.
func column(line string, offset int) int {
	return utf8.RuneCountInString(line[:offset]) + 1
}

// pathRule is a rule on the path of each file. It must not look at the contents: it also judges what could be
// read of a patch that was refused while it was read. A message is a finding, "" is none.
func pathRule(r Rule, judge func(*Change, *File) string) Rule {
	r.Check = func(c *Change) []Finding {
		var found []Finding
		for _, f := range c.Files {
			if message := judge(c, f); message != "" {
				found = append(found, r.at(f.Path, 0, 0, message))
			}
		}
		return found
	}
	return r
}

// lineRule is a rule on each added line, on its own. It returns the byte offset of the first fault and a message;
// "" is none.
func lineRule(r Rule, judge func(c *Change, line string) (offset int, message string)) Rule {
	r.Check = func(c *Change) []Finding {
		var found []Finding
		for _, f := range c.Files {
			for _, l := range f.Added {
				if offset, message := judge(c, l.Text); message != "" {
					found = append(found, r.at(f.Path, l.Number, column(l.Text, offset), message))
				}
			}
		}
		return found
	}
	return r
}
