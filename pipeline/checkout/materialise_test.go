package checkout

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"selffix/internal/scratch"
	"selffix/internal/testrepo"
	"selffix/pipeline/tree"
)

// object writes an object into a repository that git itself would not write so.
func object(t *testing.T, repo, kind string, data []byte) string {
	t.Helper()
	id, err := scratch.WriteLoose(filepath.Join(repo, ".git", "objects"), kind, data)
	if err != nil {
		t.Fatal(err)
	}
	return id
}

// commitTree commits a tree made of entries, on no parent.
func commitTree(t *testing.T, repo string, entries ...scratch.TreeEntry) string {
	t.Helper()
	data, err := scratch.FormatTree(entries)
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(testrepo.Git(t, repo, "commit-tree", "-m", "t", object(t, repo, "tree", data)))
}

func materialise(t *testing.T, repo, commit string) (Trees, string, error) {
	t.Helper()
	dst := t.TempDir()
	got, err := Materialise(context.Background(), filepath.Join(repo, ".git", "objects"), commit, dst, Options{Scratch: t.TempDir(), Limits: tree.DefaultLimits()})
	if err == nil {
		err = MakeLinks(dst, got.Links)
	}
	return got, dst, err
}

func TestMaterialiseWritesTheCommitByteForByte(t *testing.T) {
	repo := testrepo.Base(t)
	// Everything by which a repository can make git write other bytes than it holds.
	commit := testrepo.Commit(t, repo, map[string]string{
		".gitattributes":                  "*.ts filter=evil eol=crlf ident\n",
		"packages/core/src/id.ts":         "// $Id$\n",
		"packages/web/CLAUDE.md":          "obey",
		"packages/web/.Claude/x.json":     "{}",
		".github/copilot-instructions.md": "obey",
	})
	testrepo.Git(t, repo, "config", "core.autocrlf", "true")
	testrepo.Git(t, repo, "config", "filter.evil.smudge", "sed s/split/evil/")
	got, dst, err := materialise(t, repo, commit)
	if err != nil {
		t.Fatal(err)
	}
	if want := strings.TrimSpace(testrepo.Git(t, repo, "rev-parse", commit+"^{tree}")); got.TestedTree != want {
		t.Errorf("tested tree %s, want %s", got.TestedTree, want)
	}
	for _, name := range []string{"packages/core/src/split.ts", "packages/core/src/windows.ts", "packages/core/src/id.ts", ".gitattributes"} {
		onDisk, err := os.ReadFile(filepath.Join(dst, name))
		if err != nil {
			t.Fatal(err)
		}
		if blob := testrepo.Git(t, repo, "cat-file", "blob", commit+":"+name); blob != string(onDisk) {
			t.Errorf("%s differs from its blob: %q", name, onDisk)
		}
	}
	for _, gone := range []string{"CLAUDE.md", "AGENTS.md", "packages/web/CLAUDE.md", "packages/web/.Claude", ".github/copilot-instructions.md"} {
		if _, err := os.Lstat(filepath.Join(dst, gone)); err == nil {
			t.Errorf("%s was written", gone)
		}
	}
	if got.RemovedCount != 5 || len(got.Removed) != 5 {
		t.Errorf("removed %d: %v, want 5", got.RemovedCount, got.Removed)
	}
	// What lies on the disk is the scrubbed tree, by an independent count.
	list, err := tree.List(dst, got.LinkTargets(), tree.DefaultLimits())
	if err != nil {
		t.Fatal(err)
	}
	if id, err := list.TreeID(); err != nil || id != got.ScrubbedTree || id == got.TestedTree {
		t.Errorf("scrubbed tree %s, on disk %s (%v)", got.ScrubbedTree, id, err)
	}
	if info, err := os.Stat(filepath.Join(dst, "packages/core/src/tool.ts")); err != nil || info.Mode().Perm() != 0o755 {
		t.Errorf("the executable file: %v, %v", info, err)
	}
	if target, err := os.Readlink(filepath.Join(dst, "packages/web/src/shared")); err != nil || target != "../../core/src" {
		t.Errorf("the link inside: %q, %v", target, err)
	}
}

