package checker

import (
	"strings"

	"selffix/checker/style"
)

func ruleCSSParse() Rule {
	return withLinesOf(styleRule(Rule{
		ID:    "SF-CSS-005",
		Kind:  "css-parse",
		Title: "Style sheet that cannot be read with certainty",
		Why: "A string, address, comment or block without an end, an end without a block, or an HTML comment, is repaired by each reader in its own way: what follows may be text for " +
			"one and a rule for the next.",
		File: "rule_css_parse",
	}, func(_ *Change, fact style.Fact) string {
		if fact.Kind == style.Broken {
			return "a string, address, comment or block has no end, or an end has no block"
		}
		return ""
	}), isSheet, func(_ *Change, line string) (int, string) {
		if strings.HasPrefix(line, "<<<<<<<") || strings.HasPrefix(line, ">>>>>>>") {
			return 0, "the line is the mark of a merge conflict"
		}
		return 0, ""
	})
}
