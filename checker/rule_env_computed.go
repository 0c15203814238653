package checker

import (
	"strings"

	"selffix/checker/source"
)

func ruleEnvComputed() Rule {
	return factRule(Rule{
		ID:    "SF-ENV-003",
		Kind:  "env-computed",
		Title: "Computed key that may be a forbidden name",
		Why: "x[\"constr\" + \"uctor\"] is x.constructor: any object leads to the maker of functions from text, and from there to the environment. A key in brackets is " +
			"worked out as far as it is known; a number, a plain name, or a text that cannot become a forbidden name passes.",
		File: "rule_env_computed",
	}, func(_ *Change, _ *File, fact source.Fact) string {
		switch {
		case fact.Kind == source.Index && nameKind(fact.Name) != "":
			return "the key in brackets is a name that may not be used"
		case fact.Kind == source.Key && mayBeForbidden(fact.Name):
			return "the key in brackets is put together and could become a name that may not be used; use a plain name, a number or a fixed text"
		}
		return ""
	})
}

// builtNames are the names that are worth building: each alone leads to code from text, to the environment or to markup.
var builtNames = []string{
	"constructor", "__proto__", "prototype", "eval", "Function", "process", "globalThis", "require", "cookie", "innerHTML",
}

// mayBeForbidden reports whether a text with holes can become a forbidden name. Two letters that fit prove nothing, `c${i}` names a cell,
// unless the rest is put together as well: two holes side by side.
func mayBeForbidden(shape string) bool {
	letters := strings.ReplaceAll(shape, source.Hole, "")
	if letters == "" {
		return true
	}
	if len(letters) < 3 && !strings.Contains(shape, source.Hole+source.Hole) {
		return false
	}
	for _, name := range builtNames {
		if fits(shape, name) {
			return true
		}
	}
	return false
}

// fits reports whether shape becomes name when its holes are filled.
func fits(shape, name string) bool {
	parts := strings.Split(shape, source.Hole)
	rest, ok := strings.CutPrefix(name, parts[0])
	if !ok {
		return false
	}
	for i, p := range parts[1:] {
		if i == len(parts)-2 {
			return strings.HasSuffix(rest, p)
		}
		at := strings.Index(rest, p)
		if at < 0 {
			return false
		}
		rest = rest[at+len(p):]
	}
	return rest == ""
}
