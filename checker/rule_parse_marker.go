package checker

const idParseMarker RuleID = "SF-PARSE-007"

func ruleParseMarker() Rule {
	return Rule{
		ID:    idParseMarker,
		Kind:  "parse-marker",
		Title: "No-newline marker out of place",
		Why:   "A marker between two added lines makes git join them: the result then holds a line, such as a forbidden word, that no line of the patch shows, with equal counts (reported as mitre/hipcheck#560). Only git's exact text behind a side's last line is read.",
		File:  "rule_parse_marker",
	}
}
