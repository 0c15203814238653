package checker

func styleRules() []Rule {
	return []Rule{ruleCSSRemote(), ruleCSSEscape(), ruleCSSScript(), ruleCSSBuild(), ruleCSSParse()}
}
