package checker

import "selffix/checker/codepoint"

func ruleUnicodeControl() Rule {
	return characterRule(Rule{
		ID:    "SF-UNICODE-003",
		Kind:  "unicode-control",
		Title: "Control character",
		Why: "Control characters act on the reviewer's terminal, and a carriage return inside a line, U+2028 and U+2029 end a JavaScript " +
			"comment inside what looks like one line. Only TAB passes.",
		File: "rule_unicode_control",
	}, codepoint.Control, "a control character")
}
