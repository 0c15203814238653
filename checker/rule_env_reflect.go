package checker

import "selffix/checker/source"

func ruleEnvReflect() Rule {
	r := Rule{
		ID:    "SF-ENV-007",
		Kind:  "env-reflect",
		Title: "Reflection",
		Why: "Reflect, Proxy, property descriptors, prototypes, call sites and new.target lead from any object to the maker of functions, without its name in the text. " +
			"A with statement makes every name a lookup.",
		File: "rule_env_reflect",
	}
	return factRule(r, func(_ *Change, _ *File, fact source.Fact) string {
		switch {
		case fact.Kind == source.Syntax && fact.Name == "too much to work out":
			return "the file holds more nested expressions than can be worked out"
		case fact.Kind == source.Syntax && fact.Name != "debugger":
			return "with and new.target are not allowed"
		case factKind(fact) == r.Kind:
			return "the code looks into objects from outside, which leads to the maker of functions"
		}
		return ""
	})
}
