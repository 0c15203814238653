package checker

import (
	"strings"

	"selffix/checker/source"
	"selffix/internal/lazyregexp"
)

func ruleNetRemote() Rule {
	return factRule(Rule{
		ID:    "SF-NET-001",
		Kind:  "net-remote",
		Title: "Address of another host",
		Why: "fetch, an image, a form, a link or a script sends what it is given to the host in its address. Texts are compared decoded, joined and as browsers read them " +
			"(\" https:/\\host\", tabs inside, //host); a template counts with a hole for each part that is not known. Only hosts of code.hosts may be named.",
		Policy: "code.hosts",
		File:   "rule_net_remote",
	}, func(c *Change, _ *File, fact source.Fact) string {
		switch fact.Kind {
		case source.String, source.Define, source.Index, source.Directive:
			if remote(fact.Name, c.Policy.Code.Hosts) {
				return "a text names an address of a host that is not on the list"
			}
		case source.Text:
			if withScheme.MatchString(fact.Name) && remote(fact.Name, c.Policy.Code.Hosts) {
				return "the page shows an address of a host that is not on the list"
			}
		case source.Child: // prose may hold two slashes further on
			if word, _, _ := strings.Cut(strings.TrimSpace(fact.Name), " "); remote(word, c.Policy.Code.Hosts) {
				return "a component gets an address of a host that is not on the list"
			}
		case source.Probe: // https:// alone asks for the scheme
			if !schemeAlone.MatchString(fact.Name) && remote(fact.Name, c.Policy.Code.Hosts) {
				return "a text names an address of a host that is not on the list"
			}
		}
		return ""
	})
}

var schemeAlone = lazyregexp.New(`(?i)^[a-z][a-z0-9+.-]*:[/\\]{0,2}$`)
