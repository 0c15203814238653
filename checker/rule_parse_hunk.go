package checker

const idParseHunk RuleID = "SF-PARSE-006"

func ruleParseHunk() Rule {
	return Rule{
		ID:    idParseHunk,
		Kind:  "parse-hunk",
		Title: "Hunk that git does not write",
		Why:   "git searches a hunk's place from the new position and wraps numbers at 2^32, go-gitdiff takes the old position; without context git appends to the end. Positions must add up, in order, with the counted lines.",
		File:  "rule_parse_hunk",
	}
}
