package tree

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"

	"selffix/internal/scratch"
)

// The reasons for which a folder is not copied.
var (
	ErrSpecial = errors.New("not a regular file with one name")
	ErrLimit   = errors.New("the folder is larger than it may be")
	ErrLink    = errors.New("unexpected link")
)

// Limits bound a folder. Every field must be set.
type Limits struct {
	Entries   int   // files and folders
	Depth     int   // folders below one another
	NameBytes int   // of one name
	FileBytes int64 // of one file
	Bytes     int64 // of all files
}

// DefaultLimits are what a checkout may be.
func DefaultLimits() Limits {
	return Limits{Entries: 100_000, Depth: 64, NameBytes: 255, FileBytes: 128 << 20, Bytes: 1 << 30}
}

func (l Limits) valid() bool {
	return l.Entries > 0 && l.Depth > 0 && l.NameBytes > 0 && l.FileBytes > 0 && l.Bytes > 0
}

// Copy copies the folder src to dst, which must be an empty folder, and lists it. links are the links that
// src may hold, by path, with their targets: those that the tree had when it was written.
func Copy(dst, src string, links map[string]string, l Limits) (Listing, error) {
	return walk(&copier{dst: dst, links: links, limits: l}, src)
}

// CopyFiles is Copy with the links listed and not made: behind the fence nothing can make one.
func CopyFiles(dst, src string, links map[string]string, l Limits) (Listing, error) {
	return walk(&copier{dst: dst, links: links, limits: l, bare: true}, src)
}

// List is Copy without a copy: for a folder that nobody can change any more.
func List(src string, links map[string]string, l Limits) (Listing, error) {
	return walk(&copier{links: links, limits: l}, src)
}

func walk(c *copier, src string) (Listing, error) {
	if !c.limits.valid() {
		return nil, fmt.Errorf("%w: a limit is zero", ErrLimit)
	}
	fd, err := unix.Open(src, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, fmt.Errorf("open the folder to copy: %w", err)
	}
	if err := c.folder(os.NewFile(uintptr(fd), src), "", 0); err != nil {
		return nil, err
	}
	c.list.Sort()
	return c.list, nil
}

type copier struct {
	dst     string // "" if nothing is copied
	bare    bool   // links are not made
	links   map[string]string
	limits  Limits
	list    Listing
	entries int
	bytes   int64
}

// folder copies what lies in an open folder, and closes it.
func (c *copier) folder(dir *os.File, at string, depth int) error {
	defer dir.Close()
	if depth > c.limits.Depth {
		return fmt.Errorf("%w: %s lies more than %d folders deep", ErrLimit, cut(at), c.limits.Depth)
	}
	for {
		// In pieces, so that a folder of a billion names is refused before it is read.
		names, err := dir.Readdirnames(1024)
		for _, name := range names {
			if err := c.entry(dir, name, path.Join(at, name), depth); err != nil {
				return err
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("list %s: %w", cut(at), err)
		}
	}
}

func (c *copier) entry(dir *os.File, name, at string, depth int) error {
	c.entries++
	if c.entries > c.limits.Entries {
		return fmt.Errorf("%w: more than %d entries", ErrLimit, c.limits.Entries)
	}
	if len(name) > c.limits.NameBytes {
		return fmt.Errorf("%w: a name of %d bytes, the limit is %d", ErrLimit, len(name), c.limits.NameBytes)
	}
	fd, err := openBeneath(dir, name)
	if errors.Is(err, unix.ELOOP) {
		return c.link(dir, name, at)
	}
	if errors.Is(err, unix.ENXIO) {
		return fmt.Errorf("%w: %s is a socket or a device without a driver", ErrSpecial, cut(at))
	}
	if err != nil {
		return fmt.Errorf("open %s: %w", cut(at), err)
	}
	f := os.NewFile(uintptr(fd), name)
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		f.Close()
		return fmt.Errorf("look at %s: %w", cut(at), err)
	}
	switch st.Mode & unix.S_IFMT {
	case unix.S_IFDIR:
		if err := c.makeFolder(at); err != nil {
			f.Close()
			return err
		}
		return c.folder(f, at, depth+1)
	case unix.S_IFREG:
		defer f.Close()
		return c.file(f, st, at)
	}
	f.Close()
	return fmt.Errorf("%w: %s is a FIFO, a socket or a device", ErrSpecial, cut(at))
}

// openBeneath opens one name in dir: no link anywhere, no other file system, no waiting. Behind the fence
// openat2 answers ENOSYS, since a filter cannot see its arguments; for one name that holds no slash, openat
// without links and a look at the device say the same.
func openBeneath(dir *os.File, name string) (int, error) {
	if name == "" || name == "." || name == ".." || strings.Contains(name, "/") {
		return -1, unix.EINVAL
	}
	fd, err := retry(func() (int, error) {
		return unix.Openat2(int(dir.Fd()), name, &unix.OpenHow{
			Flags:   openFlags,
			Resolve: unix.RESOLVE_BENEATH | unix.RESOLVE_NO_SYMLINKS | unix.RESOLVE_NO_MAGICLINKS | unix.RESOLVE_NO_XDEV,
		})
	})
	if errors.Is(err, unix.ENOSYS) {
		return openOne(dir, name)
	}
	return fd, err
}

