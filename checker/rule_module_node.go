package checker

func ruleModuleNode() Rule {
	return moduleRule(Rule{
		ID:    "SF-MODULE-001",
		Kind:  "module-node",
		Title: "Module of Node, or a module by address",
		Why:   "fs, net, child_process and the rest of Node reach files, the network and the environment; createRequire from node:module reaches all of them. The same with and without node:.",
		File:  "rule_module_node",
	}, "the import names a module of Node, or an address")
}
