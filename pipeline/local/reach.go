package local

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// reach returns a path by which a step's own user gets to what lies at name. As root in a container that gives no
// mounts, steps run as users of their own on mapped paths, and a clone or cache below /root lies where none of them may
// enter. It is then made again below the run's folder: of links to the same files where the disk allows it, else of copies.
func (i *Interpreter) reach(name string) (string, error) {
	if i.ownRoot || os.Geteuid() != 0 || name == i.run.path || strings.HasPrefix(name, i.run.path+"/") {
		return name, nil
	}
	open, err := openToAll(name)
	if err != nil || open {
		return name, err
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	if to, ok := i.reached[name]; ok {
		return to, nil
	}
	to := filepath.Join(i.run.path, "reach", fmt.Sprint(len(i.reached)), filepath.Base(name))
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return "", fmt.Errorf("make a way for the steps: %w", err)
	}
	if err := linkTree(to, name); err != nil {
		return "", fmt.Errorf("make a way for the steps: %w", err)
	}
	if i.reached == nil {
		i.reached = make(map[string]string)
	}
	i.reached[name] = to
	return to, nil
}

// openToAll reports whether every folder on the way to name, links followed, lets every user pass.
func openToAll(name string) (bool, error) {
	real, err := filepath.EvalSymlinks(name)
	if err != nil {
		return false, err
	}
	for at := real; ; at = filepath.Dir(at) {
		info, err := os.Stat(at)
		if err != nil {
			return false, err
		}
		if info.IsDir() && info.Mode().Perm()&0o001 == 0 {
			return false, nil
		}
		if at == filepath.Dir(at) {
			return true, nil
		}
	}
}

// linkTree makes from again at to. Folders are new; links stay what they are.
func linkTree(to, from string) error {
	return filepath.WalkDir(from, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		at := to + strings.TrimPrefix(p, from)
		switch {
		case d.IsDir():
			return os.Mkdir(at, 0o755)
		case d.Type()&fs.ModeSymlink != 0:
			target, err := os.Readlink(p)
			return errors.Join(err, os.Symlink(target, at))
		}
		return linkOrCopy(at, p)
	})
}
