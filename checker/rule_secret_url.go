package checker

import (
	"strings"

	"selffix/internal/lazyregexp"
)

func ruleSecretURL() Rule {
	return secretRule(Rule{
		ID:    "SF-SECRET-002",
		Kind:  "secret-shape",
		Title: "Address with a password",
		Why:   "An address such as postgres://user:password@host holds a secret, whatever it looks like.",
		File:  "rule_secret_url",
	}, func(_ *Change, text string) []suspect {
		if !strings.Contains(text, "://") || !strings.Contains(text, "@") {
			return nil
		}
		var out []suspect
		for _, at := range passwordURL.FindAllStringSubmatchIndex(text, -1) {
			if !placeholder.MatchString(text[at[2]:at[3]]) {
				out = append(out, suspect{at[0], "this looks like an address with a password; want no secret in a patch"})
			}
		}
		return out
	})
}

var (
	passwordURL = lazyregexp.New("[A-Za-z][A-Za-z0-9+.-]*://[^\\s/:@\"'`<>]*:([^\\s/@\"'`<>]+)@")
	// placeholder is a password that is not there: ${…}, {…}, *** or what the program puts in when it runs (source.Hole).
	placeholder = lazyregexp.New(`^(\$?\{[^{}]*\}|\*+|\x{ffff}+)$`)
)
