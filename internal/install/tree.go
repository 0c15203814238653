package install

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
)

// ErrTree marks a folder that nothing can be proposed for.
var ErrTree = errors.New("no source folder found")

// The bounds of a search.
const (
	maxEntries = 200_000
	maxListed  = 40 // candidates of one kind
)

// Tree is what was found in a repository: proposals for the policy's paths, all of them sorted.
type Tree struct {
	Roots      []string // folders of sources
	Extensions []string // of the three that have a judge, those that occur
	Apps       []string // folders that a framework serves files from
	Modules    []string // files whose names say that they guard something
	Folders    []string // folders of such files
	Perhaps    []string // files that may
	Assumed    bool     // Modules or Folders hold names that do not occur
}

// Explore looks for source folders in a repository: packages/*/src and apps/*/src, else src, else app.
func Explore(repository fs.FS) (Tree, error) {
	var t Tree
	for _, pattern := range []string{"packages/*/src", "apps/*/src"} {
		found, err := fs.Glob(repository, pattern)
		if err != nil {
			return t, fmt.Errorf("look for sources: %w", err)
		}
		t.Roots = append(t.Roots, found...)
	}
	if len(t.Roots) == 0 {
		t.Roots = []string{"src", "app"}
	}
	t.Roots = slices.DeleteFunc(t.Roots, func(root string) bool {
		info, err := fs.Stat(repository, root)
		return err != nil || !info.IsDir() || !plain(root)
	})
	if len(t.Roots) == 0 {
		return t, fmt.Errorf("%w: expected packages/NAME/src, apps/NAME/src, src or app", ErrTree)
	}
	for _, root := range t.Roots {
		if err := t.walk(repository, root); err != nil {
			return t, err
		}
	}
	t.fill()
	return t, nil
}

// plain reports whether a policy may name the path.
func plain(name string) bool {
	return !strings.ContainsFunc(name, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && !strings.ContainsRune("._-/()[]@+=,", r)
	})
}

func (t *Tree) walk(repository fs.FS, root string) error {
	entries := 0
	return fs.WalkDir(repository, root, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return fmt.Errorf("look for sources: %w", err)
		}
		if entries++; entries > maxEntries {
			return fmt.Errorf("%w: more than %d entries in %q", ErrTree, maxEntries, root)
		}
		base := d.Name()
		if d.IsDir() && (base == "node_modules" || strings.HasPrefix(base, ".") || strings.HasPrefix(base, "__")) {
			return fs.SkipDir
		}
		if plain(name) {
			t.see(root, name, d)
		}
		return nil
	})
}

func (t *Tree) see(root, name string, d fs.DirEntry) {
	if d.IsDir() {
		if parent := path.Dir(name); (parent == root || name == "app") && (d.Name() == "app" || d.Name() == "pages") {
			t.Apps = append(t.Apps, name)
		}
		if slices.Contains([]string{"db", "database", "prisma", "auth", "security", "server"}, d.Name()) && len(t.Folders) < maxListed {
			t.Folders = append(t.Folders, name)
		}
		return
	}
	ext := path.Ext(name)
	if !d.Type().IsRegular() || !slices.Contains([]string{".ts", ".tsx", ".css"}, ext) || strings.HasSuffix(name, ".d.ts") {
		return
	}
	if !slices.Contains(t.Extensions, ext) {
		t.Extensions = append(t.Extensions, ext)
	}
	if ext == ".css" || strings.Contains(name, ".test.") || strings.Contains(name, ".spec.") {
		return
	}
	stem := strings.TrimSuffix(d.Name(), ext)
	switch {
	case slices.Contains([]string{"env", "auth", "session", "token", "tokens", "secret", "secrets", "crypto", "rate-limit", "ratelimit", "permissions", "http", "db", "database", "csrf", "password"}, strings.ToLower(stem)):
		if len(t.Modules) < maxListed {
			t.Modules = append(t.Modules, name)
		}
	case guards(stem) && len(t.Perhaps) < maxListed:
		t.Perhaps = append(t.Perhaps, name)
	}
}

// guards reports whether a name has a part that often stands in the name of what guards something.
func guards(stem string) bool {
	stem = strings.ToLower(stem)
	for _, part := range []string{"auth", "token", "secret", "crypt", "limit", "permission", "session", "schema", "valid", "sanit", "escape", "group", "role", "guard", "cookie", "csrf"} {
		if strings.Contains(stem, part) {
			return true
		}
	}
	return false
}

// fill completes what a policy must name. A name that does not occur is kept from being made.
func (t *Tree) fill() {
	slices.Sort(t.Roots)
	if len(t.Extensions) == 0 {
		t.Extensions = []string{".ts", ".tsx", ".css"}
	}
	slices.Sort(t.Extensions)
	if len(t.Modules) == 0 {
		t.Modules, t.Assumed = []string{t.Roots[0] + "/lib/env.ts"}, true
	}
	if len(t.Folders) == 0 {
		t.Folders, t.Assumed = []string{t.Roots[0] + "/db"}, true
	}
	if len(t.Apps) == 0 {
		for _, root := range t.Roots {
			t.Apps = append(t.Apps, root+"/app", root+"/pages")
		}
	}
	for _, list := range []*[]string{&t.Extensions, &t.Apps, &t.Modules, &t.Folders, &t.Perhaps} {
		slices.Sort(*list)
		*list = slices.Compact(*list)
	}
}
