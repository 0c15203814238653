package local

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"selffix/internal/scratch"
)

// A clone that borrows from another, which borrows from a third: a step gets the objects of all three in one folder.
func TestObjectsOfASharedClone(t *testing.T) {
	parent := t.TempDir()
	first, second, third := filepath.Join(parent, "first"), filepath.Join(parent, "sec[o]nd"), filepath.Join(parent, "third")
	git := func(dir string, args ...string) string {
		t.Helper()
		c := exec.Command("git", args...)
		c.Dir = dir
		c.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + parent, "GIT_CONFIG_NOSYSTEM=1", "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.invalid",
			"GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.invalid"}
		out, err := c.CombinedOutput()
		if err != nil {
			t.Fatalf("git %q: %v\n%s", args, err, out)
		}
		return strings.TrimSpace(string(out))
	}
	commit := func(dir, text string) string {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, "a.txt"), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		git(dir, "add", ".")
		git(dir, "commit", "-q", "-m", text)
		return git(dir, "rev-parse", "HEAD")
	}
	git(parent, "init", "-q", first)
	commits := []string{commit(first, "one")}
	git(first, "repack", "-q", "-a", "-d")
	git(parent, "clone", "-q", "--shared", first, second)
	commits = append(commits, commit(second, "two"))
	git(parent, "clone", "-q", "--shared", second, third)
	commits = append(commits, commit(third, "three"))
	// What a store says about itself is not taken.
	if err := os.WriteFile(filepath.Join(third, ".git", "objects", "info", "packs"), []byte("P none\n"), 0o644); err != nil {
		t.Fatal(err)
	}

	r, err := scratch.Find(third)
	if err != nil {
		t.Fatal(err)
	}
	i := interpreter(t, nil)
	objects, err := i.Objects(r)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(objects, "info")); !os.IsNotExist(err) {
		t.Errorf("a store's info folder was taken: %v", err)
	}
	bare := filepath.Join(parent, "bare")
	git(parent, "init", "-q", "--bare", bare)
	for _, c := range commits {
		show := exec.Command("git", "--git-dir", bare, "cat-file", "commit", c)
		show.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + parent, "GIT_ALTERNATE_OBJECT_DIRECTORIES=" + objects}
		if out, err := show.CombinedOutput(); err != nil {
			t.Errorf("commit %s: %v\n%s", c, err, out)
		}
	}
	alone, err := scratch.Find(first)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := i.Objects(alone); err != nil || got != alone.Objects {
		t.Errorf("a repository that borrows nothing: %q, %v, want its own folder %q", got, err, alone.Objects)
	}
}
