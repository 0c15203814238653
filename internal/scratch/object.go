package scratch

import (
	"bytes"
	"compress/zlib"
	"crypto/sha1"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// ErrTree marks a tree object that git would not have written.
var ErrTree = errors.New("malformed tree object")

// The modes that a tree entry can have.
const (
	ModeFile    = "100644"
	ModeExec    = "100755"
	ModeLink    = "120000"
	ModeGitlink = "160000"
	ModeTree    = "40000"
)

// TreeEntry is one line of a tree object.
type TreeEntry struct {
	Mode string // as it stands in the object: "40000" for a folder
	Name string
	ID   string
}

// HashObject is the id that git gives to an object.
func HashObject(kind string, data []byte) string {
	h := sha1.New()
	fmt.Fprintf(h, "%s %d\x00", kind, len(data))
	h.Write(data)
	return hex.EncodeToString(h.Sum(nil))
}

// ParseTree reads a tree object strictly: modes that git writes, names that are one path part, git's order, no name twice.
func ParseTree(data []byte) ([]TreeEntry, error) {
	var entries []TreeEntry
	seen := map[string]bool{} // a file and a folder of one name may stand far apart in git's order
	for len(data) > 0 {
		head, rest, ok := bytes.Cut(data, []byte{0})
		if !ok || len(rest) < sha1.Size {
			return nil, fmt.Errorf("%w: cut off after %d entries", ErrTree, len(entries))
		}
		mode, name, ok := strings.Cut(string(head), " ")
		if !ok || name == "" || name == "." || name == ".." || strings.Contains(name, "/") {
			return nil, fmt.Errorf("%w: entry %q", ErrTree, cut(string(head)))
		}
		switch mode {
		case ModeFile, ModeExec, ModeLink, ModeGitlink, ModeTree:
		default:
			return nil, fmt.Errorf("%w: mode %q of entry %q", ErrTree, cut(mode), cut(name))
		}
		e := TreeEntry{Mode: mode, Name: name, ID: hex.EncodeToString(rest[:sha1.Size])}
		if n := len(entries); seen[name] || n > 0 && e.sortKey() <= entries[n-1].sortKey() {
			return nil, fmt.Errorf("%w: entry %q is out of order or there twice", ErrTree, cut(name))
		}
		seen[name] = true
		entries = append(entries, e)
		data = rest[sha1.Size:]
	}
	return entries, nil
}

// sortKey orders entries as git does: a folder's name counts as if it ended in a slash.
func (e TreeEntry) sortKey() string {
	if e.Mode == ModeTree {
		return e.Name + "/"
	}
	return e.Name
}

// CompareEntries is git's order of the entries of a tree.
func CompareEntries(a, b TreeEntry) int { return strings.Compare(a.sortKey(), b.sortKey()) }

// FormatTree writes a tree object from entries that are in git's order.
func FormatTree(entries []TreeEntry) ([]byte, error) {
	var b bytes.Buffer
	for _, e := range entries {
		id, err := hex.DecodeString(e.ID)
		if err != nil || len(id) != sha1.Size {
			return nil, fmt.Errorf("%w: id %q of entry %q", ErrTree, cut(e.ID), cut(e.Name))
		}
		fmt.Fprintf(&b, "%s %s\x00", e.Mode, e.Name)
		b.Write(id)
	}
	if _, err := ParseTree(b.Bytes()); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// WriteLoose writes an object into an object folder as git does and returns its id. An object that is there already is left alone.
func WriteLoose(objects, kind string, data []byte) (string, error) {
	id := HashObject(kind, data)
	dir := filepath.Join(objects, id[:2])
	p := filepath.Join(dir, id[2:])
	if _, err := os.Lstat(p); err == nil {
		return id, nil
	}
	var b bytes.Buffer
	z := zlib.NewWriter(&b)
	fmt.Fprintf(z, "%s %d\x00", kind, len(data))
	z.Write(data)
	if err := z.Close(); err != nil {
		return "", fmt.Errorf("write object %s: %w", id, err)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", fmt.Errorf("write object %s: %w", id, err)
	}
	tmp, err := os.CreateTemp(dir, "tmp_obj_")
	if err != nil {
		return "", fmt.Errorf("write object %s: %w", id, err)
	}
	_, err = tmp.Write(b.Bytes())
	if err = errors.Join(err, tmp.Chmod(0o444), tmp.Close()); err == nil {
		err = os.Rename(tmp.Name(), p)
	}
	if err != nil {
		return "", errors.Join(fmt.Errorf("write object %s: %w", id, err), os.Remove(tmp.Name()))
	}
	return id, nil
}
