package checker

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"selffix/internal/scratch"
)

// The most that is read of one object of the base. A larger changed file is refused; a larger folder on the way to one ends the check undecided.
const (
	maxBlobBytes = 16 << 20
	maxTreeBytes = 16 << 20
	maxTrees     = 20_000
)

// baseTree is the tree that the patch applies to, read object by object, each hashed again.
type baseTree struct {
	cat   *scratch.CatFile
	root  string
	trees map[string][]scratch.TreeEntry // by id
	blobs map[string][]byte              // by id
	read  int                            // bytes of blobs
}

// openBase finds the tree of a commit.
func openBase(cat *scratch.CatFile, name string) (*baseTree, error) {
	commit, err := cat.Get(name+"^{commit}", maxTreeBytes)
	if err != nil {
		return nil, err
	}
	line, _, _ := bytes.Cut(commit.Data, []byte{'\n'})
	root, ok := strings.CutPrefix(string(line), "tree ")
	if commit.Type != "commit" || !ok {
		return nil, fmt.Errorf("object %s is no commit", commit.ID)
	}
	b := &baseTree{cat: cat, root: root, trees: map[string][]scratch.TreeEntry{}, blobs: map[string][]byte{}}
	_, err = b.tree(root)
	return b, err
}

// baseError is a base that could not be read. Then there is no verdict.
type baseError struct{ err error }

func (e baseError) Error() string { return "read the base: " + e.err.Error() }
func (e baseError) Unwrap() error { return e.err }

// tree reads a folder.
func (b *baseTree) tree(id string) ([]scratch.TreeEntry, error) {
	if t, ok := b.trees[id]; ok {
		return t, nil
	}
	if len(b.trees) >= maxTrees {
		return nil, baseError{fmt.Errorf("more than %d folders on the way to the changed paths", maxTrees)}
	}
	o, err := b.cat.Get(id, maxTreeBytes)
	if err != nil {
		return nil, baseError{err}
	}
	if o.Type != "tree" {
		return nil, baseError{fmt.Errorf("object %s is no tree", id)}
	}
	t, err := scratch.ParseTree(o.Data)
	if err != nil {
		return nil, baseError{fmt.Errorf("object %s: %w", id, err)}
	}
	b.trees[id] = t
	return t, nil
}

// lookup finds the entry at a path, compared byte for byte.
func (b *baseTree) lookup(path string) (scratch.TreeEntry, bool, error) {
	at := scratch.TreeEntry{Mode: scratch.ModeTree, ID: b.root}
	for part := range strings.SplitSeq(path, "/") {
		if at.Mode != scratch.ModeTree {
			return scratch.TreeEntry{}, false, nil
		}
		t, err := b.tree(at.ID)
		if err != nil {
			return scratch.TreeEntry{}, false, err
		}
		i := slices.IndexFunc(t, func(e scratch.TreeEntry) bool { return e.Name == part })
		if i < 0 {
			return scratch.TreeEntry{}, false, nil
		}
		at = t[i]
	}
	return at, true, nil
}

// fileAbove returns the part of a path at which the base holds something that is not a folder, so that nothing can lie below it.
func (b *baseTree) fileAbove(path string) (string, error) {
	for i, c := range path {
		if c != '/' {
			continue
		}
		e, ok, err := b.lookup(path[:i])
		if err != nil {
			return "", err
		}
		if !ok {
			return "", nil
		}
		if e.Mode != scratch.ModeTree {
			return path[:i], nil
		}
	}
	return "", nil
}

// content is the bytes of a file, or the target of a link, or the line that stands for a submodule in a patch.
func (b *baseTree) content(e scratch.TreeEntry) ([]byte, error) {
	if e.Mode == scratch.ModeGitlink {
		return []byte(gitlinkText + e.ID + "\n"), nil
	}
	return b.blob(e.ID)
}

// blob reads a file's bytes, from the base or from what git wrote into the scratch folder.
func (b *baseTree) blob(id string) ([]byte, error) {
	if data, ok := b.blobs[id]; ok {
		return data, nil
	}
	if b.read > maxWork {
		return nil, errTooMuch
	}
	o, err := b.cat.Get(id, maxBlobBytes)
	if errors.Is(err, scratch.ErrTooBig) {
		return nil, errTooLarge
	}
	if err == nil && o.Type != "blob" {
		err = fmt.Errorf("object %s is no blob", id)
	}
	if err != nil {
		return nil, baseError{err}
	}
	b.blobs[id] = o.Data
	b.read += len(o.Data)
	return o.Data, nil
}

