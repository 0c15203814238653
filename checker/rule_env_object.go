package checker

import "selffix/checker/source"

func ruleEnvObject() Rule {
	return factRule(Rule{
		ID:    "SF-ENV-004",
		Kind:  "env-computed",
		Title: "The global object as a value",
		Why: "Whoever holds the global object reaches everything on it under a name built at run time: Object.values(self), window[key], const w = window. It may be used " +
			"through its plain members only, each of which is on a list; self, frames, top, parent and opener are other names of it.",
		File: "rule_env_object",
	}, func(_ *Change, _ *File, fact source.Fact) string {
		switch {
		case fact.Kind == source.Index:
			return "" // see the rule on computed keys
		case fact.Kind == source.Bare && (fact.Name == "window" || fact.Name == "navigator" || fact.Name == "document" || fact.Name[len(fact.Name)-1] == ']'):
			return "the object may be used through its plain members only, not passed on, looked up or gone through"
		case factKind(fact) == "env-computed":
			return "the name leads to the global object, or is a member of it that is not on the list"
		}
		return ""
	})
}