func TestMaterialiseRefuses(t *testing.T) {
	repo := testrepo.Base(t)
	blob := object(t, repo, "blob", []byte("x"))
	inner, err := scratch.FormatTree([]scratch.TreeEntry{{Mode: scratch.ModeFile, Name: "config", ID: blob}})
	if err != nil {
		t.Fatal(err)
	}
	git := object(t, repo, "tree", inner)
	tests := []struct {
		name    string
		entries []scratch.TreeEntry
		want    error
	}{
		{"submodule", []scratch.TreeEntry{{Mode: scratch.ModeGitlink, Name: "sub", ID: testrepo.BaseCommit}}, ErrTree},
		{"git folder", []scratch.TreeEntry{{Mode: scratch.ModeTree, Name: ".git", ID: git}}, ErrTree},
		{"git folder in capitals", []scratch.TreeEntry{{Mode: scratch.ModeTree, Name: ".GIT", ID: git}}, ErrTree},
		{"git folder with a character that HFS+ drops", []scratch.TreeEntry{{Mode: scratch.ModeTree, Name: ".g\u200cit", ID: git}}, ErrTree},
		{"git folder as Windows shortens it", []scratch.TreeEntry{{Mode: scratch.ModeTree, Name: "GIT~1", ID: git}}, ErrTree},
		{"git folder as a stream", []scratch.TreeEntry{{Mode: scratch.ModeFile, Name: ".git::$INDEX_ALLOCATION", ID: blob}}, ErrTree},
		{"file that is a folder", []scratch.TreeEntry{{Mode: scratch.ModeFile, Name: "a", ID: git}}, ErrTree},
		{"folder that is a file", []scratch.TreeEntry{{Mode: scratch.ModeTree, Name: "a", ID: blob}}, ErrTree},
		{"object that is not there", []scratch.TreeEntry{{Mode: scratch.ModeFile, Name: "a", ID: strings.Repeat("1", 40)}}, ErrTree},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if _, _, err := materialise(t, repo, commitTree(t, repo, tt.entries...)); !errors.Is(err, tt.want) {
				t.Errorf("error %v, want %v", err, tt.want)
			}
		})
	}
	t.Run("group-writable mode", func(t *testing.T) {
		id := object(t, repo, "tree", []byte("100664 a\x00"+strings.Repeat("a", 20)))
		commit := strings.TrimSpace(testrepo.Git(t, repo, "commit-tree", "-m", "t", id))
		if _, _, err := materialise(t, repo, commit); !errors.Is(err, ErrTree) {
			t.Errorf("error %v, want ErrTree", err)
		}
	})
	for _, commit := range []string{strings.Repeat("0", 40), blob, "HEAD", testrepo.BaseCommit[:12], strings.ToUpper(testrepo.BaseCommit)} {
		if _, _, err := materialise(t, repo, commit); !errors.Is(err, ErrCommit) {
			t.Errorf("commit %s: error %v, want ErrCommit", commit, err)
		}
	}
}

func TestMaterialiseLimits(t *testing.T) {
	repo := testrepo.Base(t)
	for name, change := range map[string]func(*tree.Limits){
		"entries": func(l *tree.Limits) { l.Entries = 10 },
		"depth":   func(l *tree.Limits) { l.Depth = 2 },
		"name":    func(l *tree.Limits) { l.NameBytes = 8 },
		"file":    func(l *tree.Limits) { l.FileBytes = 100 },
		"bytes":   func(l *tree.Limits) { l.Bytes = 500 },
	} {
		t.Run(name, func(t *testing.T) {
			l := tree.DefaultLimits()
			change(&l)
			_, err := Materialise(t.Context(), filepath.Join(repo, ".git", "objects"), testrepo.BaseCommit, t.TempDir(), Options{Scratch: t.TempDir(), Limits: l})
			if !errors.Is(err, ErrLimit) {
				t.Errorf("error %v, want ErrLimit", err)
			}
		})
	}
}

// A repository that was given cannot say what its commit holds: neither by a replacement nor by a forged object.
func TestMaterialiseIgnoresReplacements(t *testing.T) {
	repo := testrepo.Base(t)
	blob := strings.TrimSpace(testrepo.Git(t, repo, "rev-parse", testrepo.BaseCommit+":packages/core/src/money.ts"))
	testrepo.Git(t, repo, "replace", blob, object(t, repo, "blob", []byte("evil")))
	_, dst, err := materialise(t, repo, testrepo.BaseCommit)
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(dst, "packages/core/src/money.ts"))
	if err != nil || strings.Contains(string(text), "evil") {
		t.Errorf("the replacement was written: %q, %v", text, err)
	}
}

func TestLinks(t *testing.T) {
	repo := testrepo.Base(t)
	tests := map[string]bool{ // target of a link at dir/link, and whether it stays
		"file": true, "../top": true, "./file": true, "../dir/file": true, "sub": true, "inner": true, "sub/../file": true,
		"/etc/passwd": false, "../../outside": false, "../..": false, "missing": false, "": false, ".": false, "..": false, "../dir": false,
		"link": false, "loop": false, "out": false, "out/passwd": false, "through": false, "../CLAUDE.md": false, "sub/../../../x": false,
	}
	for target, stays := range tests {
		t.Run(strings.ReplaceAll(target, "/", "|"), func(t *testing.T) {
			link := func(name, to string) scratch.TreeEntry {
				return scratch.TreeEntry{Mode: scratch.ModeLink, Name: name, ID: object(t, repo, "blob", []byte(to))}
			}
			blob := object(t, repo, "blob", []byte("x"))
			file := func(name string) scratch.TreeEntry {
				return scratch.TreeEntry{Mode: scratch.ModeFile, Name: name, ID: blob}
			}
			sub, err := scratch.FormatTree([]scratch.TreeEntry{file("deep")})
			if err != nil {
				t.Fatal(err)
			}
			dir, err := scratch.FormatTree([]scratch.TreeEntry{
				file("file"), link("inner", "file"), link("link", target), link("loop", "loop"), link("out", "/etc"),
				{Mode: scratch.ModeTree, Name: "sub", ID: object(t, repo, "tree", sub)}, link("through", "out/passwd"),
			})
			if err != nil {
				t.Fatal(err)
			}
			commit := commitTree(t, repo, file("CLAUDE.md"), scratch.TreeEntry{Mode: scratch.ModeTree, Name: "dir", ID: object(t, repo, "tree", dir)}, file("top"))
			got, dst, err := materialise(t, repo, commit)
			if err != nil {
				t.Fatal(err)
			}
			_, lerr := os.Lstat(filepath.Join(dst, "dir", "link"))
			if (lerr == nil) != stays || (got.LinkTargets()["dir/link"] == target && target != "") != stays {
				t.Errorf("the link stays: %v, want %v", lerr == nil, stays)
			}
			if _, err := os.Lstat(filepath.Join(dst, "dir", "out")); err == nil {
				t.Error("a link to /etc was written")
			}
		})
	}
}
