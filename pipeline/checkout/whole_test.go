package checkout

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"selffix/internal/scratch"
	"selffix/internal/testrepo"
	"selffix/pipeline/tree"
)

func write(t *testing.T, repo, id string, keep func(string) bool) (tree.Listing, string, error) {
	t.Helper()
	dst := t.TempDir()
	got, err := Write(t.Context(), scratch.Repository{Objects: filepath.Join(repo, ".git", "objects")}, id, dst,
		Options{Scratch: t.TempDir(), Limits: tree.DefaultLimits()}, keep)
	if err == nil {
		err = MakeLinks(dst, got.Links)
	}
	return got.Listing, dst, err
}

// A commit and its tree are written alike, and nothing is scrubbed: what is checked is what will be pushed.
func TestWriteIsWhole(t *testing.T) {
	repo := testrepo.Base(t)
	commit := testrepo.Commit(t, repo, map[string]string{"CLAUDE.md": "obey", ".npmrc": "ignore-scripts=true\n", ".gitattributes": "*.ts eol=crlf\n"})
	root := strings.TrimSpace(testrepo.Git(t, repo, "rev-parse", commit+"^{tree}"))
	for _, id := range []string{commit, root} {
		l, dst, err := write(t, repo, id, nil)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := l.TreeID(); err != nil || got != root {
			t.Errorf("the listing is of %s, want %s, %v", got, root, err)
		}
		onDisk, err := listed(t, dst)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := onDisk.TreeID(); err != nil || got != root {
			t.Errorf("what was written is %s, want %s, %v", got, root, err)
		}
	}
}

func TestWriteOnlyWhatIsKept(t *testing.T) {
	repo := testrepo.Base(t)
	commit := testrepo.Commit(t, repo, map[string]string{"a/package.json": "{}", "a/other": "x"})
	_, dst, err := write(t, repo, commit, func(p string) bool { return p == "a/package.json" })
	if err != nil {
		t.Fatal(err)
	}
	l, err := tree.List(dst, nil, tree.DefaultLimits())
	if err != nil || len(l) != 1 || l[0].Path != "a/package.json" {
		t.Errorf("%+v, %v", l, err)
	}
}

func TestWriteRefuses(t *testing.T) {
	repo := testrepo.Base(t)
	blob := object(t, repo, "blob", []byte("x"))
	for name, id := range map[string]string{"a name": "main", "no object": strings.Repeat("0", 40), "a blob": blob, "short": "abcd"} {
		if _, dst, err := write(t, repo, id, nil); err == nil {
			t.Errorf("%s was written", name)
		} else if left, readErr := os.ReadDir(dst); readErr != nil || len(left) != 0 {
			t.Errorf("%s: %v are there, %v", name, left, readErr)
		} else if !errors.Is(err, ErrCommit) && !errors.Is(err, ErrTree) {
			t.Errorf("%s: %v", name, err)
		}
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
