package checker

func styleRules() []Rule {
	return []Rule{}
}
