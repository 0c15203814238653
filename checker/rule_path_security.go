package checker

import (
	"slices"
	"strings"
)

func rulePathSecurity() Rule {
	return pathRule(Rule{
		ID:     "SF-PATH-004",
		Kind:   "path-security",
		Title:  "Security module",
		Why:    "The modules that keep strangers out (tokens, rate limits, the environment, the database) are for people to change.",
		Policy: "paths.security_modules",
		File:   "rule_path_security",
	}, func(c *Change, f *File) string {
		p := strings.ToLower(f.Path)
		if slices.Contains(lowered(c.Policy.Paths.SecurityModules), p) {
			return "the file is a security module, which never changes"
		}
		for _, folder := range lowered(c.Policy.Paths.SecurityFolders) {
			if below(p, folder) {
				return "the file lies in a folder of security modules (paths.security_folders), below which nothing changes"
			}
		}
		return ""
	})
}
