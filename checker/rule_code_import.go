package checker

import "selffix/checker/source"

func ruleCodeImport() Rule {
	return withWords(factRule(Rule{
		ID:    "SF-CODE-007",
		Kind:  "code-import",
		Title: "Dynamic import",
		Why: "import(…) loads a module under a name built at run time, over the network too, and a comment in it (webpackIgnore) keeps the bundler from seeing it. Found in the " +
			"parsed code over line ends and comments, and as words in any added line.",
		File: "rule_code_import",
	}, func(_ *Change, _ *File, fact source.Fact) string {
		if fact.Kind == source.DynamicImport || factKind(fact) == "code-import" {
			return "the code imports a module while it runs"
		}
		return ""
	}), func(_ *Change, line string) (int, string) {
		return callOf(line, "import")
	})
}
