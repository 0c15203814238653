package checker

func characterRules() []Rule {
	return []Rule{}
}
