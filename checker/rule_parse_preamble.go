package checker

const idParsePreamble RuleID = "SF-PARSE-004"

func ruleParsePreamble() Rule {
	return Rule{
		ID:    idParsePreamble,
		Kind:  "parse-preamble",
		Title: "Text before the first file",
		Why:   "A mail header, a byte order mark or prose before the diff hides a first file from one reader, or carries a second diff. The first bytes must be \"diff --git \".",
		File:  "rule_parse_preamble",
	}
}
