package verify

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"selffix/internal/scratch"
	"selffix/internal/testrepo"
	"selffix/pipeline/checkout"
	"selffix/pipeline/tree"
)

func TestPackageFile(t *testing.T) {
	for p, want := range map[string]bool{
		"package.json": true, "packages/web/package.json": true, "Package.JSON": true, "package-lock.json": true, "npm-shrinkwrap.json": true,
		".npmrc": true, "packages/web/.npmrc": true, "yarn.lock": true, "pnpm-lock.yaml": true, "bun.lockb": true, ".yarn/releases/yarn.cjs": true,
		"node_modules/x/index.js": true, "a/Node_Modules/x": true, "node_modules": true, ".pnp.cjs": true, ".pnpmfile.cjs": true,
		"src/package.ts": false, "package.json.ts": false, "src/index.ts": false, "node_modules2/x": false, "docs/npmrc": false,
	} {
		if got := PackageFile(p); got != want {
			t.Errorf("%s: %v, want %v", p, got, want)
		}
	}
}

// base is a default branch's package files, and a source file that is none.
func base() tree.Listing {
	return tree.Listing{
		{Path: ".npmrc", Mode: scratch.ModeFile, ID: "1"}, {Path: "a.ts", Mode: scratch.ModeFile, ID: "2"},
		{Path: "package-lock.json", Mode: scratch.ModeFile, ID: "3"}, {Path: "package.json", Mode: scratch.ModeFile, ID: "4"},
	}
}

func TestCompare(t *testing.T) {
	changed := func(i int, e tree.Entry) tree.Listing { l := base(); l[i] = e; return l }
	for name, tt := range map[string]struct {
		judged tree.Listing
		ok     bool
	}{
		"the same":                 {base(), true},
		"source changed":           {changed(1, tree.Entry{Path: "a.ts", Mode: scratch.ModeFile, ID: "9"}), true},
		"source added":             {append(base(), tree.Entry{Path: "src/new.ts", Mode: scratch.ModeFile, ID: "9"}), true},
		"package.json changed":     {changed(3, tree.Entry{Path: "package.json", Mode: scratch.ModeFile, ID: "9"}), false},
		"lockfile changed":         {changed(2, tree.Entry{Path: "package-lock.json", Mode: scratch.ModeFile, ID: "9"}), false},
		"npmrc changed":            {changed(0, tree.Entry{Path: ".npmrc", Mode: scratch.ModeFile, ID: "9"}), false},
		"npmrc gone":               {base()[1:], false},
		"package.json a link":      {changed(3, tree.Entry{Path: "package.json", Mode: scratch.ModeLink, ID: "4"}), false},
		"another lockfile":         {append(base(), tree.Entry{Path: "pnpm-lock.yaml", Mode: scratch.ModeFile, ID: "9"}), false},
		"another package.json":     {append(base(), tree.Entry{Path: "src/package.json", Mode: scratch.ModeFile, ID: "9"}), false},
		"a package":                {append(base(), tree.Entry{Path: "node_modules/tsx/index.js", Mode: scratch.ModeFile, ID: "9"}), false},
		"packages as a file":       {append(base(), tree.Entry{Path: "node_modules", Mode: scratch.ModeFile, ID: "9"}), false},
		"packages as a link":       {append(base(), tree.Entry{Path: "node_modules", Mode: scratch.ModeLink, ID: "9"}), false},
		"packages in capitals":     {append(base(), tree.Entry{Path: "a/NODE_MODULES/x.js", Mode: scratch.ModeFile, ID: "9"}), false},
		"package.json in capitals": {append(base(), tree.Entry{Path: "PACKAGE.JSON", Mode: scratch.ModeFile, ID: "9"}), false},
		"nothing":                  {tree.Listing{}, false},
	} {
		if err := Compare(tt.judged, base()); (err == nil) != tt.ok || (err != nil && !errors.Is(err, ErrChanged)) {
			t.Errorf("%s: %v", name, err)
		}
	}
	// Even where the default branch has the very same: what runs comes from the lockfile.
	committed := append(base(), tree.Entry{Path: "node_modules/tsx/index.js", Mode: scratch.ModeFile, ID: "9"})
	if err := Compare(committed, committed); !errors.Is(err, ErrChanged) {
		t.Errorf("packages that both have: %v", err)
	}
}

// The tree is written only after it was compared, and then whole.
func TestTree(t *testing.T) {
	repo := testrepo.Base(t)
	branch := strings.TrimSpace(testrepo.Git(t, repo, "rev-parse", "HEAD"))
	for name, tt := range map[string]struct {
		add map[string]string
		err error
	}{
		"only source":          {map[string]string{"packages/core/src/new.ts": "export {};\n", "CLAUDE.md": "x"}, nil},
		"a package.json":       {map[string]string{"package.json": "{}"}, ErrChanged},
		"a package.json below": {map[string]string{"packages/core/src/package.json": `{"type":"module"}`}, ErrChanged},
		"an npmrc below":       {map[string]string{"packages/core/.npmrc": "script-shell=/x"}, ErrChanged},
	} {
		t.Run(name, func(t *testing.T) {
			testrepo.Git(t, repo, "checkout", "-q", "--detach", branch)
			commit := testrepo.Commit(t, repo, tt.add)
			in := TreeInput{Objects: filepath.Join(repo, ".git", "objects"), Packages: t.TempDir(), Dst: t.TempDir(), Scratch: t.TempDir(),
				Tree: strings.TrimSpace(testrepo.Git(t, repo, "rev-parse", commit+"^{tree}"))}
			if err := Packages(t.Context(), scratch.Repository{Objects: in.Objects}, branch, in.Packages, in.Scratch); err != nil {
				t.Fatal(err)
			}
			links, err := Tree(t.Context(), in)
			if !errors.Is(err, tt.err) {
				t.Fatalf("%v, want %v", err, tt.err)
			}
			if err := checkout.MakeLinks(in.Dst, links); err != nil {
				t.Fatal(err)
			}
			l, err := listed(t, in.Dst)
			if err != nil {
				t.Fatal(err)
			}
			id, err := l.TreeID()
			if tt.err == nil && (err != nil || id != in.Tree) {
				t.Errorf("tree %s was written, want %s, %v", id, in.Tree, err)
			}
			if tt.err != nil && len(l) != 0 {
				t.Errorf("%d files were written all the same", len(l))
			}
		})
	}
}

// What a caller brings of the default branch is bounded, and plain.
func TestTreeRefusesOtherPackages(t *testing.T) {
	repo := testrepo.Base(t)
	in := TreeInput{Objects: filepath.Join(repo, ".git", "objects"), Packages: t.TempDir(), Dst: t.TempDir(), Scratch: t.TempDir(),
		Tree: strings.TrimSpace(testrepo.Git(t, repo, "rev-parse", "HEAD^{tree}"))}
	if err := os.Symlink("/etc/passwd", filepath.Join(in.Packages, "package.json")); err != nil {
		t.Fatal(err)
	}
	if _, err := Tree(t.Context(), in); !errors.Is(err, ErrPackages) {
		t.Errorf("%v, want ErrPackages", err)
	}
}

func TestClaimsAreListed(t *testing.T) {
	if !slices.Equal(Claims(), []string{Passed, Failed, NotFinished}) {
		t.Error(Claims())
	}
}

// listed lists what was written, with the links that lie there.
func listed(t *testing.T, dir string) (tree.Listing, error) {
	t.Helper()
	links, err := tree.Links(dir, tree.DefaultLimits())
	if err != nil {
		t.Fatal(err)
	}
	return tree.List(dir, links, tree.DefaultLimits())
}
