package checker

import "strings"

func ruleSecretName() Rule {
	return secretRule(Rule{
		ID:     "SF-SECRET-003",
		Kind:   "secret-name",
		Title:  "Name of a secret",
		Why:    "A patch that names one of the workflow's secrets reaches for it, or prepares to. Names count without regard to case, also as part of a longer name.",
		Policy: "secrets.names",
		File:   "rule_secret_name",
	}, func(c *Change, text string) []suspect {
		var out []suspect
		lower := strings.ToLower(text)
		if len(lower) != len(text) {
			lower = text // a letter that has another length in lower case: compare what stands there
		}
		for _, name := range lowered(c.Policy.Secrets.Names) {
			for from := 0; ; {
				i := strings.Index(lower[from:], name)
				if i < 0 {
					break
				}
				start, end := from+i, from+i+len(name)
				if (start == 0 || !alphanumeric(lower[start-1])) && (end == len(lower) || !alphanumeric(lower[end])) {
					out = append(out, suspect{start, "this is the name of a secret of the workflow; want no patch to name one"})
				}
				from = end
			}
		}
		return out
	})
}
