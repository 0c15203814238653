package checker

const idOpDelete RuleID = "SF-OP-003"

func ruleOpDelete() Rule {
	return Rule{
		ID:    idOpDelete,
		Kind:  "op-delete",
		Title: "Deleted file",
		Why:   "A deletion can take a check or a test away. \"+++ /dev/null\" deletes as well, and git then writes a file dev/null.",
		File:  "rule_op_delete",
	}
}
