package checker

import "strings"

func rulePathDot() Rule {
	return pathRule(Rule{
		ID:    "SF-PATH-002",
		Kind:  "path-dot",
		Title: "File or folder that begins with a dot",
		Why: "Dot files and folders steer tools: .git, .github (the workflows and this policy), .env, .claude, .vscode, .npmrc. " +
			"None may change, at any depth.",
		File: "rule_path_dot",
	}, func(_ *Change, f *File) string {
		for part := range strings.SplitSeq(f.Path, "/") {
			if strings.HasPrefix(part, ".") {
				return "a part of the path begins with a dot; no policy allows that"
			}
		}
		return ""
	})
}
