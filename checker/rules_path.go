package checker

func pathRules() []Rule {
	return []Rule{
		rulePathChars(), rulePathDot(), rulePathOutside(), rulePathSecurity(), rulePathShadow(), rulePathNewRoute(),
		rulePathSpecial(), rulePathTests(), rulePathConfig(), rulePathAgentDoc(), rulePathNodeModules(), rulePathCollision(),
	}
}
