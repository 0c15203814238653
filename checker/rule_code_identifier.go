package checker

import "selffix/checker/source"

func ruleCodeIdentifier() Rule {
	return factRule(Rule{
		ID:    "SF-CODE-002",
		Kind:  "code-identifier",
		Title: "Identifier with letters outside ASCII",
		Why:   "The Cyrillic letter in s\u0441ope looks like a c: two names that a reader takes for one. Text in any language belongs in strings, comments and JSX.",
		File:  "rule_code_identifier",
	}, func(_ *Change, _ *File, fact source.Fact) string {
		if fact.Kind == source.Foreign {
			return "an identifier holds a letter outside ASCII"
		}
		return ""
	})
}
