package checker

import (
	"path"
	"slices"
	"strings"
)

func rulePathConfig() Rule {
	return pathRule(Rule{
		ID:    "SF-PATH-009",
		Kind:  "path-config",
		Title: "Configuration, package, lock or declaration file",
		Why: "Such files are code for the build, the package manager and the type checker: a new dependency or a plugin runs with the CI's " +
			"secrets, and a declaration file (.d.ts) changes what the type checker believes of every other file.",
		File: "rule_path_config",
	}, func(_ *Change, f *File) string {
		name := nameOf(strings.ToLower(f.Path))
		parts := middle(name)
		switch {
		case slices.Contains(parts, "d"):
			return "the file declares types for other files; no policy allows that"
		case slices.ContainsFunc(parts, func(s string) bool { return slices.Contains(configMarks, s) }):
			return "the file is configuration by its name; no policy allows that"
		case slices.Contains(configFiles, name) || slices.Contains(configEndings, path.Ext(name)):
			return "the file is a package, lock or configuration file; no policy allows that"
		case path.Ext(name) == ".json" && (strings.HasPrefix(name, "tsconfig") || strings.HasPrefix(name, "jsconfig")):
			return "the file configures the compiler; no policy allows that"
		}
		return ""
	})
}

var (
	// configMarks are the parts between two dots by which tools know their configuration: next.config.ts, karma.conf.ts.
	configMarks   = []string{"config", "conf", "rc"}
	configEndings = []string{".lock", ".lockb"}
	configFiles   = strings.Fields(`package.json package-lock.json npm-shrinkwrap.json pnpm-lock.yaml pnpm-workspace.yaml
		lerna.json nx.json turbo.json rush.json deno.json deno.jsonc vercel.json netlify.toml wrangler.toml wrangler.json
		components.json biome.json biome.jsonc angular.json project.json renovate.json gulpfile.ts gruntfile.ts dangerfile.ts
		dockerfile makefile procfile vagrantfile jenkinsfile docker-compose.yml docker-compose.yaml compose.yml compose.yaml`)
)
