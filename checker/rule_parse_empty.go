package checker

const idParseEmpty RuleID = "SF-PARSE-001"

func ruleParseEmpty() Rule {
	return Rule{
		ID:        idParseEmpty,
		Kind:      "parse-empty",
		Title:     "Patch without a change",
		Why:       "A patch that no reader finds a file in is read in three ways: go-gitdiff returns no files and no error, git exits with an error, and a gate that counts files counts none.",
		Redundant: []RuleID{idGitRefuses, idGitdiffRefuses, idParsePreamble},
		File:      "rule_parse_empty",
	}
}
