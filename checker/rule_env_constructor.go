package checker

import "selffix/checker/source"

func ruleEnvConstructor() Rule {
	const message = "the code names constructor, prototype or __proto__"
	words := func(_ *Change, line string) (int, string) {
		for _, word := range []string{"constructor", "__proto__"} {
			if i := wordAt(line, word); i >= 0 {
				return i, "the line, or a text in it, holds the word constructor or __proto__"
			}
		}
		return 0, ""
	}
	return withWords(factRule(Rule{
		ID:    "SF-ENV-006",
		Kind:  "env-constructor",
		Title: "constructor, prototype or __proto__",
		Why: "(() => {}).constructor makes functions from text. The word constructor is refused anywhere in an added line, in a class as well: initialise fields where they are " +
			"declared. In the parsed code the three are refused as property, key and text, with their escapes undone.",
		File: "rule_env_constructor",
	}, func(c *Change, _ *File, fact source.Fact) string {
		if factKind(fact) == "env-constructor" {
			return message
		}
		if fact.Kind == source.String { // a text that is joined: '{"__pro' + 'to__": 1}'
			_, found := words(c, fact.Name)
			return found
		}
		return ""
	}), words)
}
