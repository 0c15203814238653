package checker

const idGitdiffRefuses RuleID = "SF-GIT-004"

func ruleGitGitdiff() Rule {
	return Rule{
		ID:        idGitdiffRefuses,
		Kind:      "git-differs",
		Title:     "go-gitdiff cannot read or apply the patch",
		Why:       "A second reader, written by others and in another language than git, must come to the same result; where it cannot, there is nothing to compare.",
		Redundant: []RuleID{idParsePlace},
		File:      "rule_git_gitdiff",
	}
}
