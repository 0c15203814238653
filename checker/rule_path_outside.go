package checker

import (
	"path"
	"slices"
	"strings"
)

func rulePathOutside() Rule {
	return pathRule(Rule{
		ID:     "SF-PATH-003",
		Kind:   "path-outside",
		Title:  "Path outside the allowed roots or endings",
		Why:    "Everything is denied by default: only files of the policy's endings below the policy's roots may change.",
		Policy: "paths.roots",
		File:   "rule_path_outside",
	}, func(c *Change, f *File) string {
		p := c.Policy.Paths
		if !slices.ContainsFunc(p.Roots, func(root string) bool { return below(f.Path, root) }) {
			return "the file lies outside the folders that may change; want it below one of " + strings.Join(p.Roots, ", ")
		}
		if !slices.Contains(p.Extensions, path.Ext(f.Path)) {
			return "files with this ending may not change; want one of " + strings.Join(p.Extensions, ", ") + " (paths.extensions)"
		}
		return ""
	})
}
