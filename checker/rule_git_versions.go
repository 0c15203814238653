package checker

const idGitVersions RuleID = "SF-GIT-005"

func ruleGitVersions() Rule {
	return Rule{
		ID:    idGitVersions,
		Kind:  "git-differs",
		Title: "Text that versions of git read differently",
		Why: "Four forms in 234 were read differently by git 2.39 and its master of 2026. The git that judges is not the one that a reviewer or a " +
			"later run uses, so such forms are refused whatever this git makes of them.",
		Redundant: []RuleID{idParseMarker, idOpMode},
		File:      "rule_git_versions",
	}
}
