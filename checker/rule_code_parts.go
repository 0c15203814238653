package checker

import (
	"encoding/base64"
	"slices"
	"strings"

	"selffix/checker/source"
)

func ruleCodeParts() Rule {
	r := Rule{
		ID:    "SF-CODE-008",
		Kind:  "env-computed",
		Title: "Forbidden name in parts",
		Why: "A name that is put together while the program runs, by a function or from an argument, is not known before. Its parts are: texts that give constructor, __proto__, " +
			"globalThis and the like when they are put one after the other, read backwards or decoded are refused.",
		File: "rule_code_parts",
	}
	r.Check = func(c *Change) []Finding {
		var found []Finding
		for _, f := range c.Files {
			c.sources()
			if f.source == nil || f.source.result == nil {
				continue
			}
			odd := oddParts(f.source.result)
			for _, u := range c.fresh(f, func(fact source.Fact) bool { return fact.Kind == source.String && odd[fact.Name] }) {
				found = append(found, r.at(f.Path, u.Line, 0, "the text is a part of a name that may not be used, and the file holds the other parts"))
			}
		}
		return found
	}
	return r
}

// partWords are parts of forbidden names that are words of their own: they prove nothing alone.
var partWords = setOf("pro to type con or val re ire quire func on global this inner HTML HT ML cook ie proto process Fun act ion tion ess in er")

// oddParts are the texts of a file that make up a forbidden name together, without the common words among them.
func oddParts(facts *source.Facts) map[string]bool {
	have := map[string]bool{}
	facts.Each(source.String, func(s string) {
		if len(s) > 1 && len(s) <= 24 {
			have[s] = true
		}
	})
	odd := map[string]bool{}
	for _, name := range builtNames {
		for _, whole := range disguises(name) {
			if have[whole] {
				odd[whole] = true
			}
		}
		for _, most := range []string{name[1:], name[:len(name)-1]} {
			if have[most] && len(most) > 3 { // one letter is found anywhere: "c" + tail
				odd[most] = true
			}
		}
		for _, p := range partsOf(name, have) {
			if len(p) > 1 && !partWords[p] {
				odd[p] = true
			}
		}
	}
	return odd
}

// disguises are other spellings of a name, of one text each.
func disguises(name string) []string {
	letters := []byte(name)
	slices.Reverse(letters)
	coded := base64.StdEncoding.EncodeToString([]byte(name))
	return []string{string(letters), coded, strings.TrimRight(coded, "=")}
}

// partsOf are texts of have that give name when put one after the other, at least two, or none.
func partsOf(name string, have map[string]bool) []string {
	var split func(rest string) []string
	split = func(rest string) []string {
		for n := len(rest); n > 1; n-- {
			if n == len(name) || !have[rest[:n]] {
				continue
			}
			if n == len(rest) {
				return []string{rest}
			}
			if more := split(rest[n:]); more != nil {
				return append(more, rest[:n])
			}
		}
		return nil
	}
	return split(name)
}
