package checker

const idParseEncoding RuleID = "SF-PARSE-002"

func ruleParseEncoding() Rule {
	return Rule{
		ID:    idParseEncoding,
		Kind:  "parse-encoding",
		Title: "Bytes that are not UTF-8, or NUL",
		Why:   "git cuts a name at a NUL byte and edits another file than go-gitdiff reads; bytes that are not UTF-8 become U+FFFD in one reader and stay in the other.",
		File:  "rule_parse_encoding",
	}
}
