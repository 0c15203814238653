package checker

import "selffix/internal/lazyregexp"

func ruleModuleEnv() Rule {
	r := moduleRule(Rule{
		ID:    "SF-MODULE-002",
		Kind:  "module-env",
		Title: "Import of the environment's module",
		Why: "The module that holds the server's environment is called env. Its path is compared decoded, without query and ending, whether it is imported, re-exported or imported for its " +
			"effects. A quoted path that ends in /env is refused anywhere in an added line. A file that imports it already may not import more of it.",
		File: "rule_module_env",
	}, "the import names a module called env")
	return withWords(r, func(_ *Change, line string) (int, string) {
		if m := quotedEnv.FindStringIndex(line); m != nil {
			return m[0], "the line holds a quoted path that ends in /env"
		}
		return 0, ""
	})
}

var quotedEnv = lazyregexp.New("[\"'`][^\"'`]*/env(?:\\.[a-z]+)?[\"'`]")
