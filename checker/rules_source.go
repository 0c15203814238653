package checker

func sourceRules() []Rule {
	return []Rule{}
}
