package local

import (
	"errors"
	"fmt"
	"io"
	"os"
	"syscall"

	"golang.org/x/sys/unix"

	"selffix/internal/visible"
)

// remove empties and removes a folder of ours, whatever a step left in it: folders nested deeper than a path can name, or closed to
// their own user. The lock goes last, so that a later sweep finds again what could not be removed whole. An error names the folder and never what is in it, whose names the step chose.
func remove(path string) error {
	if err := removeTree(path); err != nil {
		return fmt.Errorf("remove %s: %w", visible.Cut(path, 200), err)
	}
	return nil
}

func removeTree(path string) error {
	top, err := openDir(unix.AT_FDCWD, path)
	if errors.Is(err, unix.ENOENT) {
		return nil // it went away
	}
	if err != nil {
		return err
	}
	defer top.Close()
	r := remover{top: top}
	if err := r.empty(top, lockName); err != nil {
		return err
	}
	if err := unix.Unlinkat(int(top.Fd()), lockName, 0); err != nil && !errors.Is(err, unix.ENOENT) {
		return err
	}
	return unix.Rmdir(path)
}

// remover removes what is below top. It keeps two folders open, however deep it is: what is nested is brought up first.
type remover struct {
	top  *os.File
	next int
}

// empty removes all that is in a folder but for one name.
func (r *remover) empty(dir *os.File, keep string) error {
	for {
		if _, err := dir.Seek(0, io.SeekStart); err != nil {
			return err
		}
		gone := 0
		for {
			names, err := dir.Readdirnames(1024)
			for _, name := range names {
				if name == keep {
					continue
				}
				if err := r.one(dir, name); err != nil {
					return err
				}
				gone++
			}
			if err != nil && !errors.Is(err, io.EOF) {
				return plainError(err)
			}
			if len(names) == 0 {
				break
			}
		}
		if gone == 0 { // a listing may miss names while others go
			return nil
		}
	}
}

// one removes a name: a file at once, a folder when it is empty. One that is not is emptied if it lies at the top, and else
// brought there, where its turn comes.
func (r *remover) one(dir *os.File, name string) error {
	at := int(dir.Fd())
	var st unix.Stat_t
	if err := unix.Fstatat(at, name, &st, unix.AT_SYMLINK_NOFOLLOW); err != nil {
		return err
	}
	if st.Mode&unix.S_IFMT != unix.S_IFDIR {
		return unix.Unlinkat(at, name, 0)
	}
	if st.Mode&0o700 != 0o700 {
		if err := unix.Fchmodat(at, name, 0o700, 0); err != nil {
			return err
		}
	}
	err := unix.Unlinkat(at, name, unix.AT_REMOVEDIR)
	if err == nil || !errors.Is(err, unix.ENOTEMPTY) && !errors.Is(err, unix.EEXIST) {
		return err
	}
	if dir != r.top {
		return r.bringUp(at, name)
	}
	inner, err := openDir(at, name)
	if err != nil {
		return err
	}
	defer inner.Close()
	if err := r.empty(inner, ""); err != nil {
		return err
	}
	return unix.Unlinkat(at, name, unix.AT_REMOVEDIR)
}

// bringUp moves a folder to the top under a name that nothing there has.
func (r *remover) bringUp(at int, name string) error {
	for {
		r.next++
		err := unix.Renameat2(at, name, int(r.top.Fd()), fmt.Sprintf("nested-%d", r.next), unix.RENAME_NOREPLACE)
		if !errors.Is(err, unix.EEXIST) {
			return err
		}
	}
}

// openDir opens a folder that is no link.
func openDir(at int, name string) (*os.File, error) {
	fd, err := unix.Openat(at, name, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	return os.NewFile(uintptr(fd), "a folder of a run"), nil
}

// plainError is an error without a path.
func plainError(err error) error {
	var number syscall.Errno
	if errors.As(err, &number) {
		return number
	}
	return err
}
