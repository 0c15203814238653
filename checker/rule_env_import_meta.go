package checker

import (
	"selffix/checker/source"
	"selffix/internal/lazyregexp"
)

func ruleEnvImportMeta() Rule {
	r := factRule(Rule{
		ID:    "SF-ENV-008",
		Kind:  "env-import-meta",
		Title: "import.meta",
		Why:   "import.meta.env is the environment in several bundlers, and import.meta.url the way to files. Found in the parsed code over line ends, and as words in any added line.",
		File:  "rule_env_import_meta",
	}, func(_ *Change, _ *File, fact source.Fact) string {
		if fact.Kind == source.Meta {
			return "the code uses import.meta"
		}
		return ""
	})
	return withWords(r, func(_ *Change, line string) (int, string) {
		if m := importMeta.FindStringIndex(line); m != nil {
			return m[0], "the line holds import.meta"
		}
		return 0, ""
	})
}

var importMeta = lazyregexp.New(`\bimport\s*\.\s*meta\b`)
