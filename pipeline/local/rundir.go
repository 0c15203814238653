package local

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// DefaultParent is where run folders lie: never below a home, which holds what a step must not meet.
const DefaultParent = "/var/tmp"

const lockName = "lock"

// runDir is one run's folder, with the lock that says that the run lives.
type runDir struct {
	path string
	lock *os.File
}

// prefix keeps the runs of different users apart.
func prefix() string { return fmt.Sprintf("self-fix-run-%d-", os.Getuid()) }

// unlockedPrefix is what a folder is called until it is locked.
func unlockedPrefix() string { return fmt.Sprintf("self-fix-new-%d-", os.Getuid()) }

// newRunDir makes a folder. It gets its name once it is locked, so that another run's sweep, at the same time, never takes it
// for one that nobody holds.
func newRunDir(parent string) (*runDir, error) {
	path, err := os.MkdirTemp(parent, unlockedPrefix())
	if err != nil {
		return nil, fmt.Errorf("make the run's folder: %w", err)
	}
	lock, err := os.OpenFile(filepath.Join(path, lockName), os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("lock the run's folder: %w", err), os.RemoveAll(path))
	}
	named := filepath.Join(parent, prefix()+strings.TrimPrefix(filepath.Base(path), unlockedPrefix()))
	err = unix.Flock(int(lock.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	if err == nil {
		err = os.Rename(path, named)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("lock the run's folder: %w", err), lock.Close(), os.RemoveAll(path))
	}
	return &runDir{path: named, lock: lock}, nil
}

// close removes the folder. Nothing of the run may be alive any more.
func (r *runDir) close() error {
	return errors.Join(remove(r.path), r.lock.Close())
}

// sweep removes this user's run folders that nobody holds. The lock is inherited by every process of a run, so
// a folder is free only when the last of them is gone. It goes on after one that cannot be removed: what a run left must not
// stop the next one.
func sweep(parent string) error {
	entries, err := os.ReadDir(parent)
	if err != nil {
		return fmt.Errorf("look for old runs: %w", err)
	}
	var left []error
	for _, e := range entries {
		path := filepath.Join(parent, e.Name())
		one := sweepOne
		switch {
		case strings.HasPrefix(e.Name(), prefix()):
		case strings.HasPrefix(e.Name(), unlockedPrefix()):
			one = sweepOld
		default:
			continue
		}
		if err := one(path); err != nil {
			left = append(left, fmt.Errorf("what an old run left: %w", err))
		}
	}
	return errors.Join(left...)
}

func sweepOne(path string) error {
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	// Anybody may make such a name in a shared folder: only this user's own are looked at.
	if st, ok := info.Sys().(*syscall.Stat_t); !ok || !info.IsDir() || int(st.Uid) != os.Getuid() {
		return nil
	}
	lock, err := os.OpenFile(filepath.Join(path, lockName), os.O_RDWR|unix.O_NOFOLLOW, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return sweepUnlocked(path)
	}
	if err != nil {
		return err
	}
	defer lock.Close()
	if err := unix.Flock(int(lock.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		if errors.Is(err, unix.EWOULDBLOCK) {
			return nil // it lives
		}
		return err
	}
	return remove(path)
}

// sweepUnlocked removes a folder with a run's name and no lock if it is empty: a run has a lock before it has this name, and the
// lock is the last to go, so one that holds anything is no run's.
func sweepUnlocked(path string) error {
	err := unix.Rmdir(path)
	if errors.Is(err, unix.ENOTEMPTY) || errors.Is(err, unix.EEXIST) || errors.Is(err, unix.ENOENT) {
		return nil
	}
	return err
}

// sweepOld removes a folder of this user's that was never locked, unless it may be in the making just now, which
// takes no minute.
func sweepOld(path string) error {
	var st unix.Statx_t
	var now unix.Timespec
	err := unix.Statx(unix.AT_FDCWD, path, unix.AT_SYMLINK_NOFOLLOW, unix.STATX_CTIME|unix.STATX_UID|unix.STATX_TYPE, &st)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err = errors.Join(err, unix.ClockGettime(unix.CLOCK_REALTIME, &now)); err != nil {
		return err
	}
	if st.Mode&unix.S_IFMT != unix.S_IFDIR || int(st.Uid) != os.Getuid() || now.Sec-st.Ctime.Sec < 60 {
		return nil
	}
	return remove(path)
}
