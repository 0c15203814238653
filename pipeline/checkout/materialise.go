package checkout

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"selffix/internal/scratch"
	"selffix/pipeline/tree"
)

// The reasons for which an entry is left out of the written tree.
const (
	WhyInstruction = "agent instruction or settings"
	WhyLink        = "link that leads out of the tree or nowhere"
)

// Removed is one entry that the agent does not see.
type Removed struct {
	Path string `json:"path"`
	Why  string `json:"why"`
}

// Trees is what Materialise found. It is written beside the tree as JSON.
type Trees struct {
	Commit       string       `json:"commit"`
	TestedTree   string       `json:"tested_tree"`   // the commit's own tree
	ScrubbedTree string       `json:"scrubbed_tree"` // of what was written
	Links        []Link       `json:"links"`         // every link that belongs to it; MakeLinks makes them
	RemovedCount int          `json:"removed_count"`
	Removed      []Removed    `json:"removed"` // the first MaxRemovedListed of them, paths cut to 300 bytes
	Listing      tree.Listing `json:"-"`       // of what was written
}

// Link is one link of the written tree: what a safe copy of it may hold again.
type Link struct {
	Path   string `json:"path"`
	Target string `json:"target"`
}

// LinkTargets is Links by path.
func (t Trees) LinkTargets() map[string]string {
	m := make(map[string]string, len(t.Links))
	for _, l := range t.Links {
		m[l.Path] = l.Target
	}
	return m
}

// MaxRemovedListed bounds Trees.Removed.
const MaxRemovedListed = 200

// Options say where Materialise may work.
type Options struct {
	Scratch string // folder for temporary git folders; "" is the system's
	Limits  tree.Limits
}

// Materialise writes the files of the scrubbed tree of a commit into dst, which must be an empty folder. objects is the
// object folder of a repository, of which only objects are read. The tree's links are listed and not made, since
// behind the fence nothing can make one: [MakeLinks] does so afterwards.
func Materialise(ctx context.Context, objects, commit, dst string, o Options) (Trees, error) {
	f, err := scratch.Open(scratch.Repository{Objects: objects}, scratch.Options{Parent: o.Scratch})
	if err != nil {
		return Trees{}, err
	}
	defer f.Close()
	id, all, cat, err := readTree(ctx, f, commit, o.Limits)
	if err != nil {
		return Trees{}, err
	}
	w := writer{cat: cat, dst: dst, limits: o.Limits, leave: Scrubbed}
	t, err := w.write(all)
	if err = errors.Join(err, cat.Close()); err != nil {
		return Trees{}, err
	}
	t.Commit, t.TestedTree = commit, id
	return t, nil
}

// Read lists the whole tested tree without writing it.
func Read(ctx context.Context, f *scratch.Folder, commit string, l tree.Limits) (string, tree.Listing, error) {
	id, all, cat, err := readTree(ctx, f, commit, l)
	if err != nil {
		return "", nil, err
	}
	return id, all, cat.Close()
}

type writer struct {
	cat    *scratch.CatFile
	dst    string
	limits tree.Limits
	leave  func(path string) bool // leaves a file out
	bytes  int64
	out    Trees
}

// write sorts out what the agent sees, writes files, lists links, and computes the id of the tree of both.
func (w *writer) write(all tree.Listing) (Trees, error) {
	var files tree.Listing
	targets := make(map[string]string)
	for _, e := range all {
		if w.leave(e.Path) {
			w.remove(e.Path, WhyInstruction)
			continue
		}
		if e.Mode == scratch.ModeLink {
			target, err := w.target(e)
			if err != nil {
				return Trees{}, err
			}
			targets[e.Path] = target
		}
		files = append(files, e)
	}
	w.out.Links, w.out.Removed = []Link{}, append([]Removed{}, w.out.Removed...)
	kept := keepInside(files, targets)
	for _, e := range files {
		if err := w.entry(e, targets, kept); err != nil {
			return Trees{}, err
		}
	}
	id, err := w.out.Listing.TreeID()
	if err != nil {
		return Trees{}, fmt.Errorf("%w: %w", ErrTree, err)
	}
	w.out.ScrubbedTree = id
	return w.out, nil
}

func (w *writer) remove(p, why string) {
	w.out.RemovedCount++
	if len(w.out.Removed) < MaxRemovedListed {
		w.out.Removed = append(w.out.Removed, Removed{p[:min(len(p), 300)], why})
	}
}

func (w *writer) target(e tree.Entry) (string, error) {
	o, err := w.cat.Get(e.ID, maxLinkBytes)
	if err != nil || o.Type != "blob" {
		return "", fmt.Errorf("%w: link %.120q: %w", ErrTree, e.Path, orNot(err, "its target is no blob"))
	}
	return string(o.Data), nil
}

func (w *writer) entry(e tree.Entry, targets map[string]string, kept map[string]bool) error {
	if e.Mode == scratch.ModeLink {
		if !kept[e.Path] {
			w.remove(e.Path, WhyLink)
			return nil
		}
		w.out.Links = append(w.out.Links, Link{e.Path, targets[e.Path]})
		e.Size = int64(len(targets[e.Path]))
		w.out.Listing = append(w.out.Listing, e)
		return nil
	}
	o, err := w.cat.Get(e.ID, w.limits.FileBytes)
	if errors.Is(err, scratch.ErrTooBig) {
		return fmt.Errorf("%w: %.120q: %w", ErrLimit, e.Path, err)
	}
	if err != nil || o.Type != "blob" {
		return fmt.Errorf("%w: file %.120q: %w", ErrTree, e.Path, orNot(err, "it is no blob"))
	}
	w.bytes += int64(len(o.Data))
	if w.bytes > w.limits.Bytes {
		return fmt.Errorf("%w: more than %d bytes in all", ErrLimit, w.limits.Bytes)
	}
	e.Size = int64(len(o.Data))
	w.out.Listing = append(w.out.Listing, e)
	return w.file(e, o.Data)
}

func (w *writer) file(e tree.Entry, data []byte) error {
	p := filepath.Join(w.dst, filepath.FromSlash(e.Path))
	if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
		return fmt.Errorf("write the tree: %w", err)
	}
	perm := os.FileMode(0o644)
	if e.Mode == scratch.ModeExec {
		perm = 0o755
	}
	f, err := os.OpenFile(p, os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm)
	if err != nil {
		return fmt.Errorf("write the tree: %w", err)
	}
	_, err = f.Write(data)
	if err = errors.Join(err, f.Chmod(perm), f.Close()); err != nil {
		return fmt.Errorf("write the tree: %w", err)
	}
	return nil
}

func orNot(err error, text string) error {
	if err != nil {
		return err
	}
	return errors.New(text)
}
