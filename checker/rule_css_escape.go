package checker

import "selffix/checker/style"

func ruleCSSEscape() Rule {
	return styleRule(Rule{
		ID:    "SF-CSS-002",
		Kind:  "css-escape",
		Title: "Escape outside of a string",
		Why:   "\\75 rl(…) is url(…), and url(\"/\\2f host\") is an address of another site. An escape belongs in a string that is shown, such as content: \"\\2014\".",
		File:  "rule_css_escape",
	}, func(_ *Change, fact style.Fact) string {
		if fact.Kind == style.Escape {
			return "a backslash stands outside of a string, or in an address"
		}
		return ""
	})
}
