package checker

import (
	"slices"
	"strings"
)

func rulePathSpecial() Rule {
	return pathRule(Rule{
		ID:    "SF-PATH-007",
		Kind:  "path-special-file",
		Title: "New file that the framework runs by its name",
		Why: "Next.js runs middleware and proxy on every request, instrumentation at the start of the server, instrumentation-client in " +
			"every page, and takes mdx-components for every document. A new one, or a new route handler, is refused everywhere: which folder " +
			"counts depends on the project's configuration.",
		File: "rule_path_special",
	}, func(_ *Change, f *File) string {
		if !f.New {
			return ""
		}
		p := strings.ToLower(f.Path)
		stem := stemOf(nameOf(p))
		if stem == "index" {
			stem = stemOf(nameOf(folderOf(p))) // middleware/index.ts
		}
		if slices.Contains(specialFiles, stem) {
			return "a new " + stem + " file could be run by the framework; no policy allows it"
		}
		return ""
	})
}

// specialFiles are the names, up to the first dot, that Next.js looks for.
var specialFiles = []string{"middleware", "proxy", "instrumentation", "instrumentation-client", "mdx-components", "route"}
