//go:build amd64 || arm64

package fence

import (
	"errors"
	"fmt"
	"os"
	"path"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// errNamespaces marks what fails where the kernel gives no namespaces, or not with these file systems. The caller then tries the
// next way; nothing mandatory depends on it.
var errNamespaces = errors.New("no namespaces here")

// tree is one path of the new root: a private clone of the mount there, with its attributes.
type tree struct {
	path string // without links
	dir  bool
	fd   int // of the clone, not yet attached
}

// mountWish says what a path becomes.
type mountWish struct {
	write  bool
	exec   bool
	device bool
	owner  int // descriptor of a user namespace that maps the path's owner to the program's uid; -1: none
}

// newRoot leaves this process, and what it starts, in a root which has the given paths under their own names and nothing else.
// It runs in a mount namespace of its own.
func newRoot(n names, wishes map[string]mountWish) error {
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return fmt.Errorf("%w: private mounts: %w", errNamespaces, err)
	}
	paths := make([]string, 0, len(wishes))
	for p := range wishes {
		paths = append(paths, p)
	}
	slices.Sort(paths) // a folder before what lies in it
	var trees []tree
	for _, p := range paths {
		t, err := cloneTree(p, wishes[p])
		if err != nil {
			return err
		}
		trees = append(trees, t)
	}
	root, err := emptyRoot()
	if err != nil {
		return err
	}
	for _, t := range trees {
		if err := attach(root, t, trees); err != nil {
			return err
		}
	}
	for link, text := range n.links {
		if err := addLink(root, link, text, trees); err != nil {
			return err
		}
	}
	if err := addProc(root); err != nil {
		return err
	}
	return enter(root)
}

// addProc mounts a /proc of the new process namespace that shows the program itself and nothing else. Landlock grants nothing
// in it, so nothing there can be opened or listed; but the links in /proc/self can be read, which Landlock does not govern,
// and without these the agent's runtime (Bun) cannot resolve a path: it opens one and reads /proc/self/fd/N.
func addProc(root int) error {
	fail := func(what string, err error) error { return fmt.Errorf("%w: %s of /proc: %w", errNamespaces, what, err) }
	fs, err := unix.Fsopen("proc", unix.FSOPEN_CLOEXEC)
	if err != nil {
		return fail("file system", err)
	}
	defer unix.Close(fs)
	for key, value := range map[string]string{"hidepid": "invisible", "subset": "pid"} {
		if err := unix.FsconfigSetString(fs, key, value); err != nil {
			return fail(key, err)
		}
	}
	if err := unix.FsconfigCreate(fs); err != nil {
		return fail("creation", err)
	}
	const attr = unix.MOUNT_ATTR_NOSUID | unix.MOUNT_ATTR_NODEV | unix.MOUNT_ATTR_NOEXEC | unix.MOUNT_ATTR_RDONLY
	proc, err := unix.Fsmount(fs, unix.FSMOUNT_CLOEXEC, attr)
	if err != nil {
		return fail("mount", err)
	}
	defer unix.Close(proc)
	if err := makeFolders(root, "/proc"); err != nil {
		return err
	}
	if err := unix.MoveMount(proc, "", root, "proc", unix.MOVE_MOUNT_F_EMPTY_PATH); err != nil {
		return fail("attachment", err)
	}
	return nil
}

func cloneTree(p string, w mountWish) (tree, error) {
	st, err := os.Stat(p)
	if err != nil {
		return tree{}, fmt.Errorf("path %q: %w", cut(p), err)
	}
	fd, err := unix.OpenTree(unix.AT_FDCWD, p, unix.OPEN_TREE_CLONE|unix.OPEN_TREE_CLOEXEC|unix.AT_RECURSIVE)
	if err != nil {
		return tree{}, fmt.Errorf("%w: clone of %q: %w", errNamespaces, cut(p), err)
	}
	attr := unix.MountAttr{Attr_set: unix.MOUNT_ATTR_NOSUID}
	if !w.device {
		attr.Attr_set |= unix.MOUNT_ATTR_NODEV
	}
	if !w.write && !w.device {
		attr.Attr_set |= unix.MOUNT_ATTR_RDONLY
	}
	if !w.exec {
		attr.Attr_set |= unix.MOUNT_ATTR_NOEXEC
	}
	if err := unix.MountSetattr(fd, "", unix.AT_EMPTY_PATH|unix.AT_RECURSIVE, &attr); err != nil {
		return tree{}, fmt.Errorf("%w: attributes of %q: %w", errNamespaces, cut(p), err)
	}
	if w.owner >= 0 {
		attr := unix.MountAttr{Attr_set: unix.MOUNT_ATTR_IDMAP, Userns_fd: uint64(w.owner)}
		if err := unix.MountSetattr(fd, "", unix.AT_EMPTY_PATH|unix.AT_RECURSIVE, &attr); err != nil {
			return tree{}, fmt.Errorf("%w: %w: %q: %w", errNamespaces, errIDMap, cut(p), err)
		}
	}
	return tree{path: p, dir: st.IsDir(), fd: fd}, nil
}

