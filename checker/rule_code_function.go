package checker

func ruleCodeFunction() Rule {
	return withWords(namedRule(Rule{
		ID:    "SF-CODE-005",
		Kind:  "code-function",
		Title: "The maker of functions",
		Why:   "Function(\"return process\")() runs text as code outside of every scope. The name is refused as a value; as a type it is let through. A call is refused in comments and text too.",
		File:  "rule_code_function",
	}, "the code names the maker of functions"), func(_ *Change, line string) (int, string) {
		return callOf(line, "Function")
	})
}
