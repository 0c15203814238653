package worker

import (
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// piece is one cloned mount, not attached yet.
type piece struct {
	at  string
	fd  int
	dir bool
}

// enterRoot gives this process a root in which the step's paths lie where the plan says, beside everything
// that the machine's root has. It must run in a mount namespace of its own. It is no fence: that is put on
// afterwards and takes from this root only what a step is given.
func enterRoot(l Layout) error {
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return fmt.Errorf("private mounts: %w", err)
	}
	pieces, links, err := clonePieces(l)
	if err != nil {
		return err
	}
	if err := unix.Mount("tmpfs", l.NewRoot, "tmpfs", unix.MS_NOSUID|unix.MS_NODEV, "size=1m,mode=0755"); err != nil {
		return fmt.Errorf("new root: %w", err)
	}
	for at, target := range links {
		if err := os.Symlink(target, filepath.Join(l.NewRoot, at)); err != nil {
			return fmt.Errorf("new root: %w", err)
		}
	}
	for _, p := range pieces {
		if err := p.attach(l.NewRoot); err != nil {
			return err
		}
	}
	if err := unix.Chdir(l.NewRoot); err != nil {
		return fmt.Errorf("new root: %w", err)
	}
	if err := unix.PivotRoot(".", "."); err != nil {
		return fmt.Errorf("pivot_root: %w", err)
	}
	if err := unix.Unmount(".", unix.MNT_DETACH); err != nil {
		return fmt.Errorf("old root: %w", err)
	}
	return unix.Chdir("/")
}

// clonePieces clones what the new root is made of before anything is mounted, so that no clone holds
// another: the machine's folders first, then the step's mounts, outer ones before inner ones.
func clonePieces(l Layout) ([]piece, map[string]string, error) {
	mounts := slices.Clone(l.Mounts)
	slices.SortFunc(mounts, func(a, b Mount) int { return strings.Compare(a.Inside, b.Inside) })
	links := make(map[string]string)
	pieces, err := machine("/", mounts, links)
	if err != nil {
		return nil, nil, err
	}
	for _, m := range mounts {
		p, err := clone(m.Outside, m.Inside, m.Write)
		if err != nil {
			return nil, nil, err
		}
		pieces = append(pieces, p)
	}
	return pieces, links, nil
}

// machine clones the folders of dir. One that lies on the way to a mount is not cloned but made anew, with
// its own folders cloned in turn; one where a mount goes is left out.
func machine(dir string, mounts []Mount, links map[string]string) ([]piece, error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", dir, err)
	}
	var pieces []piece
	for _, e := range entries {
		at := path.Join(dir, e.Name())
		switch {
		case slices.ContainsFunc(mounts, func(m Mount) bool { return m.Inside == at }):
		case slices.ContainsFunc(mounts, func(m Mount) bool { return strings.HasPrefix(m.Inside, at+"/") }):
			below, err := machine(at, mounts, links)
			if err != nil {
				return nil, err
			}
			pieces = append(pieces, below...)
		case e.Type()&os.ModeSymlink != 0 && dir == "/":
			target, err := os.Readlink(at)
			if err != nil {
				return nil, fmt.Errorf("read %s: %w", at, err)
			}
			links[at] = target
		case e.IsDir():
			p, err := clone(at, at, true)
			if err != nil {
				return nil, err
			}
			pieces = append(pieces, p)
		}
	}
	return pieces, nil
}

func clone(outside, inside string, write bool) (piece, error) {
	info, err := os.Stat(outside)
	if err != nil {
		return piece{}, fmt.Errorf("mount at %s: %w", inside, err)
	}
	fd, err := unix.OpenTree(unix.AT_FDCWD, outside, unix.OPEN_TREE_CLONE|unix.OPEN_TREE_CLOEXEC|unix.AT_RECURSIVE)
	if err != nil {
		return piece{}, fmt.Errorf("mount at %s: %w", inside, err)
	}
	if !write {
		attr := unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY}
		if err := unix.MountSetattr(fd, "", unix.AT_EMPTY_PATH|unix.AT_RECURSIVE, &attr); err != nil {
			return piece{}, fmt.Errorf("read-only mount at %s: %w", inside, err)
		}
	}
	return piece{at: inside, fd: fd, dir: info.IsDir()}, nil
}

// attach mounts the piece. The place for it is made where it is not there yet.
func (p piece) attach(root string) error {
	to := filepath.Join(root, p.at)
	if _, err := os.Lstat(to); errors.Is(err, os.ErrNotExist) {
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			return fmt.Errorf("place for %s: %w", p.at, err)
		}
		if err := p.place(to); err != nil {
			return fmt.Errorf("place for %s: %w", p.at, err)
		}
	}
	if err := unix.MoveMount(p.fd, "", unix.AT_FDCWD, to, unix.MOVE_MOUNT_F_EMPTY_PATH); err != nil {
		return fmt.Errorf("mount at %s: %w", p.at, err)
	}
	return unix.Close(p.fd)
}

func (p piece) place(to string) error {
	if p.dir {
		return os.Mkdir(to, 0o755)
	}
	f, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o444)
	if err != nil {
		return err
	}
	return f.Close()
}
