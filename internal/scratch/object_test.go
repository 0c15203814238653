package scratch

import (
	"errors"
	"os"
	"strings"
	"testing"

	"selffix/internal/testrepo"
)

func TestTreesAsGitWritesThem(t *testing.T) {
	dir := testrepo.Base(t)
	testrepo.Commit(t, dir, map[string]string{"a": "1", "a.b": "2", "a0/x": "3", "A": "4", "ü": "5", "a-b/c/d": "6"})
	f := open(t, dir, Options{})
	c, err := f.CatFile(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	seen := 0
	for _, id := range strings.Fields(testrepo.Git(t, dir, "rev-list", "--objects", "--no-object-names", "--all")) {
		o, err := c.Get(id, 1<<20)
		if err != nil {
			t.Fatal(err)
		}
		if o.Type != "tree" {
			continue
		}
		seen++
		entries, err := ParseTree(o.Data)
		if err != nil {
			t.Fatal(err)
		}
		back, err := FormatTree(entries)
		if err != nil || string(back) != string(o.Data) {
			t.Errorf("tree %s is not written back as it was: %v", id, err)
		}
	}
	if seen < 10 {
		t.Errorf("only %d trees were read", seen)
	}
}

func TestMalformedTrees(t *testing.T) {
	id := strings.Repeat("\x01", 20)
	for _, data := range []string{
		"100644 a",
		"100644 a\x00" + id[:19],
		"100644a\x00" + id,
		"100644 \x00" + id,
		"100644 .\x00" + id,
		"100644 ..\x00" + id,
		"100644 a/b\x00" + id,
		"100664 a\x00" + id,
		"040000 a\x00" + id,
		"100644 b\x00" + id + "100644 a\x00" + id,
		"100644 a\x00" + id + "100644 a\x00" + id,
		"100644 a\x00" + id + "100644 a.b\x00" + id + "40000 a\x00" + id,
		"40000 a\x00" + id + "100644 a.b\x00" + id,
	} {
		if e, err := ParseTree([]byte(data)); !errors.Is(err, ErrTree) {
			t.Errorf("ParseTree(%q) = %v, %v; want %v", data, e, err, ErrTree)
		}
	}
	if _, err := FormatTree([]TreeEntry{{Mode: ModeFile, Name: "a", ID: "12"}}); !errors.Is(err, ErrTree) {
		t.Errorf("FormatTree of a short id = %v, want %v", err, ErrTree)
	}
}

func TestWriteLoose(t *testing.T) {
	f := open(t, "", Options{})
	for range 2 {
		id, err := WriteLoose(f.Objects(), "blob", []byte("hello\n"))
		if err != nil || id != "ce013625030ba8dba906f756967f9e9ca394464a" {
			t.Fatalf("WriteLoose = %s, %v", id, err)
		}
	}
	out, err := f.Run(t.Context(), Command{Args: []string{"fsck", "--strict", "--full"}})
	if err != nil || !strings.Contains(string(out), "dangling blob ce01") {
		t.Errorf("git fsck says %q, %v", out, err)
	}
	if left, _ := os.ReadDir(f.Path("git/objects/ce")); len(left) != 1 {
		t.Errorf("%d files in the object's folder, want 1", len(left))
	}
}
