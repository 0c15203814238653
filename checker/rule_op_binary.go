package checker

const idOpBinary RuleID = "SF-OP-007"

func ruleOpBinary() Rule {
	return Rule{
		ID:    idOpBinary,
		Kind:  "op-binary",
		Title: "Binary file",
		Why:   "Nobody can review it, and its packed form unpacks to a thousand times its size.",
		File:  "rule_op_binary",
	}
}
