package checker

const idOpMode RuleID = "SF-OP-006"

func ruleOpMode() Rule {
	return Rule{
		ID:    idOpMode,
		Kind:  "op-mode",
		Title: "File mode other than 100644",
		Why:   "git sets a mode from a \"new mode\" line that apply --numstat --summary does not show, and only warns about a mode in the index line. The raw difference of the index is asked.",
		File:  "rule_op_mode",
	}
}
