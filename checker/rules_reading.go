package checker

func readingRules() []Rule {
	return []Rule{}
}
