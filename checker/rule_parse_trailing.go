package checker

const idParseTrailing RuleID = "SF-PARSE-008"

func ruleParseTrailing() Rule {
	return Rule{
		ID:    idParseTrailing,
		Kind:  "parse-trailing",
		Title: "Text between or behind the files",
		Why:   "Readers skip what follows a complete hunk, or take it for a traditional patch without \"diff --git\" that a gate never sees (PrimeIntellect-ai/prime-agent#2449).",
		File:  "rule_parse_trailing",
	}
}
