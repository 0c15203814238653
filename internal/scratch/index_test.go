package scratch

import (
	"crypto/sha1"
	"encoding/binary"
	"errors"
	"slices"
	"strings"
	"testing"

	"selffix/internal/testrepo"
)

// TestIndexAsGitWritesIt reads indexes that git made, and compares what changed between them with git's own listing.
func TestIndexAsGitWritesIt(t *testing.T) {
	dir := testrepo.Base(t)
	long := strings.Repeat("long/", 900) + "name" // longer than the entry's own field for it
	testrepo.Commit(t, dir, map[string]string{"a": "1", "a.b": "2", "a0/x": "3", "A": "4", "ü": "5", "gone": "7", "same": "8"})
	f := open(t, dir, Options{})
	tree := strings.TrimSpace(testrepo.Git(t, dir, "rev-parse", "HEAD^{tree}"))
	git := func(stdin string, args ...string) string {
		t.Helper()
		out, err := f.Run(t.Context(), Command{Args: args, Stdin: []byte(stdin)})
		if err != nil {
			t.Fatal(err)
		}
		return string(out)
	}
	git("", "read-tree", tree)
	before, err := f.Index()
	if err != nil || before.Tree != tree {
		t.Fatalf("the index of tree %s = %s, %v", tree, before.Tree, err)
	}
	if same := before.Changes(before); len(same) > 0 {
		t.Errorf("an index differs from itself: %v", same)
	}
	blob := strings.TrimSpace(git("new", "hash-object", "-w", "--stdin"))
	zero := strings.Repeat("0", 40)
	git(strings.Join([]string{
		"100644 " + blob + "\ta", "100755 " + blob + "\ta.b", "120000 " + blob + "\tz", "160000 " + blob + "\tmodule",
		"0 " + zero + "\tgone", "0 " + zero + "\ta0/x", "100644 " + blob + "\t" + long, "",
	}, "\n"), "update-index", "--index-info")
	after, err := f.Index()
	if err != nil || after.Tree != "" {
		t.Fatalf("a changed index says it is tree %q, %v", after.Tree, err)
	}
	var want []Change
	fields := strings.Split(git("", "diff-index", "--cached", "--raw", "-z", "--no-renames", "--no-abbrev", tree), "\x00")
	for i := 0; i+1 < len(fields); i += 2 {
		head := strings.Split(fields[i], " ")
		c := Change{Path: fields[i+1]}
		if head[4] != "D" {
			c.Mode, c.ID = head[1], head[3]
		}
		want = append(want, c)
	}
	if got := before.Changes(after); len(want) != 7 || !slices.Equal(got, want) {
		t.Errorf("the index changed in\n%v\ngit lists\n%v", got, want)
	}
}

// entry is one entry of an index as bytes.
func entry(mode uint32, flags uint16, name string) string {
	b := make([]byte, indexName)
	binary.BigEndian.PutUint32(b[indexMode:], mode)
	binary.BigEndian.PutUint16(b[indexFlags:], flags)
	size := (indexName + len(name) + 8) &^ 7
	return string(b) + name + strings.Repeat("\x00", size-indexName-len(name))
}

// indexOf is an index as bytes, with the right checksum.
func indexOf(version byte, count uint32, body string) []byte {
	b := append([]byte("DIRC\x00\x00\x00"), version)
	b = binary.BigEndian.AppendUint32(b, count)
	b = append(b, body...)
	sum := sha1.Sum(b)
	return append(b, sum[:]...)
}

func extension(name, data string) string {
	return string(binary.BigEndian.AppendUint32([]byte(name), uint32(len(data)))) + data
}

func TestIndexIsReadStrictly(t *testing.T) {
	id := strings.Repeat("\x01", 20)
	good := entry(0o100644, 1, "a") + entry(0o100755, 1, "b")
	for _, tt := range []struct {
		name string
		text []byte
		ok   bool
	}{
		{"two files", indexOf(2, 2, good), true},
		{"a tree and an extension that may be left alone", indexOf(2, 2, good+extension("TREE", "\x002 0\n"+id)+extension("ABCD", "x")), true},
		{"nothing", nil, false},
		{"another version", indexOf(4, 2, good), false},
		{"another beginning", append([]byte("DIRT"), indexOf(2, 2, good)[4:]...), false},
		{"a wrong checksum", append(indexOf(2, 2, good)[:len(good)+indexHead], make([]byte, 20)...), false},
		{"fewer entries than it says", indexOf(2, 3, good), false},
		{"more entries than it says", indexOf(2, 1, good), false},
		{"out of order", indexOf(2, 2, entry(0o100644, 1, "b")+entry(0o100644, 1, "a")), false},
		{"a path twice", indexOf(2, 2, entry(0o100644, 1, "a")+entry(0o100644, 1, "a")), false},
		{"a conflict", indexOf(2, 1, entry(0o100644, 0x1001, "a")), false},
		{"an entry that git takes for unchanged", indexOf(2, 1, entry(0o100644, 0x8001, "a")), false},
		{"more flags", indexOf(2, 1, entry(0o100644, 0x4001, "a")), false},
		{"a length that is not the name's", indexOf(2, 1, entry(0o100644, 2, "a")), false},
		{"no name", indexOf(2, 1, entry(0o100644, 0, "")), false},
		{"a folder", indexOf(2, 1, entry(0o40000, 1, "a")), false},
		{"bytes behind the name", indexOf(2, 1, strings.TrimSuffix(entry(0o100644, 1, "a"), "\x00")+"x"), false},
		{"cut off in an entry", indexOf(2, 2, good[:len(good)-1]), false},
		{"an extension that changes what the entries mean", indexOf(2, 2, good+extension("link", id)), false},
		{"an extension that is cut off", indexOf(2, 2, good+extension("TREE", id)[:20]), false},
		{"less than an extension", indexOf(2, 2, good+"TREE"), false},
	} {
		x, err := parseIndex(tt.text)
		if (err == nil) != tt.ok || err != nil && !errors.Is(err, ErrIndex) {
			t.Errorf("%s: %+v, %v", tt.name, x, err)
		}
	}
}

// TestIndexOfAChangedTree holds that only a whole, valid cached tree counts.
func TestIndexOfAChangedTree(t *testing.T) {
	id := strings.Repeat("\x01", 20)
	for data, want := range map[string]string{
		"\x002 0\n" + id:          strings.Repeat("01", 20),
		"\x002 0\n" + id + "sub…": strings.Repeat("01", 20),
		"\x00-1 0\n" + id:         "",
		"\x002 0\n" + id[:19]:     "",
		"\x002 0":                 "",
		"a\x002 0\n" + id:         "",
		"":                        "",
	} {
		if x, err := parseIndex(indexOf(2, 0, extension("TREE", data))); err != nil || x.Tree != want {
			t.Errorf("%q: tree %q, %v, want %q", data, x.Tree, err, want)
		}
	}
}
