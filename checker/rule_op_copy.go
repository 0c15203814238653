package checker

const idOpCopy RuleID = "SF-OP-002"

func ruleOpCopy() Rule {
	return Rule{
		ID:    idOpCopy,
		Kind:  "op-copy",
		Title: "Copied file",
		Why:   "A copy brings content into a new place that no line of the patch shows.",
		File:  "rule_op_copy",
	}
}
