package checker

import "slices"

// Rules lists every rule, ordered by area and number. A rule lives in a file of its own, rule_NAME.go, with its
// examples beside it in rule_NAME.txtar; the list of its area names it.
func Rules() []Rule {
	return slices.Concat(
		readingRules(), pathRules(), sizeRules(), secretRules(), characterRules(), sourceRules(), styleRules(),
	)
}
