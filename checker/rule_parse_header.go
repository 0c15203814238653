package checker

const idParseHeader RuleID = "SF-PARSE-005"

func ruleParseHeader() Rule {
	return Rule{
		ID:    idParseHeader,
		Kind:  "parse-header",
		Title: "Header that git does not write",
		Why:   "git ends a name at CR or NUL, keeps the names of an earlier header, strips any prefix and falls back to a traditional patch after an unknown line; go-gitdiff does none of these, so each looser header makes the two edit different files.",
		File:  "rule_parse_header",
	}
}