// names returns every path of the base that is path but for case.
func (b *baseTree) names(path string) ([]string, error) {
	type found struct {
		name  string
		entry scratch.TreeEntry
	}
	at := []found{{"", scratch.TreeEntry{Mode: scratch.ModeTree, ID: b.root}}}
	for part := range strings.SplitSeq(path, "/") {
		var next []found
		for _, f := range at {
			if f.entry.Mode != scratch.ModeTree {
				continue
			}
			t, err := b.tree(f.entry.ID)
			if err != nil {
				return nil, err
			}
			for _, kid := range t {
				if strings.EqualFold(kid.Name, part) {
					next = append(next, found{strings.TrimPrefix(f.name+"/"+kid.Name, "/"), kid})
				}
			}
		}
		at = next
	}
	var names []string
	for _, f := range at {
		names = append(names, f.name)
	}
	return names, nil
}

// result writes down the tree that the effects make of the base. It returns the new tree's id and the folders that are new, by id.
func (b *baseTree) result(effects map[string]effect) (string, map[string][]byte, error) {
	made := map[string][]byte{}
	top := &folder{}
	for path, e := range effects {
		top.put(path, e)
	}
	id, err := b.rebuild(b.root, top, made)
	if err == nil && id == "" {
		err = errors.New("nothing would be left of the tree")
	}
	return id, made, err
}

// folder holds the effects below one folder.
type folder struct {
	kids map[string]*folder
	leaf *effect
}

func (f *folder) put(path string, e effect) {
	for part := range strings.SplitSeq(path, "/") {
		if f.kids == nil {
			f.kids = map[string]*folder{}
		}
		if f.kids[part] == nil {
			f.kids[part] = &folder{}
		}
		f = f.kids[part]
	}
	f.leaf = &e
}

// rebuild writes one folder anew; "" is a folder that nothing is left of, or that was not there.
func (b *baseTree) rebuild(id string, f *folder, made map[string][]byte) (string, error) {
	var entries []scratch.TreeEntry
	if id != "" {
		var err error
		if entries, err = b.tree(id); err != nil {
			return "", err
		}
	}
	entries = slices.Clone(entries)
	for name, kid := range f.kids {
		i := slices.IndexFunc(entries, func(e scratch.TreeEntry) bool { return e.Name == name })
		e, err := b.rebuildEntry(entries, i, name, kid, made)
		if err != nil {
			return "", err
		}
		if i >= 0 {
			entries = slices.Delete(entries, i, i+1)
		}
		if e.ID != "" {
			entries = append(entries, e)
		}
	}
	if len(entries) == 0 {
		return "", nil
	}
	slices.SortFunc(entries, scratch.CompareEntries)
	data, err := scratch.FormatTree(entries)
	if err != nil {
		return "", err
	}
	id = scratch.HashObject("tree", data)
	made[id] = data
	return id, nil
}

// rebuildEntry is the new entry of a name; one without an id is gone.
func (b *baseTree) rebuildEntry(entries []scratch.TreeEntry, i int, name string, kid *folder, made map[string][]byte) (scratch.TreeEntry, error) {
	below := ""
	if i >= 0 && entries[i].Mode == scratch.ModeTree {
		below = entries[i].ID
	}
	if kid.leaf != nil && !kid.leaf.deleted {
		if below != "" || len(kid.kids) > 0 {
			return scratch.TreeEntry{}, fmt.Errorf("%q would be a file and a folder", name)
		}
		return scratch.TreeEntry{Mode: kid.leaf.mode, Name: name, ID: kid.leaf.id}, nil
	}
	if kid.leaf != nil && len(kid.kids) == 0 {
		return scratch.TreeEntry{}, nil
	}
	if i >= 0 && below == "" && kid.leaf == nil {
		return scratch.TreeEntry{}, fmt.Errorf("%q is no folder", name)
	}
	id, err := b.rebuild(below, kid, made)
	return scratch.TreeEntry{Mode: scratch.ModeTree, Name: name, ID: id}, err
}
