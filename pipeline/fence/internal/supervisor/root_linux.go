//go:build amd64 || arm64

package supervisor

import (
	"errors"
	"path"
	"syscall"
)

// enterRoot leaves this process, and what it starts, in a root which has the request's mounts and links and nothing else. It
// runs in a mount namespace of its own.
func (r *Request) enterRoot() error {
	if err := syscall.Mount("", "/", "", syscall.MS_REC|syscall.MS_PRIVATE, ""); err != nil {
		return otherwise("private mounts", err)
	}
	clones := make([]int, len(r.Mounts))
	for i, m := range r.Mounts {
		var err error
		if clones[i], err = m.clone(); err != nil {
			return err
		}
	}
	root, err := emptyRoot()
	if err != nil {
		return err
	}
	for i, m := range r.Mounts {
		if err := m.attach(root, clones[i]); err != nil {
			return err
		}
	}
	for _, l := range r.Links {
		if err := makeFolders(root, path.Dir(l.Path)); err != nil {
			return err
		}
		if err := symlink(l.Text, root, l.Path[1:]); err != nil {
			return otherwise("making "+quoted(l.Path), err)
		}
	}
	if err := addProc(root); err != nil {
		return err
	}
	return enter(root)
}

// clone makes a private copy of the mount at the path, with its attributes, that is attached nowhere.
func (m Mount) clone() (int, error) {
	if m.Path == "" || m.Path[0] != '/' || m.Owner > 1<<16 {
		return -1, errMessage
	}
	fd, err := onText(sysOpenTree, m.Path, func(name argument) []argument {
		return []argument{num(atFdcwd), name, num(openTreeClone | openTreeCloexec | atRecursive)}
	})
	if err != nil {
		return -1, otherwise("clone of "+quoted(m.Path), err)
	}
	if err := setMount(fd, atRecursive, mountAttr{set: m.Attr}); err != nil {
		return -1, otherwise("attributes of "+quoted(m.Path), err)
	}
	if m.Owner == 0 {
		return fd, nil
	}
	owner := uint64(FDOwners) + m.Owner - 1
	if err := setMount(fd, atRecursive, mountAttr{set: mountAttrIdmap, userns: owner}); err != nil {
		return -1, otherwise("no mapped owner on this file system: "+quoted(m.Path), err)
	}
	return fd, nil
}

// emptyRoot attaches a small file system for folders and links only. It covers "/": whatever lay there stays reachable by
// this process's own root until it enters the new one.
func emptyRoot() (int, error) {
	options := [][2]string{{"size", "1m"}, {"nr_inodes", "4096"}, {"mode", "0755"}}
	root, err := newMount("tmpfs", options, mountAttrNosuid|mountAttrNodev|mountAttrNoexec)
	if err != nil {
		return -1, otherwise("new root", err)
	}
	if err := moveMount(root, atFdcwd, "/"); err != nil {
		return -1, otherwise("attachment of the new root", err)
	}
	return root, nil
}

// attach puts a clone at its own name, below folders that are made where no other mount already has them.
func (m Mount) attach(root, fd int) error {
	if !m.Covered {
		if err := makeFolders(root, path.Dir(m.Path)); err != nil {
			return err
		}
		if err := m.makeTarget(root, fd); err != nil {
			return otherwise("making "+quoted(m.Path), err)
		}
	}
	if err := moveMount(fd, root, m.Path[1:]); err != nil {
		return otherwise("mount of "+quoted(m.Path), err)
	}
	return syscall.Close(fd)
}

// makeTarget makes what the clone is put over: a folder for a folder, else a file.
func (m Mount) makeTarget(root, clone int) error {
	var st syscall.Stat_t
	if err := syscall.Fstat(clone, &st); err != nil {
		return err
	}
	if st.Mode&syscall.S_IFMT == syscall.S_IFDIR {
		return ignoreExists(syscall.Mkdirat(root, m.Path[1:], 0o755))
	}
	fd, err := syscall.Openat(root, m.Path[1:], syscall.O_CREAT|syscall.O_EXCL|syscall.O_CLOEXEC|syscall.O_WRONLY, 0o444)
	if err == nil {
		syscall.Close(fd)
	}
	return ignoreExists(err)
}

// makeFolders makes an absolute folder below root, and all above it.
func makeFolders(root int, dir string) error {
	for end := 1; end < len(dir); end++ {
		for end < len(dir) && dir[end] != '/' {
			end++
		}
		if err := ignoreExists(syscall.Mkdirat(root, dir[1:end], 0o755)); err != nil {
			return otherwise("making "+quoted(dir[:end]), err)
		}
	}
	return nil
}

func symlink(text string, root int, name string) error {
	target, err := syscall.BytePtrFromString(text)
	if err != nil {
		return err
	}
	_, err = onText(syscall.SYS_SYMLINKAT, name, func(name argument) []argument {
		return []argument{ptr(target), num(root), name}
	})
	return ignoreExists(err)
}

func ignoreExists(err error) error {
	if errors.Is(err, syscall.EEXIST) {
		return nil
	}
	return err
}

// addProc mounts a /proc of the new process namespace that shows the program itself and nothing else. Landlock grants nothing
// in it, so nothing there can be opened or listed; but the links in /proc/self can be read, which Landlock does not govern,
// and without these the agent's runtime (Bun) cannot resolve a path: it opens one and reads /proc/self/fd/N.
func addProc(root int) error {
	const attr = mountAttrNosuid | mountAttrNodev | mountAttrNoexec | mountAttrRdonly
	proc, err := newMount("proc", [][2]string{{"hidepid", "invisible"}, {"subset", "pid"}}, attr)
	if err != nil {
		return otherwise("/proc", err)
	}
	defer syscall.Close(proc)
	if err := makeFolders(root, "/proc"); err != nil {
		return err
	}
	return otherwise("attachment of /proc", moveMount(proc, root, "proc"))
}

// enter makes the root read-only and the only one: the old one is detached.
func enter(root int) error {
	if err := setMount(root, 0, mountAttr{set: mountAttrRdonly}); err != nil {
		return otherwise("read-only root", err)
	}
	if err := syscall.Fchdir(root); err != nil {
		return otherwise("new root", err)
	}
	if err := syscall.PivotRoot(".", "."); err != nil {
		return otherwise("pivot_root", err)
	}
	if err := syscall.Unmount(".", syscall.MNT_DETACH); err != nil {
		return otherwise("old root", err)
	}
	if err := syscall.Chdir("/"); err != nil {
		return otherwise("new root", err)
	}
	return syscall.Close(root)
}
