package checker

func ruleModuleDB() Rule {
	return moduleRule(Rule{
		ID:     "SF-MODULE-003",
		Kind:   "module-db",
		Title:  "Import from a security folder",
		Why:    "Only files that import the database already may do so: a page that gets it newly can show any table. Paths are resolved, relative ones and aliases alike.",
		Policy: "paths.security_folders",
		File:   "rule_module_db",
	}, "the import lands in a security folder, which this file did not import before")
}
