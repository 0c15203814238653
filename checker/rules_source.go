package checker

func sourceRules() []Rule {
	return []Rule{
		ruleEnvName(), ruleEnvEscape(), ruleEnvComputed(), ruleEnvObject(), ruleEnvThis(), ruleEnvConstructor(), ruleEnvReflect(), ruleEnvImportMeta(),
		ruleCodeParse(), ruleCodeIdentifier(), ruleCodeEval(), ruleCodeTimer(), ruleCodeFunction(), ruleCodeRequire(), ruleCodeImport(), ruleCodeParts(),
		ruleModuleNode(), ruleModuleEnv(), ruleModuleDB(), ruleModuleDeny(),
		ruleDirectiveServer(), ruleNetRemote(), ruleNetChannel(), ruleWebHTML(), ruleWebStorage(),
		ruleCommentPragma(), ruleSegmentConfig(), ruleSegmentMethod(), ruleBotDetect(),
	}
}
