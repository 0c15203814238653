// Package testuser runs a package's tests once more as an ordinary user, where the tests run as root: what needs no privilege
// must work without it, and a test run by root alone cannot show that.
//
// In goes a pattern of tests and the folders that they need. A copy of the test binary and of those folders lies below a
// home of its own, that of a user id which no process has; nothing of root's environment is passed on but PATH and what is named. What the
// run says becomes the log of the calling test, which fails if the run does, or if no test passed in it.
package testuser

import (
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// Again says what runs again.
type Again struct {
	Tests  string              // a pattern, as "go test -run" takes it
	Skip   string              // a pattern, as "go test -skip" takes it; "": none
	Copy   map[string]string   // folders to copy into the home: from an absolute path to a relative one
	Getenv func(string) string // os.Getenv, for PATH and what Pass names
	Pass   []string            // names of variables to pass on as well: how an installer reaches its registry
}

// Run runs the tests again. It skips, with the reason, where this is no root, and under -short.
func (a Again) Run(t *testing.T) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("this is an ordinary user already")
	}
	if testing.Short() {
		t.Skip("-short")
	}
	home, uid := a.layOut(t)
	program := filepath.Join(home, "tests")
	args := []string{"-test.run=" + a.Tests, "-test.v", "-test.timeout=8m"}
	if a.Skip != "" {
		args = append(args, "-test.skip="+a.Skip)
	}
	cmd := exec.CommandContext(t.Context(), program, args...)
	cmd.Dir = home
	cmd.Env = []string{"PATH=" + a.Getenv("PATH"), "HOME=" + home, "TMPDIR=" + filepath.Join(home, "tmp")}
	for _, name := range a.Pass {
		if v := a.Getenv(name); v != "" {
			cmd.Env = append(cmd.Env, name+"="+v)
		}
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uid, Gid: uid}}
	out, err := cmd.CombinedOutput()
	for line := range strings.Lines(string(out)) {
		t.Log(strings.TrimRight(line, "\n"))
	}
	if err != nil {
		t.Errorf("tests as uid %d: %v", uid, err)
	}
	if !strings.Contains(string(out), "--- PASS: ") {
		t.Error("no test passed as an ordinary user: expected at least one")
	}
}

// layOut makes the home of a free user, with the test binary and the folders in it.
func (a Again) layOut(t *testing.T) (home string, uid uint32) {
	t.Helper()
	uid, err := free()
	if err != nil {
		t.Fatal(err)
	}
	// t.TempDir lies below a folder that is root's alone.
	if home, err = os.MkdirTemp("/var/tmp", "self-fix-user-"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(home) })
	if err := copyFile(filepath.Join(home, "tests"), "/proc/self/exe"); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(home, "tmp"), 0o755); err != nil {
		t.Fatal(err)
	}
	for from, to := range a.Copy {
		if err := copyTree(filepath.Join(home, to), from); err != nil {
			t.Fatal(err)
		}
	}
	if err := filepath.WalkDir(home, func(name string, _ fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return os.Lchown(name, int(uid), int(uid))
	}); err != nil {
		t.Fatal(err)
	}
	return home, uid
}

// free draws a user id that no process has.
func free() (uint32, error) {
	for range 64 {
		uid := 20_000 + rand.Uint32N(40_000)
		taken, err := processOf(uid)
		if err != nil {
			return 0, err
		}
		if !taken {
			return uid, nil
		}
	}
	return 0, fmt.Errorf("no free user id among 64 draws")
}

func processOf(uid uint32) (bool, error) {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return false, err
	}
	for _, e := range entries {
		if _, err := strconv.Atoi(e.Name()); err != nil {
			continue
		}
		info, err := e.Info()
		if err != nil {
			continue // it has ended
		}
		if st, ok := info.Sys().(*syscall.Stat_t); ok && st.Uid == uid {
			return true, nil
		}
	}
	return false, nil
}

// copyTree copies files, folders and links with their modes. Files lie there as copies, since a link to one of root's
// could not change hands.
func copyTree(to, from string) error {
	return filepath.WalkDir(from, func(name string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		below, err := filepath.Rel(from, name)
		if err != nil {
			return err
		}
		target := filepath.Join(to, below)
		switch {
		case e.IsDir():
			return os.MkdirAll(target, 0o755)
		case e.Type()&fs.ModeSymlink != 0:
			link, err := os.Readlink(name)
			if err != nil {
				return err
			}
			return os.Symlink(link, target)
		case e.Type().IsRegular():
			return copyFile(target, name)
		}
		return fmt.Errorf("copy %q: expected a file, a folder or a link", name)
	})
}

func copyFile(to, from string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	info, err := in.Stat()
	if err != nil {
		return err
	}
	out, err := os.OpenFile(to, os.O_CREATE|os.O_WRONLY|os.O_EXCL, info.Mode().Perm())
	if err != nil {
		return err
	}
	if _, err := io.Copy(out, in); err != nil {
		out.Close()
		return err
	}
	return out.Close()
}
