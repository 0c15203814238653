package checker

func sizeRules() []Rule {
	return []Rule{}
}
