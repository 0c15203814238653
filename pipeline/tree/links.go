package tree

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Links lists the links of a folder that this program wrote itself, by path, with their targets. Of a folder
// that anybody else could write, it would say whatever they want.
func Links(dir string, l Limits) (map[string]string, error) {
	links := make(map[string]string)
	seen := 0
	err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if seen++; seen > l.Entries+1 {
			return fmt.Errorf("%w: more than %d entries", ErrLimit, l.Entries)
		}
		if d.Type()&fs.ModeSymlink == 0 {
			return nil
		}
		target, err := os.Readlink(p)
		if err != nil {
			return err
		}
		name, err := filepath.Rel(dir, p)
		links[filepath.ToSlash(name)] = target
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("list links: %w", err)
	}
	return links, nil
}