const openFlags = unix.O_RDONLY | unix.O_NOFOLLOW | unix.O_NONBLOCK | unix.O_NOCTTY | unix.O_CLOEXEC

// openOne is openBeneath without openat2.
func openOne(dir *os.File, name string) (int, error) {
	fd, err := retry(func() (int, error) { return unix.Openat(int(dir.Fd()), name, openFlags, 0) })
	if err != nil {
		return -1, err
	}
	var here, there unix.Stat_t
	err = errors.Join(unix.Fstat(int(dir.Fd()), &here), unix.Fstat(fd, &there))
	if err == nil && here.Dev != there.Dev {
		err = unix.EXDEV
	}
	if err != nil {
		unix.Close(fd)
		return -1, err
	}
	return fd, nil
}

func retry(open func() (int, error)) (int, error) {
	for {
		fd, err := open()
		if !errors.Is(err, unix.EINTR) && !errors.Is(err, unix.EAGAIN) {
			return fd, err
		}
	}
}

func (c *copier) makeFolder(at string) error {
	if c.dst == "" {
		return nil
	}
	if err := os.Mkdir(filepath.Join(c.dst, filepath.FromSlash(at)), 0o755); err != nil {
		return fmt.Errorf("copy folder %s: %w", cut(at), err)
	}
	return nil
}

// file copies one regular file from its open descriptor and hashes the bytes that it copied.
func (c *copier) file(f *os.File, st unix.Stat_t, at string) error {
	if st.Nlink != 1 {
		return fmt.Errorf("%w: %s has %d names, others of which may lie outside", ErrSpecial, cut(at), st.Nlink)
	}
	if st.Size > c.limits.FileBytes {
		return fmt.Errorf("%w: %s has %d bytes, the limit for one file is %d", ErrLimit, cut(at), st.Size, c.limits.FileBytes)
	}
	c.bytes += st.Size
	if c.bytes > c.limits.Bytes {
		return fmt.Errorf("%w: more than %d bytes in all", ErrLimit, c.limits.Bytes)
	}
	e := Entry{Path: at, Mode: scratch.ModeFile, Size: st.Size}
	perm := os.FileMode(0o644)
	if st.Mode&0o100 != 0 {
		e.Mode, perm = scratch.ModeExec, 0o755
	}
	id, err := c.transfer(f, st.Size, at, perm)
	if err != nil {
		return fmt.Errorf("copy %s: %w", cut(at), err)
	}
	e.ID = id
	c.list = append(c.list, e)
	return nil
}

// transfer reads exactly size bytes: a file that grows or shrinks meanwhile is refused.
func (c *copier) transfer(f *os.File, size int64, at string, perm os.FileMode) (string, error) {
	h := newBlobHash(size)
	w := io.Writer(h)
	if c.dst != "" {
		to, err := os.OpenFile(filepath.Join(c.dst, filepath.FromSlash(at)), os.O_WRONLY|os.O_CREATE|os.O_EXCL|unix.O_NOFOLLOW, perm)
		if err != nil {
			return "", err
		}
		defer to.Close()
		if err := to.Chmod(perm); err != nil {
			return "", err
		}
		w = io.MultiWriter(h, to)
	}
	n, err := io.Copy(w, io.LimitReader(f, size+1))
	if err != nil {
		return "", err
	}
	if n != size {
		return "", fmt.Errorf("%w: it changed while it was copied", ErrSpecial)
	}
	return h.id(), nil
}

// link records a link that the caller expects; any other one is refused unread.
func (c *copier) link(dir *os.File, name, at string) error {
	buf := make([]byte, unix.PathMax)
	n, err := unix.Readlinkat(int(dir.Fd()), name, buf)
	if err != nil {
		return fmt.Errorf("%w: %s cannot be opened without following it", ErrLink, cut(at))
	}
	target := string(buf[:n])
	if want, ok := c.links[at]; !ok || want != target {
		return fmt.Errorf("%w: %s was not there before, or led elsewhere", ErrLink, cut(at))
	}
	if c.dst != "" && !c.bare {
		if err := os.Symlink(target, filepath.Join(c.dst, filepath.FromSlash(at))); err != nil {
			return fmt.Errorf("copy link %s: %w", cut(at), err)
		}
	}
	c.list = append(c.list, Entry{Path: at, Mode: scratch.ModeLink, ID: scratch.HashObject("blob", buf[:n]), Size: int64(n)})
	return nil
}

// cut quotes an untrusted name for a message.
func cut(s string) string {
	const most = 120
	if len(s) > most {
		return fmt.Sprintf("%q…", s[:most])
	}
	return fmt.Sprintf("%q", s)
}
