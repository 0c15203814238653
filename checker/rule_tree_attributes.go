package checker

const idTreeAttributes RuleID = "SF-TREE-002"

func ruleTreeAttributes() Rule {
	return Rule{
		ID:    idTreeAttributes,
		Kind:  "tree-attributes",
		Title: "Attributes that change bytes or hide the change",
		Why:   "With filter, working-tree-encoding, ident, eol=crlf or export-subst a checkout writes other bytes than the blob that was judged: under working-tree-encoding=ISO-2022-JP, letters in a string became code. With -diff, binary or linguist-generated a reviewer is shown no change. A .gitattributes that a checkout reads and others do not (a byte order mark, a NUL, a link, .GitAttributes) is refused whole.",
		File:  "rule_tree_attributes",
	}
}
