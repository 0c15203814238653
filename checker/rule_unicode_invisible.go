package checker

import "selffix/checker/codepoint"

func ruleUnicodeInvisible() Rule {
	return characterRule(Rule{
		ID:    "SF-UNICODE-002",
		Kind:  "unicode-invisible",
		Title: "Invisible character",
		Why: "What nobody can see, nobody reviews: variation selectors carry a hidden byte each (GlassWorm, 2025), tags carry hidden ASCII, " +
			"Hangul fillers are identifiers without a glyph. Refused are all default-ignorable and format characters, and every blank but " +
			"U+0020, TAB and U+3000. Emoji of one code point pass; emoji joined by U+200D or followed by U+FE0F do not.",
		File: "rule_unicode_invisible",
	}, codepoint.Invisible, "invisible")
}
