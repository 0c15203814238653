package checker

const idOpRename RuleID = "SF-OP-001"

func ruleOpRename() Rule {
	return Rule{
		ID:        idOpRename,
		Kind:      "op-rename",
		Title:     "Renamed file",
		Why:       "A rename takes a file away and may put another in place of a protected one.",
		Redundant: []RuleID{idOpDelete},
		File:      "rule_op_rename",
	}
}
