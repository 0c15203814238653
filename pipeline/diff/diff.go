package diff

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"selffix/internal/scratch"
	"selffix/pipeline"
	"selffix/pipeline/tree"
)

// The reasons for which there is no patch.
var (
	ErrNoChange = errors.New("the agent changed nothing")
	ErrTooLarge = errors.New("the patch is larger than it may be")
)

// Options say what is compared and where.
type Options struct {
	Before  string            // the tree that the agent was given
	After   string            // the tree that it left
	Links   map[string]string // the links that both may hold
	Copy    string            // an empty folder for the safe copy, of files: links have no content to judge, and are only compared
	Scratch string            // folder for a temporary git folder; "" is the system's
	Limits  tree.Limits
	Bytes   int64 // of the patch
	Changes int   // changed paths
}

// Result is one patch with what it was made of.
type Result struct {
	Patch  []byte `json:"-"`
	Before Side   `json:"before"`
	After  Side   `json:"after"`
	// Changed holds blob ids; After is "" for a file that is gone, which the checker then refuses.
	Changed []pipeline.Entry `json:"changed"`
}

// Side is one of the two trees.
type Side struct {
	Tree      string             `json:"tree"`
	Inventory pipeline.Inventory `json:"inventory"`
}

// Make takes the safe copy, undoes whole-file flips in it, and returns the patch.
func Make(ctx context.Context, o Options) (Result, error) {
	if o.Bytes <= 0 || o.Changes <= 0 {
		return Result{}, fmt.Errorf("%w: a limit is zero", ErrTooLarge)
	}
	before, err := tree.List(o.Before, o.Links, o.Limits)
	if err != nil {
		return Result{}, fmt.Errorf("the tree before: %w", err)
	}
	after, err := tree.CopyFiles(o.Copy, o.After, o.Links, o.Limits)
	if err != nil {
		return Result{}, fmt.Errorf("the tree that the agent left: %w", err)
	}
	if err := undoAll(o, before, after); err != nil {
		return Result{}, err
	}
	return compare(ctx, o, before, after)
}

// undoAll undoes flips in the safe copy and brings its listing up to date.
func undoAll(o Options, before, after tree.Listing) error {
	for i, e := range after {
		was, ok := before.Find(e.Path)
		if !ok || was.ID == e.ID || was.Mode == scratch.ModeLink || e.Mode == scratch.ModeLink {
			continue
		}
		old, err := os.ReadFile(filepath.Join(o.Before, filepath.FromSlash(e.Path)))
		if err != nil {
			return fmt.Errorf("read what was there before: %w", err)
		}
		file := filepath.Join(o.Copy, filepath.FromSlash(e.Path))
		now, err := os.ReadFile(file)
		if err != nil {
			return fmt.Errorf("read the copy: %w", err)
		}
		undone := Undo(old, now)
		after[i].ID, after[i].Size = scratch.HashObject("blob", undone), int64(len(undone))
		if after[i].ID == e.ID {
			continue
		}
		if err := os.WriteFile(file, undone, 0o644); err != nil {
			return fmt.Errorf("write the copy: %w", err)
		}
	}
	return nil
}

// change is one path whose mode or content differs; a missing side has no mode.
type change struct {
	path     string
	old, new tree.Entry
}

func changes(before, after tree.Listing) []change {
	var out []change
	for _, e := range before {
		now, _ := after.Find(e.Path)
		if now.ID != e.ID || now.Mode != e.Mode {
			out = append(out, change{e.Path, e, now})
		}
	}
	for _, e := range after {
		if _, ok := before.Find(e.Path); !ok {
			out = append(out, change{path: e.Path, new: e})
		}
	}
	slices.SortFunc(out, func(a, b change) int { return strings.Compare(a.path, b.path) })
	return out
}

func compare(ctx context.Context, o Options, before, after tree.Listing) (Result, error) {
	list := changes(before, after)
	if len(list) == 0 {
		return Result{}, ErrNoChange
	}
	if len(list) > o.Changes {
		return Result{}, fmt.Errorf("%w: %d changed paths, the limit is %d", ErrTooLarge, len(list), o.Changes)
	}
	f, err := scratch.Open(scratch.Repository{}, scratch.Options{Parent: o.Scratch})
	if err != nil {
		return Result{}, err
	}
	defer f.Close()
	r := Result{Before: Side{Inventory: before.Inventory()}, After: Side{Inventory: after.Inventory()}}
	if err := writeTrees(f, before, after, &r); err != nil {
		return Result{}, err
	}
	for _, c := range list {
		r.Changed = append(r.Changed, pipeline.Entry{Path: c.path, Before: c.old.ID, After: c.new.ID})
		err := errors.Join(writeBlob(f, o.Before, c.old), writeBlob(f, o.Copy, c.new))
		if err != nil {
			return Result{}, err
		}
	}
	r.Patch, err = patch(ctx, f, r.Before.Tree, r.After.Tree, o.Bytes)
	return r, err
}

// writeTrees writes the tree objects in which the two sides differ: git compares ids before it opens a folder,
// so it never asks for one that both have.
func writeTrees(f *scratch.Folder, before, after tree.Listing, r *Result) error {
	old, oldTrees, err := before.Trees()
	if err != nil {
		return err
	}
	now, nowTrees, err := after.Trees()
	if err != nil {
		return err
	}
	r.Before.Tree, r.After.Tree = old, now
	sides := make(map[string]int)
	for _, t := range oldTrees {
		sides[t.ID] |= 1
	}
	for _, t := range nowTrees {
		sides[t.ID] |= 2
	}
	for _, t := range slices.Concat(oldTrees, nowTrees) {
		if sides[t.ID] == 3 {
			continue
		}
		if _, err := scratch.WriteLoose(f.Objects(), "tree", t.Data); err != nil {
			return err
		}
	}
	return nil
}

// writeBlob writes the content of one side; it must still be what was listed.
func writeBlob(f *scratch.Folder, dir string, e tree.Entry) error {
	if e.Mode == "" {
		return nil
	}
	p := filepath.Join(dir, filepath.FromSlash(e.Path))
	var data []byte
	var err error
	if e.Mode == scratch.ModeLink {
		var target string
		target, err = os.Readlink(p)
		data = []byte(target)
	} else {
		data, err = os.ReadFile(p)
	}
	if err != nil {
		return fmt.Errorf("read for the patch: %w", err)
	}
	id, err := scratch.WriteLoose(f.Objects(), "blob", data)
	if err == nil && id != e.ID {
		err = fmt.Errorf("%w: a file changed after it was listed", tree.ErrSpecial)
	}
	return err
}

// patch has git write the difference of two trees in the one form that the checker's grammar takes.
func patch(ctx context.Context, f *scratch.Folder, before, after string, limit int64) ([]byte, error) {
	text, err := f.Run(ctx, scratch.Command{Args: []string{
		"diff-tree", "-r", "-p", "--full-index", "--no-renames", "--no-ext-diff", "--no-textconv", "--no-color", "--no-relative",
		"--unified=3", "--inter-hunk-context=0", "--diff-algorithm=myers", "--no-indent-heuristic", "--submodule=short",
		"--src-prefix=a/", "--dst-prefix=b/", before, after,
	}, Limit: limit})
	if errors.Is(err, scratch.ErrOutput) {
		return nil, fmt.Errorf("%w: more than %d bytes", ErrTooLarge, limit)
	}
	if err != nil {
		return nil, fmt.Errorf("make the patch: %w", err)
	}
	if len(text) == 0 {
		return nil, ErrNoChange
	}
	return text, nil
}
