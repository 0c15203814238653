package checker

func ruleCodeRequire() Rule {
	return withWords(namedRule(Rule{
		ID:    "SF-CODE-006",
		Kind:  "code-require",
		Title: "CommonJS",
		Why:   "require loads any module under a name built at run time; module, exports, __dirname and __filename lead to it. import x = require() is the same. Imports stand at the top of the file.",
		File:  "rule_code_require",
	}, "the code uses a name of CommonJS"), func(_ *Change, line string) (int, string) {
		return callOf(line, "require")
	})
}
