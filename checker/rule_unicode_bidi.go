package checker

import "selffix/checker/codepoint"

func ruleUnicodeBidi() Rule {
	return characterRule(Rule{
		ID:    "SF-UNICODE-001",
		Kind:  "unicode-bidi",
		Title: "Text direction character",
		Why: "A character that changes the direction of text makes code read otherwise than it runs (Trojan Source, CVE-2021-42574). " +
			"All twelve of Unicode's Bidi_Control are refused; many tools forget U+061C, U+200E and U+200F. Arabic and Hebrew letters pass.",
		File: "rule_unicode_bidi",
	}, codepoint.Bidi, "a text direction character")
}
