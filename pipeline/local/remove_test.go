package local

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// nested makes depth folders in each other, with names so long that no path names the innermost, which holds a file and is closed.
func nested(t *testing.T, dir string, depth int) {
	t.Helper()
	name := strings.Repeat("d", 240) + "\x1b]0;x"
	at, err := unix.Open(dir, unix.O_RDONLY|unix.O_DIRECTORY, 0)
	for i := 0; err == nil && i < depth; i++ {
		var next int
		if err = unix.Mkdirat(at, name, 0o755); err == nil {
			next, err = unix.Openat(at, name, unix.O_RDONLY|unix.O_DIRECTORY, 0)
		}
		_ = unix.Close(at)
		at = next
	}
	if err != nil {
		t.Fatal(err)
	}
	fd, err := unix.Openat(at, "file", unix.O_CREAT|unix.O_WRONLY, 0o644)
	if err := errors.Join(err, unix.Close(fd), unix.Fchmod(at, 0), unix.Close(at)); err != nil {
		t.Fatal(err)
	}
}

// What an ordinary user's run left is removed however deep and closed it is, by its own end and by a later sweep.
func TestDeepClosedFolders(t *testing.T) {
	if os.Geteuid() == 0 {
		asUser(t)
		return
	}
	for _, depth := range []int{1, 20, 3000} {
		parent := t.TempDir()
		run, err := newRunDir(parent)
		if err != nil {
			t.Fatal(err)
		}
		nested(t, run.path, depth)
		if err := run.close(); err != nil {
			t.Errorf("%d deep: %v", depth, err)
		}
		left, err := newRunDir(parent)
		if err != nil {
			t.Fatal(err)
		}
		nested(t, left.path, depth)
		if err := errors.Join(left.lock.Close(), sweep(parent)); err != nil {
			t.Errorf("%d deep, swept: %v", depth, err)
		}
		if names, _ := filepath.Glob(filepath.Join(parent, "*")); len(names) != 0 {
			t.Errorf("%d deep: left %.200q", depth, names)
		}
	}
}

// asUser runs the test again without privilege.
func asUser(t *testing.T) {
	t.Helper()
	dir, err := os.MkdirTemp("/var/tmp", "local-test-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	const uid = 61234
	program := filepath.Join(dir, "program")
	if err := errors.Join(copyFile(program, "/proc/self/exe"), os.Chmod(program, 0o755), os.Chown(dir, uid, uid)); err != nil {
		t.Fatal(err)
	}
	c := exec.CommandContext(t.Context(), program, "-test.run=^"+t.Name()+"$", "-test.v")
	c.Dir, c.Env = dir, []string{"TMPDIR=" + dir}
	c.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uid, Gid: uid}}
	out, err := c.CombinedOutput()
	if err != nil || !bytes.Contains(out, []byte("--- PASS: "+t.Name())) {
		t.Errorf("as an ordinary user: %v\n%s", err, out)
	}
}

// What cannot be removed is said, without the names in it, keeps its lock for a later sweep, and stops no run.
func TestWhatCannotBeRemoved(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can make what it cannot remove: a mount")
	}
	parent := t.TempDir()
	run, err := newRunDir(parent)
	if err != nil {
		t.Fatal(err)
	}
	stuck := filepath.Join(run.path, "evil\x1b[2Jname")
	if err := os.Mkdir(stuck, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := unix.Mount("tmpfs", stuck, "tmpfs", 0, "size=64k"); err != nil {
		t.Skipf("no mount: %v", err)
	}
	defer unix.Unmount(stuck, unix.MNT_DETACH)
	if err := run.close(); err == nil || strings.Contains(err.Error(), "evil") {
		t.Errorf("error %q, want one without the step's names", fmt.Sprint(err))
	}
	if _, err := os.Stat(filepath.Join(run.path, lockName)); err != nil {
		t.Errorf("the lock is gone: %v", err)
	}
	var said bytes.Buffer
	interpreter(t, func(o *Options) { o.Parent, o.Stderr = parent, io.Writer(&said) })
	if !strings.HasPrefix(said.String(), "warning: ") || strings.ContainsRune(said.String(), '\x1b') || strings.Contains(said.String(), "evil") {
		t.Errorf("said %q", said.String())
	}
	if err := unix.Unmount(stuck, unix.MNT_DETACH); err != nil {
		t.Fatal(err)
	}
	if err := sweep(parent); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(run.path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("it was not found again: %v", err)
	}
}
