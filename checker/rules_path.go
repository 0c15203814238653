package checker

func pathRules() []Rule {
	return []Rule{}
}
