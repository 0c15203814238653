package checker

const idGitRefuses RuleID = "SF-GIT-001"

func ruleGitRefuses() Rule {
	return Rule{
		ID:        idGitRefuses,
		Kind:      "git-differs",
		Title:     "git does not apply the patch",
		Why:       "git is what pushes in the end. A patch that it calls corrupt, refuses or dies over is not read as the others read it.",
		Redundant: []RuleID{idParseEnd, idTreeBase},
		File:      "rule_git_refuses",
	}
}
