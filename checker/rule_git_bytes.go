package checker

const idGitBytes RuleID = "SF-GIT-003"

func ruleGitBytes() Rule {
	return Rule{
		ID:        idGitBytes,
		Kind:      "git-differs",
		Title:     "git makes other bytes",
		Why:       "With equal files and counts the result may still differ: git searches a hunk's place from the other end. Each resulting blob must have the bytes that go-gitdiff makes.",
		Redundant: []RuleID{idParseHunk},
		File:      "rule_git_bytes",
	}
}
