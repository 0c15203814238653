package checker

const idParseDuplicate RuleID = "SF-PARSE-009"

func ruleParseDuplicate() Rule {
	return Rule{
		ID:    idParseDuplicate,
		Kind:  "parse-duplicate",
		Title: "One file twice",
		Why:   "Two diffs of one file build on each other in git and stand side by side in other readers; in two spellings they meet on macOS and Windows.",
		File:  "rule_parse_duplicate",
	}
}
