package checkout

import (
	"context"
	"errors"
	"fmt"

	"selffix/internal/scratch"
)

// Write writes the files of a commit or of a tree object that keep takes (nil takes all) into dst, which must be an empty folder,
// and lists them. Links that lead out of what is written are left out, the others listed for [MakeLinks]; nothing is
// scrubbed. Of the repository only objects are read.
func Write(ctx context.Context, repo scratch.Repository, id, dst string, o Options, keep func(path string) bool) (Trees, error) {
	f, err := scratch.Open(repo, scratch.Options{Parent: o.Scratch})
	if err != nil {
		return Trees{}, err
	}
	defer f.Close()
	cat, err := f.CatFile(ctx)
	if err != nil {
		return Trees{}, err
	}
	r := &reader{cat: cat, limits: o.Limits}
	err = r.all(id)
	w := writer{cat: cat, dst: dst, limits: o.Limits, leave: func(p string) bool { return keep != nil && !keep(p) }}
	var t Trees
	if err == nil {
		t, err = w.write(r.list)
	}
	if err = errors.Join(err, cat.Close()); err != nil {
		return Trees{}, err
	}
	return t, nil
}

// all lists the tree of a commit, or a tree object, sorted.
func (r *reader) all(id string) error {
	if !commitForm.MatchString(id) {
		return fmt.Errorf("%w: %.60q: want 40 hexadecimal digits in lower case", ErrCommit, id)
	}
	o, err := r.cat.Get(id, maxTreeBytes)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrCommit, err)
	}
	if o.Type == "commit" {
		if id, err = r.treeOf(id); err != nil {
			return err
		}
	}
	if err := r.folder(id, "", 0); err != nil {
		return err
	}
	r.list.Sort()
	return nil
}
