package verify

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"selffix/internal/scratch"
	"selffix/pipeline/tree"
)

// ErrChanged marks a tree whose package or lock files are not the default branch's.
var ErrChanged = errors.New("package or lock files differ from the default branch's")

// packageNames are the files that say what is installed, from where, and which code a package manager loads, in lower case.
// An npmrc can name another registry, a shell and programs to run.
var packageNames = strings.Fields(`package.json package-lock.json npm-shrinkwrap.json .npmrc
	yarn.lock .yarnrc .yarnrc.yml .pnp.cjs .pnp.js .pnp.loader.mjs .pnp.data.json
	pnpm-lock.yaml pnpm-workspace.yaml .pnpmfile.cjs .pnpmfile.mjs pnpmfile.js
	bun.lock bun.lockb bunfig.toml .bunfig.toml deno.lock deno.json deno.jsonc`)

// packageFolders are folders of which every file belongs to the package manager.
var packageFolders = []string{"node_modules", ".yarn"}

// Unlisted are the names of package and lock files that are not among names.
func Unlisted(names []string) []string {
	return slices.DeleteFunc(slices.Clone(packageNames), func(n string) bool { return slices.Contains(names, n) })
}

// PackageFile reports whether a path of a repository is a package or lock file, or lies in a folder of packages. It compares
// without letter case, as some file systems do.
func PackageFile(p string) bool {
	parts := strings.Split(strings.ToLower(p), "/")
	return slices.Contains(packageNames, parts[len(parts)-1]) || slices.ContainsFunc(parts, func(part string) bool {
		return slices.Contains(packageFolders, part)
	})
}

// Compare holds the package files of a tree to the default branch's: the same paths with the same contents, each a plain
// file. Folders of packages may stand in neither: what is installed comes from the lockfile alone.
func Compare(judged, branch tree.Listing) error {
	got, want := plainPackages(judged), plainPackages(branch)
	for p, id := range got {
		switch {
		case slices.ContainsFunc(strings.Split(strings.ToLower(p), "/"), isModules):
			return fmt.Errorf("%w: %.120q lies in a folder of packages", ErrChanged, p)
		case id == "":
			return fmt.Errorf("%w: %.120q is no plain file", ErrChanged, p)
		case want[p] == "":
			return fmt.Errorf("%w: the default branch has no %.120q", ErrChanged, p)
		case want[p] != id:
			return fmt.Errorf("%w: %.120q", ErrChanged, p)
		}
	}
	for p := range want {
		if _, ok := got[p]; !ok {
			return fmt.Errorf("%w: %.120q is not there", ErrChanged, p)
		}
	}
	return nil
}

func isModules(part string) bool { return part == "node_modules" }

// plainPackages are the blob ids of a listing's package files by path, "" for what is no plain file.
func plainPackages(l tree.Listing) map[string]string {
	found := make(map[string]string)
	for _, e := range l {
		if !PackageFile(e.Path) {
			continue
		}
		found[e.Path] = e.ID
		if e.Mode == scratch.ModeLink || path.Clean(e.Path) != e.Path {
			found[e.Path] = ""
		}
	}
	return found
}
