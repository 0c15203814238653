package checker

import "selffix/checker/style"

func ruleCSSParse() Rule {
	return styleRule(Rule{
		ID:    "SF-CSS-005",
		Kind:  "css-parse",
		Title: "Style sheet that cannot be read with certainty",
		Why:   "A string, address or comment without an end, or an HTML comment, is repaired by each reader in its own way: what follows may be text for one and a rule for the next.",
		File:  "rule_css_parse",
	}, func(_ *Change, fact style.Fact) string {
		if fact.Kind == style.Broken {
			return "a string, address or comment has no end"
		}
		return ""
	})
}
