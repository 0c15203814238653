package checker

import (
	"selffix/checker/source"
	"selffix/internal/lazyregexp"
)

func ruleCodeIdentifier() Rule {
	return withLines(factRule(Rule{
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
	}), func(_ *Change, line string) (int, string) {
		if m := foreignType.FindStringIndex(line); m != nil {
			return m[0], "the name of a type holds a letter outside ASCII"
		}
		return 0, ""
	})
}

// foreignType is a declaration of a type, or an import of some: they are gone when the code is read.
var foreignType = lazyregexp.New(`^\s*(?:export\s+)?(?:declare\s+)?(?:(?:type|interface|enum|namespace)\s+[\w$]*[^\x00-\x7f][^\s=<{]*\s*[=<{]|(?:import|export)\s+type\b[^"'\x60]*[^\x00-\x7f])`)
