package checker

import "fmt"

func ruleCodeParse() Rule {
	r := Rule{
		ID:    "SF-CODE-001",
		Kind:  "code-parse",
		Title: "File that cannot be parsed with certainty",
		Why: "What cannot be parsed cannot be judged. It is refused too when it is nested so deep that a parser would run out of time or memory, or needs syntax that one of the two " +
			"parsers does not know (import attributes, import defer).",
		File: "rule_code_parse",
	}
	r.Check = func(c *Change) []Finding {
		c.sources()
		var found []Finding
		for _, f := range c.Files {
			if f.source != nil && f.source.err != nil {
				found = append(found, r.at(f.Path, 0, 0, fmt.Sprintf("the changed file %v", f.source.err)))
			}
		}
		return found
	}
	return r
}
