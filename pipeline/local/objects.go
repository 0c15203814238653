package local

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"selffix/internal/scratch"
)

// Objects returns one folder with the objects of a repository, as the input of a step. A repository that borrows from others
// ("git clone --shared", "--reference") has them in several stores, and a step sees the one that it is given; so they are laid
// together in the run's own folder, of links to the same files where the disk allows it, else of copies. Only packs and loose
// objects are taken: nothing in a store's info folder decides what git reads.
func (i *Interpreter) Objects(r scratch.Repository) (string, error) {
	if len(r.Borrowed) == 0 {
		return r.Objects, nil
	}
	to, err := i.Folder("objects")
	if err != nil {
		return "", err
	}
	for _, store := range append([]string{r.Objects}, r.Borrowed...) {
		for _, pattern := range []string{"pack/pack-*.pack", "pack/pack-*.idx", "[0-9a-f][0-9a-f]/*"} {
			if err := layTogether(to, store, pattern); err != nil {
				return "", fmt.Errorf("lay the objects of %d stores together: %w", 1+len(r.Borrowed), err)
			}
		}
	}
	return to, nil
}

// layTogether links or copies a store's files of one pattern. A name that is there already has the same content: it is a digest.
func layTogether(to, store, pattern string) error {
	names, err := fs.Glob(os.DirFS(store), pattern) // a store's own path may hold characters of a pattern
	if err != nil {
		return err
	}
	for _, name := range names {
		at := filepath.Join(to, name)
		if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
			return err
		}
		if err := linkOrCopy(at, filepath.Join(store, name)); err != nil && !errors.Is(err, fs.ErrExist) {
			return err
		}
	}
	return nil
}

// linkOrCopy makes a regular file again at another place, where every user may read it.
func linkOrCopy(at, from string) error {
	info, err := os.Lstat(from)
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return fmt.Errorf("%q is no plain file", from)
	}
	if info.Mode().Perm()&0o044 == 0o044 && os.Link(from, at) == nil {
		return nil
	}
	if err := copyFile(at, from); err != nil {
		return err
	}
	return os.Chmod(at, info.Mode().Perm()|0o444)
}
