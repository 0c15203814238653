package checker

func ruleWebStorage() Rule {
	return namedRule(Rule{
		ID:    "SF-WEB-002",
		Kind:  "web-storage",
		Title: "Cookies and stored data",
		Why:   "document.cookie, localStorage, sessionStorage, indexedDB and caches hold what identifies a visitor. A fix that needs them is for a person to write.",
		File:  "rule_web_storage",
	}, "the code reads or writes what the browser stores")
}
