package checker

import (
	"path"
	"slices"
	"strings"

	"selffix/pipeline/policy"
)

func rulePathShadow() Rule {
	return pathRule(Rule{
		ID:    "SF-PATH-005",
		Kind:  "path-shadow",
		Title: "New file that could be loaded in place of another",
		Why: "An import without an ending is resolved by trying endings. Next.js with webpack tries .js .mjs .tsx .ts .jsx .json .wasm, " +
			"Turbopack .tsx .ts first, TypeScript .ts .tsx .d.ts, and all of them a file before a folder's index. So a new groups.tsx or " +
			"groups.js is built in place of groups.ts while the type checker still reads groups.ts, db.ts wins over db/index.ts, lib.ts over " +
			"lib/index.ts. Refused is every new file whose name up to the first dot, or whose folder, is that of a security module, a " +
			"security folder, an app folder or a folder on the way to one; and one that differs from any other module only in its ending, or is " +
			"named like a folder with an index or a package.json, a link or a submodule.",
		Policy: "paths.security_modules",
		File:   "rule_path_shadow",
	}, func(c *Change, f *File) string {
		if !f.New {
			return ""
		}
		for _, g := range guards(c.Policy.Paths) {
			if message := g.shadowedBy(f.Path); message != "" {
				return message
			}
		}
		if message := shadowsNeighbour(c, f.Path); message != "" {
			return message
		}
		return shadowsPackage(c.Policy, f.Path)
	})
}

// guard is a file or folder that no new file may be loaded in place of.
type guard struct {
	path   string // as it stands in the policy
	folder bool   // it is a folder, whose own new files are for other rules to judge
}

// guards lists the security modules, security folders and app folders, and all folders on the way to them.
func guards(p policy.Paths) []guard {
	var out []guard
	seen := map[string]bool{}
	add := func(path string, folder bool) {
		for ; path != "" && !seen[path]; path, folder = folderOf(path), true {
			seen[path] = true
			out = append(out, guard{path, folder})
		}
	}
	for _, module := range p.SecurityModules {
		add(module, false)
	}
	for _, folder := range p.SecurityFolders {
		add(folder, true)
	}
	for _, folder := range p.AppFolders {
		add(folder, true)
	}
	return out
}

// shadowedBy says how a new file could be loaded in place of the guarded one, "" if it could not.
func (g guard) shadowedBy(path string) string {
	want, got := strings.Split(g.path, "/"), strings.Split(path, "/")
	last := len(want) - 1
	if len(got) <= last {
		return ""
	}
	for i, part := range want[:last] {
		if !strings.EqualFold(part, got[i]) {
			return ""
		}
	}
	switch {
	case !strings.EqualFold(stemOf(got[last]), stemOf(want[last])):
		return ""
	case g.folder && got[last] == want[last] && len(got) > len(want):
		return "" // it lies in that very folder
	case g.folder:
		return "a new file or folder with the name of " + g.path + ", up to the first dot, could be loaded in place of that folder or merge with it"
	}
	return "a new file or folder with the name of the security module " + g.path + ", up to the first dot, could be loaded in its place"
}

// moduleEndings are what an import without an ending may lead to.
var moduleEndings = []string{".ts", ".tsx", ".d.ts", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs", ".json", ".wasm"}

// shadowsNeighbour refuses a new module beside one that an import without an ending leads to today, or may lead to once the patch is in: the same
// name with another ending, the index of a folder of that name, a folder whose package.json names a file, a link or a submodule.
func shadowsNeighbour(c *Change, p string) string {
	if ending := path.Ext(p); !slices.Contains(moduleEndings, ending) {
		return ""
	}
	name := strings.TrimSuffix(p, path.Ext(p))
	neighbours := []string{name + "/package.json"}
	for _, ending := range moduleEndings {
		neighbours = append(neighbours, name+ending, name+"/index"+ending)
	}
	for _, neighbour := range neighbours {
		if neighbour != p && (len(baseNames(c, neighbour)) > 0 || c.makes(neighbour)) {
			return "a new file that differs only in its ending from a module that is there or comes with it, or is named like a folder with an index or a package.json, could be loaded in its place"
		}
	}
	if c.BaseLeaf != nil && c.BaseLeaf(name) {
		return "a new file with the name of a link, a submodule or a file without ending could be loaded in its place"
	}
	return ""
}

// makes reports whether the patch makes a file of that name, compared without case.
func (c *Change) makes(path string) bool {
	return slices.ContainsFunc(c.Files, func(f *File) bool { return f.New && strings.EqualFold(f.Path, path) })
}

// shadowsPackage refuses a new file at a root with the name of an allowed package: where the compiler has that root as its baseUrl, "react" would
// lead to it, as a file or as the index of a folder. A file deeper in a folder that has a package's name takes nothing's place.
func shadowsPackage(p policy.Policy, path string) string {
	for _, root := range p.Paths.Roots {
		if !below(path, root) {
			continue
		}
		module := moduleName(strings.TrimPrefix(path, root+"/"))
		for _, name := range p.Code.Imports {
			if strings.EqualFold(module, name) || strings.EqualFold(module, name+"/package") {
				return "a new file below " + root + " with the name of the package " + name + " could be loaded in its place"
			}
		}
	}
	return ""
}

// moduleName is a path as an import names it: up to the first dot of its last part, and a folder for its index.
func moduleName(p string) string {
	folder, file := path.Split(p)
	if stem := stemOf(file); !strings.EqualFold(stem, "index") {
		return folder + stem
	}
	return strings.TrimSuffix(folder, "/")
}