// errIDMap marks a file system that cannot show a folder under another owner.
var errIDMap = errors.New("no mapped owner on this file system")

// emptyRoot attaches a small file system for folders and links only. It covers "/": whatever lay there stays reachable by
// this process's own root until it enters the new one.
func emptyRoot() (int, error) {
	fail := func(what string, err error) (int, error) {
		return -1, fmt.Errorf("%w: %s of the new root: %w", errNamespaces, what, err)
	}
	fs, err := unix.Fsopen("tmpfs", unix.FSOPEN_CLOEXEC)
	if err != nil {
		return fail("file system", err)
	}
	defer unix.Close(fs)
	for key, value := range map[string]string{"size": "1m", "nr_inodes": "4096", "mode": "0755"} {
		if err := unix.FsconfigSetString(fs, key, value); err != nil {
			return fail(key, err)
		}
	}
	if err := unix.FsconfigCreate(fs); err != nil {
		return fail("creation", err)
	}
	root, err := unix.Fsmount(fs, unix.FSMOUNT_CLOEXEC, unix.MOUNT_ATTR_NOSUID|unix.MOUNT_ATTR_NODEV|unix.MOUNT_ATTR_NOEXEC)
	if err != nil {
		return fail("mount", err)
	}
	if err := unix.MoveMount(root, "", unix.AT_FDCWD, "/", unix.MOVE_MOUNT_F_EMPTY_PATH); err != nil {
		return fail("attachment", err)
	}
	return root, nil
}

// attach puts a tree at its own name, below folders that are made where no other tree already has them.
func attach(root int, t tree, all []tree) error {
	if !coveredByOther(all, t.path) {
		if err := makeFolders(root, path.Dir(t.path)); err != nil {
			return err
		}
		if err := makeTarget(root, t); err != nil {
			return err
		}
	}
	if err := unix.MoveMount(t.fd, "", root, strings.TrimPrefix(t.path, "/"), unix.MOVE_MOUNT_F_EMPTY_PATH); err != nil {
		return fmt.Errorf("%w: mount of %q: %w", errNamespaces, cut(t.path), err)
	}
	return unix.Close(t.fd)
}

func coveredByOther(all []tree, p string) bool {
	for _, t := range all {
		if t.path != p && covers([]string{t.path}, p) {
			return true
		}
	}
	return false
}

func makeTarget(root int, t tree) error {
	name := strings.TrimPrefix(t.path, "/")
	if t.dir {
		return ignoreExists(unix.Mkdirat(root, name, 0o755), t.path)
	}
	fd, err := unix.Openat(root, name, unix.O_CREAT|unix.O_EXCL|unix.O_CLOEXEC|unix.O_WRONLY, 0o444)
	if err == nil {
		unix.Close(fd)
	}
	return ignoreExists(err, t.path)
}

func makeFolders(root int, dir string) error {
	at := ""
	for part := range strings.SplitSeq(strings.Trim(dir, "/"), "/") {
		if part == "" {
			continue
		}
		at = path.Join(at, part)
		if err := ignoreExists(unix.Mkdirat(root, at, 0o755), at); err != nil {
			return err
		}
	}
	return nil
}

func addLink(root int, link, text string, all []tree) error {
	if coveredByOther(all, link) {
		return nil // it is there already
	}
	if err := makeFolders(root, path.Dir(link)); err != nil {
		return err
	}
	return ignoreExists(unix.Symlinkat(text, root, strings.TrimPrefix(link, "/")), link)
}

func ignoreExists(err error, p string) error {
	if err == nil || errors.Is(err, unix.EEXIST) {
		return nil
	}
	return fmt.Errorf("%w: making %q: %w", errNamespaces, cut(p), err)
}

// enter makes the root read-only and the only one: the old one is detached.
func enter(root int) error {
	attr := unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY}
	if err := unix.MountSetattr(root, "", unix.AT_EMPTY_PATH, &attr); err != nil {
		return fmt.Errorf("%w: read-only root: %w", errNamespaces, err)
	}
	if err := unix.Fchdir(root); err != nil {
		return fmt.Errorf("%w: new root: %w", errNamespaces, err)
	}
	if err := unix.PivotRoot(".", "."); err != nil {
		return fmt.Errorf("%w: pivot_root: %w", errNamespaces, err)
	}
	if err := unix.Unmount(".", unix.MNT_DETACH); err != nil {
		return fmt.Errorf("%w: old root: %w", errNamespaces, err)
	}
	if err := unix.Chdir("/"); err != nil {
		return fmt.Errorf("%w: new root: %w", errNamespaces, err)
	}
	return unix.Close(root)
}
