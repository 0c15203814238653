package tree

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"selffix/internal/scratch"
	"selffix/pipeline"
)

// Entry is one file of a tree: never a folder, which git does not record either.
type Entry struct {
	Path string // slash-separated, relative
	Mode string // scratch.ModeFile, scratch.ModeExec or scratch.ModeLink
	ID   string // of the blob
	Size int64
}

// Listing is every file of a tree, ordered by path as bytes.
type Listing []Entry

// Sort orders the listing by path, as every other method wants it.
func (l Listing) Sort() {
	slices.SortFunc(l, func(a, b Entry) int { return strings.Compare(a.Path, b.Path) })
}

// Find returns the entry at a path.
func (l Listing) Find(path string) (Entry, bool) {
	i, ok := slices.BinarySearchFunc(l, path, func(e Entry, p string) int { return strings.Compare(e.Path, p) })
	if !ok {
		return Entry{}, false
	}
	return l[i], true
}

// Inventory is the listing as "git ls-tree -rz" prints it, hashed, with the number and bytes of its files.
// Times and owners are no part of it.
func (l Listing) Inventory() pipeline.Inventory {
	h := sha256.New()
	inv := pipeline.Inventory{Files: len(l)}
	for _, e := range l {
		fmt.Fprintf(h, "%s blob %s\t%s\x00", e.Mode, e.ID, e.Path)
		inv.Bytes += e.Size
	}
	inv.SHA256 = hex.EncodeToString(h.Sum(nil))
	return inv
}

// Object is one tree object of a listing, ready to be written.
type Object struct {
	ID   string
	Data []byte
}

// TreeID is the id of the tree that git makes of the listing.
func (l Listing) TreeID() (string, error) {
	id, _, err := l.Trees()
	return id, err
}

// Trees returns the id of the whole tree and every tree object below it, the root last.
func (l Listing) Trees() (string, []Object, error) {
	var objects []Object
	id, err := l.trees("", &objects)
	return id, objects, err
}

// trees makes the tree of the entries of l, all of which lie below prefix.
func (l Listing) trees(prefix string, objects *[]Object) (string, error) {
	var entries []scratch.TreeEntry
	for i := 0; i < len(l); {
		name, _, folder := strings.Cut(l[i].Path[len(prefix):], "/")
		if !folder {
			entries = append(entries, scratch.TreeEntry{Mode: l[i].Mode, Name: name, ID: l[i].ID})
			i++
			continue
		}
		below := prefix + name + "/"
		end := i + 1
		for end < len(l) && strings.HasPrefix(l[end].Path, below) {
			end++
		}
		id, err := l[i:end].trees(below, objects)
		if err != nil {
			return "", err
		}
		entries = append(entries, scratch.TreeEntry{Mode: scratch.ModeTree, Name: name, ID: id})
		i = end
	}
	slices.SortFunc(entries, scratch.CompareEntries)
	data, err := scratch.FormatTree(entries)
	if err != nil {
		return "", err
	}
	o := Object{ID: scratch.HashObject("tree", data), Data: data}
	*objects = append(*objects, o)
	return o.ID, nil
}
