package checker

import (
	"path"
	"slices"
	"strings"
)

func rulePathCollision() Rule {
	return pathRule(Rule{
		ID:    "SF-PATH-012",
		Kind:  "path-shadow",
		Title: "New path that falls together with another",
		Why: "A new file whose path equals that of an existing file or folder but for case lands on it on macOS and Windows; a file where " +
			"a folder stands, or below a file, makes git apply a patch half-way.",
		File: "rule_path_collision",
	}, func(c *Change, f *File) string {
		if !f.New {
			return ""
		}
		if len(baseNames(c, f.Path)) > 0 {
			return "a file or folder of this name, compared without case, is there already"
		}
		for folder := folderOf(f.Path); folder != ""; folder = folderOf(folder) {
			if names := baseNames(c, folder); len(names) > 0 && !slices.Contains(names, folder) {
				return "a folder on the way is there already in another case; want its own spelling"
			}
			if slices.Contains(codeEndings, strings.ToLower(path.Ext(folder))) {
				return "a folder on the way is named like a file; want no such ending on a folder"
			}
		}
		for _, other := range c.Files {
			if message := fallsTogether(f.Path, other); message != "" {
				return message
			}
		}
		return ""
	})
}

// baseNames is Change.BaseNames, or nothing where the base could not be read.
func baseNames(c *Change, path string) []string {
	if c.BaseNames == nil {
		return nil
	}
	return c.BaseNames(path)
}

// codeEndings are the endings of files that code is loaded from.
var codeEndings = []string{".ts", ".tsx", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs", ".css", ".json", ".wasm"}

// fallsTogether compares a new path with another one of the same patch, part by part.
func fallsTogether(p string, other *File) string {
	if p == other.Path {
		return ""
	}
	if below(strings.ToLower(p), strings.ToLower(other.Path)) {
		return "another file of the patch stands where this one needs a folder"
	}
	a, b := strings.Split(p, "/"), strings.Split(other.Path, "/")
	for i := range min(len(a), len(b)) {
		if a[i] == b[i] {
			continue
		}
		if strings.EqualFold(a[i], b[i]) {
			return "another path of the patch differs from this one only in case"
		}
		return ""
	}
	return ""
}
