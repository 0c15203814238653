package checker

const idParsePlace RuleID = "SF-PARSE-010"

func ruleParsePlace() Rule {
	return Rule{
		ID:        idParsePlace,
		Kind:      "parse-hunk",
		Title:     "Hunk that does not stand in the base",
		Why:       "Every context and removed line must stand in the base exactly at the named line, its line ending included: else git may find the lines elsewhere, or continue a last line that has no line ending. A hunk that ends without context must end the file: that is where git looks for it.",
		Redundant: []RuleID{idGitRefuses, idGitdiffRefuses},
		File:      "rule_parse_place",
	}
}
