package checker

const idGitFiles RuleID = "SF-GIT-002"

func ruleGitFiles() Rule {
	return Rule{
		ID:        idGitFiles,
		Kind:      "git-differs",
		Title:     "git reads other files or line counts",
		Why:       "Before applying, the checker confirms that git reads the patch the same way it does: same files, same line counts. The raw difference of the index is compared, since apply --numstat shows only one name of an implicit rename.",
		Redundant: []RuleID{idParseHeader, idGitBytes},
		File:      "rule_git_files",
	}
}
