package scratch

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"selffix/internal/testrepo"
)

func TestFind(t *testing.T) {
	write := func(t *testing.T, p, text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	link := func(t *testing.T, target, p string) {
		t.Helper()
		if err := os.Symlink(target, p); err != nil {
			t.Fatal(err)
		}
	}
	move := func(t *testing.T, from, to string) {
		t.Helper()
		if err := os.Rename(from, to); err != nil {
			t.Fatal(err)
		}
	}
	tests := []struct {
		name string
		make func(t *testing.T, base string) string
		ok   bool
	}{
		{"work tree", func(t *testing.T, base string) string { return base }, true},
		{"git folder", func(t *testing.T, base string) string { return filepath.Join(base, ".git") }, true},
		{"folder in a work tree", func(t *testing.T, base string) string { return filepath.Join(base, "packages", "core") }, true},
		{"link to a work tree, named by the caller", func(t *testing.T, base string) string {
			link(t, base, base+"-link")
			return base + "-link"
		}, true},
		{"bare clone", func(t *testing.T, base string) string {
			testrepo.Git(t, base, "clone", "-q", "--bare", base, base+".git")
			return base + ".git"
		}, true},
		{"clone that borrows", func(t *testing.T, base string) string {
			testrepo.Git(t, base, "clone", "-q", "--shared", base, base+"-shared")
			return base + "-shared"
		}, true},
		{"linked work tree", func(t *testing.T, base string) string {
			testrepo.Git(t, base, "worktree", "add", "-q", base+"-linked")
			return base + "-linked"
		}, true},
		{"no repository", func(t *testing.T, base string) string { return t.TempDir() }, false},
		{"no folder", func(t *testing.T, base string) string { return base + "-none" }, false},
		{".git file without a way back", func(t *testing.T, base string) string {
			write(t, filepath.Join(base+"-x", ".git"), "gitdir: "+filepath.Join(base, ".git")+"\n")
			return base + "-x"
		}, false},
		{".git file of another work tree", func(t *testing.T, base string) string {
			testrepo.Git(t, base, "worktree", "add", "-q", base+"-linked")
			write(t, filepath.Join(base+"-x", ".git"), "gitdir: "+filepath.Join(base, ".git", "worktrees", "base-linked")+"\n")
			return base + "-x"
		}, false},
		{".git file that is no pointer", func(t *testing.T, base string) string {
			write(t, filepath.Join(base+"-x", ".git"), strings.Repeat("gitdir: x", 1000))
			return base + "-x"
		}, false},
		{".git is a link", func(t *testing.T, base string) string {
			os.MkdirAll(base+"-x", 0o755)
			link(t, filepath.Join(base, ".git"), filepath.Join(base+"-x", ".git"))
			return base + "-x"
		}, false},
		{"objects is a link", func(t *testing.T, base string) string {
			move(t, filepath.Join(base, ".git", "objects"), base+"-objects")
			link(t, base+"-objects", filepath.Join(base, ".git", "objects"))
			return base
		}, false},
		{"objects/pack is a link", func(t *testing.T, base string) string {
			move(t, filepath.Join(base, ".git", "objects", "pack"), base+"-pack")
			link(t, base+"-pack", filepath.Join(base, ".git", "objects", "pack"))
			return base
		}, false},
		{"commondir is a link", func(t *testing.T, base string) string {
			link(t, "/etc/hostname", filepath.Join(base, ".git", "commondir"))
			return base
		}, false},
		{"borrows from itself", func(t *testing.T, base string) string {
			write(t, filepath.Join(base, ".git", "objects", "info", "alternates"), filepath.Join(base, ".git", "objects")+"\n")
			return base
		}, false},
		{"borrows from a link", func(t *testing.T, base string) string {
			link(t, t.TempDir(), base+"-objects")
			write(t, filepath.Join(base, ".git", "objects", "info", "alternates"), base+"-objects\n")
			return base
		}, false},
		{"borrows from a device", func(t *testing.T, base string) string {
			write(t, filepath.Join(base, ".git", "objects", "info", "alternates"), "/dev/zero\n")
			return base
		}, false},
		{"borrows from a quoted path", func(t *testing.T, base string) string {
			write(t, filepath.Join(base, ".git", "objects", "info", "alternates"), "\"/tmp\"\n")
			return base
		}, false},
		{"alternates without end", func(t *testing.T, base string) string {
			write(t, filepath.Join(base, ".git", "objects", "info", "alternates"), strings.Repeat("#\n", maxAlternates))
			return base
		}, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := tt.make(t, testrepo.Base(t))
			r, err := Find(dir)
			if !tt.ok {
				if !errors.Is(err, ErrRepository) {
					t.Fatalf("Find = %+v, %v; want %v", r, err, ErrRepository)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			f := open(t, dir, Options{})
			name, err := r.Resolve("HEAD")
			if err != nil {
				t.Fatal(err)
			}
			c, err := f.CatFile(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			if o, err := c.Get(name+"^{commit}", 1<<20); err != nil || o.ID != testrepo.BaseCommit {
				t.Errorf("HEAD is %s, %v; want %s", o.ID, err, testrepo.BaseCommit)
			}
		})
	}
}

func TestObjectFolderWithColon(t *testing.T) {
	base := testrepo.Base(t)
	dir := filepath.Join(t.TempDir(), "a:b\"c\\d é")
	if err := os.Rename(base, dir); err != nil {
		t.Fatal(err)
	}
	f := open(t, dir, Options{})
	if _, err := f.Run(t.Context(), Command{Args: []string{"read-tree", testrepo.BaseCommit}}); err != nil {
		t.Error(err)
	}
}

func TestResolve(t *testing.T) {
	dir := testrepo.Base(t)
	second := testrepo.Commit(t, dir, map[string]string{"x.txt": "x\n"})
	testrepo.Git(t, dir, "tag", "-a", "-m", "x", "v1")
	testrepo.Git(t, dir, "branch", "feature/x", testrepo.BaseCommit)
	testrepo.Git(t, dir, "branch", "both", testrepo.BaseCommit)
	testrepo.Git(t, dir, "tag", "both")
	testrepo.Git(t, dir, "update-ref", "refs/remotes/origin/dev", testrepo.BaseCommit)
	testrepo.Git(t, dir, "pack-refs", "--all")
	testrepo.Git(t, dir, "branch", "loose", testrepo.BaseCommit)
	os.WriteFile(filepath.Join(dir, ".git", "refs", "heads", "loop"), []byte("ref: refs/heads/loop\n"), 0o644)
	os.WriteFile(filepath.Join(dir, ".git", "refs", "heads", "out"), []byte("ref: config\n"), 0o644)
	os.WriteFile(filepath.Join(dir, ".git", "refs", "heads", "bad"), []byte("not an id\n"), 0o644)
	os.WriteFile(filepath.Join(dir, ".git", "refs", "heads", "long256"), []byte(strings.Repeat("a", 64)+"\n"), 0o644)

	r, err := Find(dir)
	if err != nil {
		t.Fatal(err)
	}
	f := open(t, dir, Options{})
	c, err := f.CatFile(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	tests := []struct{ revision, want string }{
		{second, second},
		{second[:8], second},
		{"HEAD", second},
		{"@", second},
		{"HEAD~1", testrepo.BaseCommit},
		{"HEAD^", testrepo.BaseCommit},
		{"HEAD~0^1", testrepo.BaseCommit},
		{"v1", second},
		{"v1~", testrepo.BaseCommit},
		{"feature/x", testrepo.BaseCommit},
		{"refs/heads/feature/x", testrepo.BaseCommit},
		{"origin/dev", testrepo.BaseCommit},
		{"loose", testrepo.BaseCommit},
		{"refs/heads/both", testrepo.BaseCommit},
		{"both", ""},
		{"none", ""},
		{"HEAD~9", ""},
		{"loop", ""},
		{"out", ""},
		{"bad", ""},
		{"long256", ""},
		{"../HEAD", ""},
		{"refs/../HEAD", ""},
		{"refs/heads", ""},
		{"HEAD:x.txt", ""},
		{"HEAD@{1}", ""},
		{"HEAD..HEAD", ""},
		{"--all", ""},
		{"", ""},
		{"a b", ""},
		{"HEAD\n", ""},
		{"HEAD^{tree}", ""},
		{strings.Repeat("1", 40), ""},
		{strings.Repeat("a", 64), ""},
	}
	for _, tt := range tests {
		name, err := r.Resolve(tt.revision)
		var o Object
		if err == nil {
			o, err = c.Get(name+"^{commit}", 1<<20)
		}
		if o.ID != tt.want || (err == nil) != (tt.want != "") {
			t.Errorf("%q is %q, %v; want %q", tt.revision, o.ID, err, tt.want)
		}
		if err != nil && !errors.Is(err, ErrRevision) && !errors.Is(err, ErrMissing) {
			t.Errorf("%q: %v wraps no reason", tt.revision, err)
		}
	}
}
