package tree

import (
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"selffix/internal/scratch"
	"selffix/internal/testrepo"
)

func put(t *testing.T, dir, name, text string, perm os.FileMode) {
	t.Helper()
	p := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(p, []byte(text), perm); err != nil {
		t.Fatal(err)
	}
}

// A copy of a work tree has the tree id and the listing that git itself computes.
func TestCopyIsWhatGitSees(t *testing.T) {
	repo := testrepo.Base(t)
	src := t.TempDir()
	testrepo.Git(t, repo, "--work-tree="+src, "checkout", "-q", "-f", testrepo.BaseCommit, "--", ".")
	put(t, src, "deep/a-b", "1", 0o600)
	put(t, src, "deep/a/b", "2", 0o700) // git sorts a folder as if its name ended in a slash
	put(t, src, "deep/a.b", "3", 0o644)
	testrepo.Git(t, repo, "--work-tree="+src, "add", "-A", "-f")
	want := strings.TrimSpace(testrepo.Git(t, repo, "write-tree"))

	dst := t.TempDir()
	links := map[string]string{"packages/core/src/alias.ts": "split.ts", "packages/web/src/shared": "../../core/src"}
	list, err := Copy(dst, src, links, DefaultLimits())
	if err != nil {
		t.Fatal(err)
	}
	got, err := list.TreeID()
	if err != nil || got != want {
		t.Errorf("tree %s, %v; git says %s", got, err, want)
	}
	again, err := List(dst, links, DefaultLimits())
	if err != nil || again.Inventory() != list.Inventory() {
		t.Errorf("the copy has %+v, %v; the source %+v", again.Inventory(), err, list.Inventory())
	}
	if files := strings.Count(testrepo.Git(t, repo, "ls-tree", "-rz", want), "\x00"); files != list.Inventory().Files {
		t.Errorf("%d files, git says %d", list.Inventory().Files, files)
	}
}

func TestCopyRefuses(t *testing.T) {
	outside := filepath.Join(t.TempDir(), "outside")
	if err := os.WriteFile(outside, []byte("secret"), 0o644); err != nil {
		t.Fatal(err)
	}
	small := Limits{Entries: 8, Depth: 2, NameBytes: 20, FileBytes: 10, Bytes: 15}
	tests := []struct {
		name string
		make func(dir string) error
		want error
	}{
		{"fifo", func(d string) error { return syscall.Mkfifo(d+"/f", 0o644) }, ErrSpecial},
		{"socket", func(d string) error {
			l, err := net.ListenUnix("unix", &net.UnixAddr{Name: d + "/s", Net: "unix"})
			if err == nil {
				l.SetUnlinkOnClose(false)
				err = l.Close()
			}
			return err
		}, ErrSpecial},
		{"second name outside", func(d string) error { return os.Link(outside, d+"/h") }, ErrSpecial},
		{"second name inside", func(d string) error {
			return errors.Join(os.WriteFile(d+"/a", nil, 0o644), os.Link(d+"/a", d+"/b"))
		}, ErrSpecial},
		{"link out", func(d string) error { return os.Symlink(outside, d+"/l") }, ErrLink},
		{"link to a folder", func(d string) error { return os.Symlink("/proc", d+"/l") }, ErrLink},
		{"expected link with another target", func(d string) error { return os.Symlink("elsewhere", d+"/known") }, ErrLink},
		{"too many entries", func(d string) error {
			for i := range 9 {
				if err := os.WriteFile(fmt.Sprintf("%s/%d", d, i), nil, 0o644); err != nil {
					return err
				}
			}
			return nil
		}, ErrLimit},
		{"too deep", func(d string) error { return os.MkdirAll(d+"/1/2/3", 0o755) }, ErrLimit},
		{"long name", func(d string) error { return os.WriteFile(d+"/"+strings.Repeat("n", 21), nil, 0o644) }, ErrLimit},
		{"large file", func(d string) error { return os.WriteFile(d+"/f", make([]byte, 11), 0o644) }, ErrLimit},
		{"sparse file", func(d string) error {
			return errors.Join(os.WriteFile(d+"/f", nil, 0o644), os.Truncate(d+"/f", 1<<40))
		}, ErrLimit},
		{"many bytes", func(d string) error {
			return errors.Join(os.WriteFile(d+"/f", make([]byte, 8), 0o644), os.WriteFile(d+"/g", make([]byte, 8), 0o644))
		}, ErrLimit},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			src := t.TempDir()
			if err := tt.make(src); err != nil {
				t.Fatal(err)
			}
			if _, err := Copy(t.TempDir(), src, map[string]string{"known": "here"}, small); !errors.Is(err, tt.want) {
				t.Errorf("Copy() = %v, want %v", err, tt.want)
			}
		})
	}
	if _, err := Copy(t.TempDir(), t.TempDir(), nil, Limits{}); !errors.Is(err, ErrLimit) {
		t.Errorf("zero limits: %v", err)
	}
}

func TestCopyDoesNotFollowTheFolderItself(t *testing.T) {
	dir := t.TempDir()
	if err := os.Symlink("/etc", dir+"/link"); err != nil {
		t.Fatal(err)
	}
	if _, err := Copy(t.TempDir(), dir+"/link", nil, DefaultLimits()); err == nil {
		t.Error("a link in place of the folder was followed")
	}
}

func TestListingFind(t *testing.T) {
	l := Listing{{Path: "b"}, {Path: "a/c", Mode: scratch.ModeExec}}
	l.Sort()
	if e, ok := l.Find("a/c"); !ok || e.Mode != scratch.ModeExec {
		t.Errorf("Find(a/c) = %+v, %v", e, ok)
	}
	if _, ok := l.Find("a"); ok {
		t.Error("a folder was found")
	}
}

// Behind the fence there is no openat2; the other way refuses the same.
func TestOpenOneIsOpenBeneath(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, "file", "1", 0o644)
	put(t, dir, "folder/file", "1", 0o644)
	if err := errors.Join(os.Symlink("file", dir+"/link"), os.Symlink("folder", dir+"/link-dir"), syscall.Mkfifo(dir+"/fifo", 0o644)); err != nil {
		t.Fatal(err)
	}
	d, err := os.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	for _, name := range []string{"file", "folder", "link", "link-dir", "fifo", "missing"} {
		fd, err := openBeneath(d, name)
		fd2, err2 := openOne(d, name)
		if !errors.Is(err2, err) || (err == nil) != (err2 == nil) {
			t.Errorf("%s: openBeneath %v, openOne %v", name, err, err2)
		}
		for _, f := range []int{fd, fd2} {
			if f >= 0 {
				syscall.Close(f)
			}
		}
	}
	for _, name := range []string{"", ".", "..", "folder/file", "/etc/passwd"} {
		if _, err := openBeneath(d, name); !errors.Is(err, syscall.EINVAL) {
			t.Errorf("%q: %v, want EINVAL", name, err)
		}
	}
	proc, err := os.Open("/")
	if err != nil {
		t.Fatal(err)
	}
	defer proc.Close()
	if _, err := openOne(proc, "proc"); !errors.Is(err, syscall.EXDEV) {
		t.Errorf("another file system: %v, want EXDEV", err)
	}
}
