//go:build amd64 || arm64

package fence

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"syscall"

	"golang.org/x/sys/unix"

	"selffix/pipeline/fence/internal/supervisor"
)

// mapOwner makes a user namespace in which the owner's ids stand for uid, and returns a descriptor of it. A mount that carries
// it shows the owner's files as uid's, and stores what uid makes there as the owner's: nothing on disk changes hands.
func mapOwner(o owner, uid uint32) (int, error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	// A process that only sleeps holds the namespace until it is opened.
	pid, err := supervisor.Sleeper()
	if err != nil {
		return -1, fmt.Errorf("mapping owners: %w", err)
	}
	defer func() {
		_ = unix.Kill(pid, unix.SIGKILL)
		_, _ = unix.Wait4(pid, nil, 0, nil)
	}()
	proc := fmt.Sprintf("/proc/%d/", pid)
	if err := os.WriteFile(proc+"uid_map", fmt.Appendf(nil, "%d %d 1", o.UID, uid), 0); err != nil {
		return -1, fmt.Errorf("mapping owners: %w", err)
	}
	if err := os.WriteFile(proc+"gid_map", fmt.Appendf(nil, "%d %d 1", o.GID, uid), 0); err != nil {
		return -1, fmt.Errorf("mapping owners: %w", err)
	}
	fd, err := unix.Open(proc+"ns/user", unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return -1, fmt.Errorf("mapping owners: %w", err)
	}
	return fd, nil
}

// giveAway gives the folders' files to uid where owners cannot be mapped, and returns how to take them back. Only what has the
// folder's own owner changes hands. A file with a second name is left alone: the other name may lie outside.
func giveAway(paths []string, uid uint32) (func() error, error) {
	type given struct {
		path  string
		owner owner
	}
	var done []given
	back := func() error {
		var err error
		for _, g := range done {
			err = errors.Join(err, changeOwner(g.path, owner{uid, uid}, g.owner))
		}
		if err != nil {
			return fmt.Errorf("%w: taking folders back: %w", ErrLost, err)
		}
		return nil
	}
	for _, p := range paths {
		st, err := os.Stat(p)
		if err != nil {
			return back, fmt.Errorf("path %q: %w", cut(p), err)
		}
		sys := st.Sys().(*syscall.Stat_t)
		g := given{p, owner{sys.Uid, sys.Gid}}
		done = append(done, g)
		if err := changeOwner(p, g.owner, owner{uid, uid}); err != nil {
			return back, fmt.Errorf("giving %q to uid %d: %w", cut(p), uid, err)
		}
	}
	return back, nil
}

// changeOwner never follows a link.
func changeOwner(root string, from, to owner) error {
	root, err := filepath.EvalSymlinks(root)
	if err != nil {
		return err
	}
	err = filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		st, err := d.Info()
		if err != nil {
			return err
		}
		sys := st.Sys().(*syscall.Stat_t)
		if sys.Uid != from.UID || (st.Mode().IsRegular() && sys.Nlink > 1) {
			return nil
		}
		return os.Lchown(p, int(to.UID), int(to.GID))
	})
	var where *fs.PathError
	if errors.As(err, &where) { // the path is the program's text, and may be very long
		return fmt.Errorf("%s %q: %w", where.Op, cut(where.Path), where.Err)
	}
	return err
}
