package checker

func secretRules() []Rule {
	return []Rule{}
}
