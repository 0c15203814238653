package checker

// readingRules are the rules on how a patch is read: its text, the operations that it holds, whether all readers agree, and what the
// base holds at its paths. Those without a Check report while the patch is read.
func readingRules() []Rule {
	return []Rule{
		ruleParseEmpty(), ruleParseEncoding(), ruleParseEnd(), ruleParsePreamble(), ruleParseHeader(), ruleParseHunk(), ruleParseMarker(),
		ruleParseTrailing(), ruleParseDuplicate(), ruleParsePlace(),
		ruleOpRename(), ruleOpCopy(), ruleOpDelete(), ruleOpSymlink(), ruleOpGitlink(), ruleOpMode(), ruleOpBinary(), ruleOpImplicitRename(),
		ruleGitRefuses(), ruleGitFiles(), ruleGitBytes(), ruleGitGitdiff(), ruleGitVersions(),
		ruleTreeBase(), ruleTreeAttributes(), ruleTreeLFS(), ruleTreeLineEndings(), ruleTreeBOM(),
	}
}
