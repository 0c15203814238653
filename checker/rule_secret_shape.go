package checker

import (
	"regexp"
	"slices"
	"strings"
)

func ruleSecretShape() Rule {
	return secretRule(Rule{
		ID:    "SF-SECRET-001",
		Kind:  "secret-shape",
		Title: "Shape of a known secret",
		Why: "Keys and tokens of known services begin in known ways. A prefix counts where no letter or digit stands before it and enough of " +
			"a token follows, so mask-image and task-list pass. The agent holds no secret; this is a second line, for secrets that were in " +
			"the repository or the report. Shapes after gitleaks' and the services' own documentation.",
		File: "rule_secret_shape",
	}, func(_ *Change, text string) []suspect {
		var out []suspect
		for _, s := range secretShapes {
			out = append(out, s.find(text)...)
		}
		return out
	})
}

// secretShape is the form of one kind of secret.
type secretShape struct {
	name    string
	marks   []string // one of them stands in every text that holds the shape: the expression is compiled for those only
	pattern string
	anyway  bool              // it counts wherever it stands, even after a letter or digit
	check   func(string) bool // looks at the match, if the expression cannot tell
}

// find returns every place at which the shape stands.
func (s secretShape) find(text string) []suspect {
	if !slices.ContainsFunc(s.marks, func(m string) bool { return strings.Contains(text, m) }) {
		return nil
	}
	var out []suspect
	for _, at := range regexp.MustCompile(s.pattern).FindAllStringIndex(text, -1) {
		if !s.anyway && at[0] > 0 && alphanumeric(text[at[0]-1]) {
			continue
		}
		if s.check == nil || s.check(text[at[0]:at[1]]) {
			out = append(out, suspect{at[0], "this looks like " + s.name + "; want no secret in a patch"})
		}
	}
	return out
}

func alphanumeric(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z'
}

var secretShapes = []secretShape{
	{name: "a private key", marks: []string{"-----BEGIN"}, pattern: `-----BEGIN`, anyway: true},
	{name: "a PuTTY key", marks: []string{"PuTTY-User-Key"}, pattern: `PuTTY-User-Key-File-[0-9]`},
	{name: "an age key", marks: []string{"AGE-SECRET-KEY-"}, pattern: `AGE-SECRET-KEY-1[0-9A-Z]{20,}`},
	{name: "an API key that begins with sk-", marks: []string{"sk-"}, pattern: `sk-[A-Za-z0-9_-]{16,}`, check: skKey},
	{name: "a GitHub token", marks: []string{"ghp_", "gho_", "ghu_", "ghs_", "ghr_"}, pattern: `gh[pousr]_[A-Za-z0-9]{20,}`},
	{name: "a GitHub token", marks: []string{"github_pat_"}, pattern: `github_pat_[A-Za-z0-9_]{20,}`},
	{name: "a GitLab token", marks: []string{"gl"}, pattern: `gl(pat|dt|rt|cbt|ptt|ft|soat|agent|oas|imt)-[A-Za-z0-9_-]{20,}`},
	{name: "an AWS key id", marks: []string{"A3T", "AKIA", "ASIA", "ABIA", "ACCA"}, pattern: `(A3T[A-Z0-9]|AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}\b`},
	{name: "a Slack token", marks: []string{"xox", "xapp-"}, pattern: `(xox[a-z](\.xox[a-z])?|xapp)-[A-Za-z0-9-]{10,}`, check: hasDigit},
	{name: "a Slack webhook", marks: []string{"hooks.slack.com/"}, pattern: `hooks\.slack\.com/(services|workflows|triggers)/[A-Za-z0-9]{8,}/`},
	{name: "a Discord webhook", marks: []string{"/api/webhooks/"}, pattern: `discord(app)?\.com/api/webhooks/[0-9]{10,}/`},
	{name: "an npm token", marks: []string{"npm_"}, pattern: `npm_[A-Za-z0-9]{30,}`},
	{name: "a PyPI token", marks: []string{"pypi-"}, pattern: `pypi-[A-Za-z0-9_-]{40,}`},
	{name: "a Docker token", marks: []string{"dckr_"}, pattern: `dckr_(pat|oat)_[A-Za-z0-9_-]{20,}`},
	{name: "a Google key", marks: []string{"AIza"}, pattern: `AIza[A-Za-z0-9_-]{35}`},
	{name: "a Google secret", marks: []string{"GOCSPX-", "ya29."}, pattern: `(GOCSPX-|ya29\.)[A-Za-z0-9_-]{20,}`},
	{name: "a Hugging Face token", marks: []string{"hf_"}, pattern: `hf_[A-Za-z0-9]{30,}`},
	{name: "a Stripe key", marks: []string{"k_live_", "k_test_", "k_prod_"}, pattern: `[sr]k_(live|test|prod)_[A-Za-z0-9]{10,}`},
	{name: "a webhook secret", marks: []string{"whsec_"}, pattern: `whsec_[A-Za-z0-9+/=]{20,}`},
	{name: "a SendGrid key", marks: []string{"SG."}, pattern: `SG\.[A-Za-z0-9_-]{16,32}\.[A-Za-z0-9_-]{16,64}`},
	{name: "a Telegram bot token", marks: []string{":AA"}, pattern: `[0-9]{8,10}:AA[A-Za-z0-9_-]{32,}`},
	{name: "a Vault token", marks: []string{"hvs.", "hvb.", "hvr."}, pattern: `hv[sbr]\.[A-Za-z0-9_-]{20,}`},
	{name: "a token of a known service", marks: []string{"gsk_", "xai-", "nvapi-", "pplx-", "r8_", "tvly-", "ntn_", "lin_api_", "figd_",
		"PMAK-", "tskey-", "sbp_", "shpat_", "shpss_", "dop_v1_", "rubygems_", "vercel_blob_rw_", "phx_"},
		pattern: `(gsk_|xai-|nvapi-|pplx-|r8_|tvly-|ntn_|lin_api_|figd_|PMAK-|tskey-|sbp_|shpat_|shpss_|dop_v1_|rubygems_|vercel_blob_rw_|phx_)[A-Za-z0-9_-]{20,}`,
		check:   hasDigit},
	{name: "a JSON web token", marks: []string{"eyJ"}, pattern: `eyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*`},
}

// skKey tells a key from the name of a style such as sk-folding-cube: keys of known services, a run of sixteen or more,
// or a shorter one that mixes letters and digits.
func skKey(s string) bool {
	rest := strings.TrimPrefix(s, "sk-")
	for _, known := range []string{"ant-", "proj-", "svcacct-", "admin-", "or-v1-", "lf-", "None-"} {
		if strings.HasPrefix(rest, known) {
			return true
		}
	}
	for part := range strings.FieldsFuncSeq(rest, func(r rune) bool { return r == '-' || r == '_' }) {
		if len(part) >= 16 || len(part) >= 12 && hasDigit(part) && hasLetter(part) {
			return true
		}
	}
	return false
}

func hasDigit(s string) bool { return strings.ContainsAny(s, "0123456789") }

func hasLetter(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool { return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' })
}
