package scratch

import (
	"bytes"
	"crypto/sha1"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
)

// ErrIndex marks an index that cannot be read with certainty, or that holds more than a plain list of files.
var ErrIndex = errors.New("unreadable index")

// maxIndex bounds an index, in bytes: that of 100,000 files has about ten MiB.
const maxIndex = 128 << 20

// Index is what git's index lists: the files of a tree. The format is version 2 of gitformat-index(5), which git writes unless it is told otherwise.
type Index struct {
	Tree    string // the id of the tree that was read into it; "" after any change
	entries []indexEntry
}

type indexEntry struct {
	path string
	mode string // as in a tree object
	id   string // 20 raw bytes
}

// Index reads the folder's private index, strictly: its checksum, git's order, no path twice, no conflicts, no flags that hide an entry and
// no extension that changes what the list means.
func (f *Folder) Index() (Index, error) {
	text, err := readRegular(f.Path("index"), maxIndex)
	if err != nil {
		return Index{}, fmt.Errorf("%w: %w", ErrIndex, err)
	}
	return parseIndex(text)
}

// The sizes of the parts of an index, in bytes.
const (
	indexHead  = 12 // "DIRC", version, number of entries
	indexMode  = 24 // where the mode of an entry stands: times and numbers of a work tree come before it
	indexID    = 40
	indexFlags = indexID + sha1.Size
	indexName  = indexFlags + 2
	extHead    = 8 // name and size
)

func parseIndex(text []byte) (Index, error) {
	if len(text) < indexHead+sha1.Size || !bytes.HasPrefix(text, []byte("DIRC\x00\x00\x00\x02")) {
		return Index{}, fmt.Errorf("%w: %d bytes that do not begin as version 2", ErrIndex, len(text))
	}
	body, sum := text[:len(text)-sha1.Size], text[len(text)-sha1.Size:]
	if got := sha1.Sum(body); !bytes.Equal(got[:], sum) {
		return Index{}, fmt.Errorf("%w: its checksum is %x, want %x", ErrIndex, got, sum)
	}
	count, rest := int(binary.BigEndian.Uint32(text[8:])), string(body[indexHead:])
	x := Index{entries: make([]indexEntry, 0, min(count, len(rest)/indexName))}
	for range count {
		e, size, err := parseIndexEntry(rest)
		if err != nil {
			return Index{}, err
		}
		if n := len(x.entries); n > 0 && e.path <= x.entries[n-1].path {
			return Index{}, fmt.Errorf("%w: %q is out of order or there twice", ErrIndex, cut(e.path))
		}
		x.entries, rest = append(x.entries, e), rest[size:]
	}
	return x, x.extensions(rest)
}

// parseIndexEntry reads one entry and its size, which is a multiple of eight with one to eight zeros after the name.
func parseIndexEntry(s string) (indexEntry, int, error) {
	if len(s) < indexName {
		return indexEntry{}, 0, fmt.Errorf("%w: cut off", ErrIndex)
	}
	name, _, ended := strings.Cut(s[indexName:], "\x00")
	size := (indexName + len(name) + 8) &^ 7
	flags := uint16(s[indexFlags])<<8 | uint16(s[indexFlags+1])
	if !ended || size > len(s) || strings.Trim(s[indexName+len(name):size], "\x00") != "" || int(flags) != min(len(name), 0xfff) {
		return indexEntry{}, 0, fmt.Errorf("%w: entry %q is cut off, in conflict or flagged", ErrIndex, cut(name))
	}
	mode := indexModeOf(binary.BigEndian.Uint32([]byte(s[indexMode:indexID])))
	if name == "" || mode == "" {
		return indexEntry{}, 0, fmt.Errorf("%w: entry %q is no file, link or submodule", ErrIndex, cut(name))
	}
	return indexEntry{name, mode, s[indexID:indexFlags]}, size, nil
}

// indexModeOf is a mode as a tree object has it.
func indexModeOf(mode uint32) string {
	switch mode {
	case 0o100644:
		return ModeFile
	case 0o100755:
		return ModeExec
	case 0o120000:
		return ModeLink
	case 0o160000:
		return ModeGitlink
	}
	return ""
}

// extensions reads what follows the entries. One whose name begins with a small letter changes what the entries mean: git asks readers that
// do not know it to stop.
func (x *Index) extensions(s string) error {
	for s != "" {
		if len(s) < extHead || s[0] < 'A' || s[0] > 'Z' {
			return fmt.Errorf("%w: extension %q", ErrIndex, cut(s[:min(len(s), 4)]))
		}
		size := uint64(binary.BigEndian.Uint32([]byte(s[4:])))
		if size > uint64(len(s)-extHead) {
			return fmt.Errorf("%w: extension %q is cut off", ErrIndex, s[:4])
		}
		if s[:4] == "TREE" {
			x.Tree = cachedTree(s[extHead : extHead+size])
		}
		s = s[extHead+size:]
	}
	return nil
}

// cachedTree is the id that the extension of cached trees has for the whole: no name, a zero, two numbers and the id. A first number below
// zero says that the list has changed since.
func cachedTree(s string) string {
	s, whole := strings.CutPrefix(s, "\x00")
	numbers, s, ok := strings.Cut(s, "\n")
	if !whole || !ok || len(s) < sha1.Size || strings.HasPrefix(numbers, "-") {
		return ""
	}
	return hex.EncodeToString([]byte(s[:sha1.Size]))
}

// Change is one path that two lists of files have differently.
type Change struct {
	Path string
	// Mode and ID are what the later list has; "" where it does not have the path.
	Mode, ID string
}

// Changes lists, in order, every path that after has differently.
func (x Index) Changes(after Index) []Change {
	var list []Change
	a, b := x.entries, after.entries
	for len(a) > 0 || len(b) > 0 {
		switch {
		case len(b) == 0 || len(a) > 0 && a[0].path < b[0].path:
			list = append(list, Change{Path: a[0].path})
			a = a[1:]
			continue
		case len(a) > 0 && a[0].path == b[0].path:
			same := a[0] == b[0]
			a = a[1:]
			if same {
				b = b[1:]
				continue
			}
		}
		list = append(list, Change{b[0].path, b[0].mode, hex.EncodeToString([]byte(b[0].id))})
		b = b[1:]
	}
	return list
}
