package checker

import (
	"math"
	"strings"

	"selffix/internal/lazyregexp"
)

func ruleSecretEntropy() Rule {
	return secretRule(Rule{
		ID:    "SF-SECRET-004",
		Kind:  "secret-entropy",
		Title: "Long random run",
		Why: "Most secrets have no prefix: they are long runs of hexadecimal or base64 characters. Words, identifiers, slugs, UUIDs, data " +
			"paths, class names and integrity hashes of the right length are told from them by their parts, their mix of characters and " +
			"their entropy.",
		File: "rule_secret_entropy",
	}, func(_ *Change, text string) []suspect {
		if longestRun(text) < minRun {
			return nil
		}
		text = integrity.ReplaceAllStringFunc(text, func(s string) string { return strings.Repeat(" ", len(s)) })
		var out []suspect
		for _, at := range hexRun.FindAllStringIndex(text, -1) {
			if hexSecret(text[at[0]:at[1]]) {
				out = append(out, suspect{at[0], "this is a long hexadecimal run, as keys are; want no secret in a patch"})
			}
		}
		for _, at := range base64Run.FindAllStringIndex(text, -1) {
			if base64Secret(text[at[0]:at[1]]) {
				out = append(out, suspect{at[0], "this is a long random run, as keys are; want no secret in a patch"})
			}
		}
		return out
	})
}

// minRun is the length from which a run counts; minPart the length of an unbroken part of it. Shorter keys exist,
// but so do ordinary names of that length.
const (
	minRun  = 32
	minPart = 20
)

var (
	hexRun    = lazyregexp.New(`[0-9a-fA-F]{32,}`)
	base64Run = lazyregexp.New(`[A-Za-z0-9+/_-]{32,}`)
	// integrity is a hash of the exact length that its name demands, as in lock files and the integrity attribute.
	integrity = lazyregexp.New(`\bsha256-[A-Za-z0-9+/]{43}=|\bsha384-[A-Za-z0-9+/]{64}|\bsha512-[A-Za-z0-9+/]{86}==|\bsha256[:-][0-9a-f]{64}\b|\bsha512[:-][0-9a-f]{128}\b`)
)

// longestRun is the length of the longest run of base64 characters: a cheap test that most lines do not pass.
func longestRun(s string) int {
	longest, run := 0, 0
	for i := range len(s) {
		if c := s[i]; alphanumeric(c) || c == '+' || c == '/' || c == '_' || c == '-' {
			run++
			longest = max(longest, run)
			continue
		}
		run = 0
	}
	return longest
}

// hexSecret tells a key from a number and from a pattern such as deadbeef or all zeros.
func hexSecret(s string) bool {
	return hasDigit(s) && hasLetter(s) && entropy(strings.ToLower(s)) > 2.5
}

// base64Secret judges a run by its parts: between - and _ for what may hold / and +, and between all four. A run whose
// parts are long on average is judged as a whole too, by stricter bounds: - and _ are characters of base64 as well.
func base64Secret(run string) bool {
	joined := strings.NewReplacer("-", "", "_", "").Replace(run)
	if parts := len(run) - len(joined) + 1; len(joined) >= minRun && len(joined) >= 8*parts && random(joined, 4, 0.3) {
		return true
	}
	for wide := range strings.FieldsFuncSeq(run, func(r rune) bool { return r == '-' || r == '_' }) {
		if len(wide) >= minRun && strings.ContainsAny(wide, "/+") && random(wide, 4, 0.3) {
			return true
		}
		for part := range strings.FieldsFuncSeq(wide, func(r rune) bool { return r == '/' || r == '+' }) {
			if len(part) >= minPart && random(part, 3.5, 0.55) || len(part) >= minRun && randomOneCase(part) {
				return true
			}
		}
	}
	return false
}

// random reports whether s looks drawn at random from base64: it mixes capitals, small letters and digits, has the
// entropy for it, changes between them often, and holds few words. Of random text, 62 characters in 100 are of
// another class than the one before, and 16 stand in runs of three small letters; of identifiers under 40 and over 60.
func random(s string, minEntropy, maxWords float64) bool {
	m := measure(s)
	return m.upper > 0 && m.lower > 0 && m.digits > 0 && entropy(s) > minEntropy &&
		float64(m.changes) >= 0.3*float64(len(s)-1) && float64(m.inWords) < maxWords*float64(len(s))
}

// randomOneCase is random for alphabets with letters of one case, such as base32: letters and at least five groups of
// digits among them.
func randomOneCase(s string) bool {
	m := measure(s)
	oneCase := (m.upper == 0) != (m.lower == 0)
	return oneCase && m.digitGroups >= 5 && entropy(s) > 3.8
}

// mix counts what a run is made of.
type mix struct {
	upper, lower, digits int
	digitGroups          int
	changes              int // between two neighbours of different classes
	inWords              int // characters in runs of three or more small letters, with a capital before them
}

func measure(s string) mix {
	var m mix
	var before byte
	run := 0
	endRun := func(at int) {
		if run >= 3 {
			m.inWords += run
			if first := at - run - 1; first >= 0 && classOf(s[first]) == 'A' {
				m.inWords++
			}
		}
		run = 0
	}
	for i := range len(s) {
		class := classOf(s[i])
		if i > 0 && class != before {
			m.changes++
		}
		switch class {
		case 'A':
			m.upper++
		case 'a':
			m.lower++
		case '0':
			m.digits++
			if before != '0' {
				m.digitGroups++
			}
		}
		if class == 'a' {
			run++
		} else {
			endRun(i)
		}
		before = class
	}
	endRun(len(s))
	return m
}

// classOf is 'A', 'a' or '0' for capitals, small letters and digits, and '/' for the rest.
func classOf(c byte) byte {
	switch {
	case c >= 'A' && c <= 'Z':
		return 'A'
	case c >= 'a' && c <= 'z':
		return 'a'
	case c >= '0' && c <= '9':
		return '0'
	}
	return '/'
}

// entropy is Shannon's, in bits a byte.
func entropy(s string) float64 {
	var counts [256]int
	for i := range len(s) {
		counts[s[i]]++
	}
	bits, total := 0.0, float64(len(s))
	for _, n := range counts {
		if n > 0 {
			p := float64(n) / total
			bits -= p * math.Log2(p)
		}
	}
	return bits
}
