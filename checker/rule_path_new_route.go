package checker

import (
	"slices"
	"strings"
)

func rulePathNewRoute() Rule {
	return pathRule(Rule{
		ID:    "SF-PATH-006",
		Kind:  "path-new-route",
		Title: "New file that the framework would serve",
		Why: "Next.js serves pages, layouts, sitemaps, metadata images (icon, icon1, opengraph-image, …) and route handlers from below app/ " +
			"and pages/, in that folder's package and in src/: a new file there is a new address. Files that are there may change.",
		Policy: "paths.app_folders",
		File:   "rule_path_new_route",
	}, func(c *Change, f *File) string {
		if !f.New {
			return ""
		}
		p := strings.ToLower(f.Path)
		for _, folder := range appFolders(lowered(c.Policy.Paths.AppFolders)) {
			if below(p, folder) {
				return "a new file below " + folder + " could be served; only files that are there may change"
			}
		}
		return ""
	})
}

// appFolders adds to each app/ or pages/ folder the places that Next.js looks at instead of it or beside it: app and
// pages of the package, and of its src. An app/ in the package switches the one in src/ off.
func appFolders(named []string) []string {
	out := slices.Clone(named)
	for _, folder := range named {
		if name := nameOf(folder); name != "app" && name != "pages" {
			continue
		}
		home := folderOf(folder)
		if nameOf(home) == "src" {
			home = folderOf(home)
		}
		for _, twin := range []string{"app", "pages", "src/app", "src/pages"} {
			twin = strings.TrimPrefix(home+"/"+twin, "/")
			if !slices.Contains(out, twin) {
				out = append(out, twin)
			}
		}
	}
	return out
}
