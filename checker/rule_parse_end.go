package checker

const idParseEnd RuleID = "SF-PARSE-003"

func ruleParseEnd() Rule {
	return Rule{
		ID:    idParseEnd,
		Kind:  "parse-end",
		Title: "Last line without a line ending",
		Why:   "git calls such a patch corrupt, go-gitdiff reads it. A cut-off patch looks the same.",
		File:  "rule_parse_end",
	}
}
