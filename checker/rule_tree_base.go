package checker

const idTreeBase RuleID = "SF-TREE-001"

func ruleTreeBase() Rule {
	return Rule{
		ID:        idTreeBase,
		Kind:      "tree-base",
		Title:     "Path that does not fit the base",
		Why:       "An edit wants a file in the base, a new file wants nothing at its path and no file above it. git apply --numstat and --check pass some of these and apply then fails half-way.",
		Redundant: []RuleID{idGitRefuses, idGitdiffRefuses, idParsePlace},
		File:      "rule_tree_base",
	}
}
