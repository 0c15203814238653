package checker

const idTreeAttributes RuleID = "SF-TREE-002"

func ruleTreeAttributes() Rule {
	return Rule{
		ID:    idTreeAttributes,
		Kind:  "tree-attributes",
		Title: "Attributes that change bytes",
		Why:   "With filter, working-tree-encoding, ident, eol=crlf or export-subst a checkout writes other bytes than the blob that was judged: under working-tree-encoding=ISO-2022-JP, letters in a string became code.",
		File:  "rule_tree_attributes",
	}
}
