package checker

import "selffix/checker/source"

func secretRules() []Rule {
	return []Rule{ruleSecretShape(), ruleSecretURL(), ruleSecretName(), ruleSecretEntropy()}
}

// secretRule scans everything that a patch adds: the paths, each added line, the lines once more with their string
// pieces put together, and the texts that the code makes of constants. A finding says what was seen and where, and never
// the text itself: findings are printed in public logs.
func secretRule(r Rule, scan func(c *Change, text string) []suspect) Rule {
	r.Check = func(c *Change) []Finding {
		var found []Finding
		for _, f := range c.Files {
			if suspects := scan(c, f.Path); len(suspects) > 0 {
				found = append(found, r.at(f.Path, 0, 0, "in the path: "+suspects[0].what))
			}
			seen := map[[2]int]bool{}
			for _, text := range secretTexts(f) {
				for _, s := range scan(c, text.text) {
					line, column := text.place(s.offset)
					if !seen[[2]int{line, column}] {
						seen[[2]int{line, column}] = true
						found = append(found, r.at(f.Path, line, column, s.what))
					}
				}
			}
			if len(seen) == 0 {
				found = append(found, madeSecrets(r, c, f, scan)...)
			}
		}
		return found
	}
	return r
}

// madeSecrets scans the texts that a file newly makes of constants, such as ["gh", "p_…"].join(""), which no line holds.
func madeSecrets(r Rule, c *Change, f *File, scan func(c *Change, text string) []suspect) []Finding {
	made := c.fresh(f, func(fact source.Fact) bool {
		switch fact.Kind {
		case source.String, source.Probe, source.Index, source.Key:
			return len(scan(c, fact.Name)) > 0
		}
		return false
	})
	var found []Finding
	for _, u := range made {
		found = append(found, r.at(f.Path, u.Line, 0, "put together, "+scan(c, u.Name)[0].what))
	}
	return found
}

// suspect is a place in a text at which a secret may stand.
type suspect struct {
	offset int // in bytes
	what   string
}
