package checker

import (
	"fmt"

	"selffix/checker/codepoint"
)

func characterRules() []Rule {
	return []Rule{ruleUnicodeBidi(), ruleUnicodeInvisible(), ruleUnicodeControl(), ruleUnicodeUnassigned(), ruleUnicodeMarks()}
}

// characterRule refuses the code points of a class in paths and added lines: one finding for each line and path,
// at the first of them.
func characterRule(r Rule, class codepoint.Class, what string) Rule {
	r.Check = func(c *Change) []Finding {
		var found []Finding
		for _, f := range c.Files {
			if _, message := firstOfClass(f.Path, class, what); message != "" {
				found = append(found, r.at(f.Path, 0, 0, "in the path: "+message))
			}
			for _, l := range f.Added {
				if offset, message := firstOfClass(l.Text, class, what); message != "" {
					found = append(found, r.at(f.Path, l.Number, column(l.Text, offset), message))
				}
			}
		}
		return found
	}
	return r
}

// firstOfClass finds the first code point of a class, and says how many more there are.
func firstOfClass(text string, class codepoint.Class, what string) (offset int, message string) {
	first, count := rune(0), 0
	for i, r := range text {
		if codepoint.Of(r)&class == 0 {
			continue
		}
		if count == 0 {
			offset, first = i, r
		}
		count++
	}
	switch count {
	case 0:
		return 0, ""
	case 1:
		return offset, fmt.Sprintf("%s is %s; want visible text only", codepoint.Name(first), what)
	}
	return offset, fmt.Sprintf("%s is %s, and %d more follow; want visible text only", codepoint.Name(first), what, count-1)
}
