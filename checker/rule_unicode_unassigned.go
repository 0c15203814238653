package checker

import "selffix/checker/codepoint"

func ruleUnicodeUnassigned() Rule {
	return characterRule(Rule{
		ID:    "SF-UNICODE-004",
		Kind:  "unicode-unassigned",
		Title: "Character without an agreed meaning",
		Why: "Private use characters, noncharacters and code points that the checker's Unicode version (15.0) does not assign look " +
			"different, or like nothing, from one machine to the next, and a later version may give them a meaning. U+FFFC and U+FFFD stand " +
			"for something that is not there.",
		File: "rule_unicode_unassigned",
	}, codepoint.Unassigned, "a character without an agreed meaning")
}
