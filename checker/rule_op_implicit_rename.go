package checker

const idOpImplicitRename RuleID = "SF-OP-008"

func ruleOpImplicitRename() Rule {
	return Rule{
		ID:        idOpImplicitRename,
		Kind:      "op-implicit-rename",
		Title:     "Two names without rename lines",
		Why:       "git deletes the file of the --- line and overwrites that of the +++ line; go-gitdiff sees an edit of the second (TanStack/ai#1380).",
		Redundant: []RuleID{idOpDelete, idGitFiles},
		File:      "rule_op_implicit_rename",
	}
}
