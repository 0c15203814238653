package checker

const idOpGitlink RuleID = "SF-OP-005"

func ruleOpGitlink() Rule {
	return Rule{
		ID:        idOpGitlink,
		Kind:      "op-gitlink",
		Title:     "Submodule",
		Why:       "A submodule is code of another repository that no line of the patch shows.",
		Redundant: []RuleID{"SF-CODE-001"}, // the line that stands for a commit is no TypeScript
		File:      "rule_op_gitlink",
	}
}
