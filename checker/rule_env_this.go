package checker

import "selffix/checker/source"

func ruleEnvThis() Rule {
	return factRule(Rule{
		ID:    "SF-ENV-005",
		Kind:  "env-this",
		Title: "this outside of a class",
		Why:   "In code that is not strict, this is the global object in every function that is called plainly. Inside a class it never is.",
		File:  "rule_env_this",
	}, func(_ *Change, _ *File, fact source.Fact) string {
		if fact.Kind == source.This {
			return "this is used outside of a class"
		}
		return ""
	})
}
