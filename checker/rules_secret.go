package checker

func secretRules() []Rule {
	return []Rule{ruleSecretShape(), ruleSecretURL(), ruleSecretName(), ruleSecretEntropy()}
}

// secretRule scans everything that a patch adds: the paths, each added line, and the lines once more with their
// string pieces put together. A finding says what was seen and where, and never the text itself: findings are
// printed in public logs.
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
		}
		return found
	}
	return r
}

// suspect is a place in a text at which a secret may stand.
type suspect struct {
	offset int // in bytes
	what   string
}
