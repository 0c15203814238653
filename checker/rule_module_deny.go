package checker

func ruleModuleDeny() Rule {
	return moduleRule(Rule{
		ID:    "SF-MODULE-004",
		Kind:  "module-deny",
		Title: "Import that is not on the list",
		Why: "A package reaches whatever its code does: next/headers reads cookies, server-only marks a server module. A patch may import packages of the list, those that the " +
			"file imports already, and files below the roots that the policy names; a query, a loader or an escape in the name is refused.",
		Policy: "code.imports",
		File:   "rule_module_deny",
	}, "the import names a package that is not on the list, or a file outside of the roots")
}
