package checker

import (
	"selffix/checker/source"
	"selffix/internal/lazyregexp"
)

func ruleDirectiveServer() Rule {
	return withWords(factRule(Rule{
		ID:    "SF-DIRECTIVE-001",
		Kind:  "directive-server",
		Title: "Directive that moves code to the server",
		Why: "\"use server\" makes a function callable by anyone over the network; \"use cache\" stores its result on the server. Next.js compares the decoded text, so \"use\\x20server\" " +
			"is one as well. Only \"use client\" and \"use strict\" are let through. In a file that is all server actions, a new export is a new address.",
		File: "rule_directive_server",
	}, func(_ *Change, f *File, fact source.Fact) string {
		switch fact.Kind {
		case source.Directive, source.Prologue:
			if fact.Name != "use client" && fact.Name != "use strict" {
				return "a text that stands as a statement is a directive; only \"use client\" and \"use strict\" are allowed"
			}
		case source.Export:
			if isServerFile(f) {
				return "the file holds server actions: a new export would be callable over the network"
			}
		}
		return ""
	}), func(_ *Change, line string) (int, string) {
		if m := quotedServer.FindStringIndex(line); m != nil {
			return m[0], "the line holds the directive \"use server\""
		}
		return 0, ""
	})
}

var quotedServer = lazyregexp.New("[\"'`]use server[\"'`]")

func isServerFile(f *File) bool { return f.source.server() }

func hasServerDirective(facts *source.Facts) bool {
	return facts.Has(func(fact source.Fact) bool { return fact.Kind == source.Directive && fact.Name == "use server" })
}
