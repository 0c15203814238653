package checkout

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path"
	"strings"

	"selffix/internal/lazyregexp"
	"selffix/internal/scratch"
	"selffix/pipeline/tree"
)

// The reasons for which a tree is not written.
var (
	ErrCommit = errors.New("no such commit")
	ErrTree   = errors.New("the tested tree cannot be checked out")
	ErrLimit  = errors.New("the tested tree is larger than it may be")
)

var commitForm = lazyregexp.New(`^[0-9a-f]{40}$`)

const (
	maxCommitBytes = 1 << 20
	maxTreeBytes   = 16 << 20
	maxLinkBytes   = 4096
)

// reader lists the tree of a commit. Every object that it reads was hashed again.
type reader struct {
	cat     *scratch.CatFile
	limits  tree.Limits
	entries int
	list    tree.Listing
}

// treeOf reads a commit and returns the id of its tree.
func (r *reader) treeOf(commit string) (string, error) {
	if !commitForm.MatchString(commit) {
		return "", fmt.Errorf("%w: %.60q: want 40 hexadecimal digits in lower case", ErrCommit, commit)
	}
	o, err := r.cat.Get(commit, maxCommitBytes)
	if err != nil {
		return "", fmt.Errorf("%w: %w", ErrCommit, err)
	}
	first, _, _ := bytes.Cut(o.Data, []byte("\n"))
	id, ok := strings.CutPrefix(string(first), "tree ")
	if o.Type != "commit" || !ok || !commitForm.MatchString(id) {
		return "", fmt.Errorf("%w: %s is a %s without a tree", ErrCommit, commit, o.Type)
	}
	return id, nil
}

// folder lists a tree object and all below it.
func (r *reader) folder(id, at string, depth int) error {
	if depth > r.limits.Depth {
		return fmt.Errorf("%w: %.120q lies more than %d folders deep", ErrLimit, at, r.limits.Depth)
	}
	o, err := r.cat.Get(id, maxTreeBytes)
	if err != nil {
		return fmt.Errorf("%w: folder %.120q: %w", ErrTree, at, err)
	}
	if o.Type != "tree" {
		return fmt.Errorf("%w: folder %.120q is a %s", ErrTree, at, o.Type)
	}
	entries, err := scratch.ParseTree(o.Data)
	if err != nil {
		return fmt.Errorf("%w: folder %.120q: %w", ErrTree, at, err)
	}
	for _, e := range entries {
		if err := r.entry(e, path.Join(at, e.Name), depth); err != nil {
			return err
		}
	}
	return nil
}

func (r *reader) entry(e scratch.TreeEntry, at string, depth int) error {
	r.entries++
	if r.entries > r.limits.Entries {
		return fmt.Errorf("%w: more than %d entries", ErrLimit, r.limits.Entries)
	}
	if len(e.Name) > r.limits.NameBytes {
		return fmt.Errorf("%w: a name of %d bytes, the limit is %d", ErrLimit, len(e.Name), r.limits.NameBytes)
	}
	if gitFolder(e.Name) {
		return fmt.Errorf("%w: %.120q means a git folder", ErrTree, at)
	}
	switch e.Mode {
	case scratch.ModeTree:
		return r.folder(e.ID, at, depth+1)
	case scratch.ModeFile, scratch.ModeExec, scratch.ModeLink:
		r.list = append(r.list, tree.Entry{Path: at, Mode: e.Mode, ID: e.ID})
		return nil
	}
	return fmt.Errorf("%w: %.120q has the mode %s; want plain files and links, no submodule", ErrTree, at, e.Mode)
}

// gitFolder refuses every spelling that git on some system takes for .git (CVE-2014-9390).
func gitFolder(name string) bool {
	short := strings.ToLower(strings.TrimRight(strings.Map(dropIgnorable, name), ". "))
	short, _, _ = strings.Cut(short, ":")
	return short == ".git" || short == "git~1"
}

// dropIgnorable removes the characters that HFS+ leaves out when it compares names.
func dropIgnorable(r rune) rune {
	switch {
	case r >= 0x200c && r <= 0x200f, r >= 0x202a && r <= 0x202e, r >= 0x206a && r <= 0x206f, r == 0xfeff:
		return -1
	}
	return r
}

// readTree lists the whole tree of a commit, sorted, and returns the tree's id.
func readTree(ctx context.Context, f *scratch.Folder, commit string, l tree.Limits) (string, tree.Listing, *scratch.CatFile, error) {
	cat, err := f.CatFile(ctx)
	if err != nil {
		return "", nil, nil, err
	}
	r := &reader{cat: cat, limits: l}
	id, err := r.treeOf(commit)
	if err == nil {
		err = r.folder(id, "", 0)
	}
	if err != nil {
		return "", nil, nil, errors.Join(err, cat.Close())
	}
	r.list.Sort()
	return id, r.list, cat, nil
}
