package checker

func sizeRules() []Rule {
	return []Rule{ruleSizeLines(), ruleSizeBytes(), ruleSizeLine(), ruleSizeBlanks(), ruleSizeFile()}
}
