package checker

const idOpSymlink RuleID = "SF-OP-004"

func ruleOpSymlink() Rule {
	return Rule{
		ID:    idOpSymlink,
		Kind:  "op-symlink",
		Title: "Symbolic link",
		Why:   "A link with the name of a source file reads or writes another file (CVE-2023-23946). An edit of a link that the base has shows no mode at all (hyperlocalise/hyperlocalise#2073), so the base is asked.",
		File:  "rule_op_symlink",
	}
}
