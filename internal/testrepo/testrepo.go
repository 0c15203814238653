// Package testrepo makes the small base repository that the corpus of patches and the examples of the rules apply to.
package testrepo

import (
	"bytes"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
)

// BaseCommit is the id of the base commit: names, dates and contents are fixed.
const BaseCommit = "51dc02b9d0e61cc296a1d56a7261869fa5ee3457"

// Root is the folder of the module's sources.
func Root(t testing.TB) string {
	t.Helper()
	_, file, _, ok := runtime.Caller(0)
	if !ok {
		t.Fatal("no caller information")
	}
	return filepath.Dir(filepath.Dir(filepath.Dir(file)))
}

// Base makes the base repository in a temporary folder of the test and returns the folder. The script that makes it runs
// once a process; what it left is kept in memory and written out for each test.
func Base(t testing.TB) string {
	t.Helper()
	made.once.Do(func() { made.files = script(t) })
	if made.files == nil {
		t.Fatal("an earlier test could not make the base repository")
	}
	dir := filepath.Join(t.TempDir(), "base")
	for _, f := range made.files {
		p := filepath.Join(dir, f.name)
		var err error
		switch {
		case f.mode.IsDir():
			err = os.MkdirAll(p, 0o755)
		case f.mode&fs.ModeSymlink != 0:
			err = os.Symlink(string(f.data), p)
		default:
			err = os.WriteFile(p, f.data, f.mode.Perm()|0o200)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// made is the base repository of this process.
var made struct {
	once  sync.Once
	files []madeFile
}

type madeFile struct {
	name string
	mode fs.FileMode
	data []byte // of a link: where it points to
}

// script runs mkbase.sh and reads all that it made, folders before what is in them.
func script(t testing.TB) []madeFile {
	dir := filepath.Join(t.TempDir(), "made")
	cmd := exec.Command("bash", filepath.Join(Root(t), "testdata", "patches", "mkbase.sh"), dir)
	cmd.Env = append(os.Environ(), "HOME="+t.TempDir())
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("mkbase.sh: %v\n%s", err, stderr.String())
	}
	if got := strings.TrimSpace(string(out)); got != BaseCommit {
		t.Fatalf("mkbase.sh made commit %s, want %s", got, BaseCommit)
	}
	var files []madeFile
	err = filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(dir, p)
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		f := madeFile{name: name, mode: info.Mode()}
		switch {
		case f.mode&fs.ModeSymlink != 0:
			var to string
			to, err = os.Readlink(p)
			f.data = []byte(to)
		case f.mode.IsRegular():
			f.data, err = os.ReadFile(p)
		}
		files = append(files, f)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// Commit writes files on top of the base in dir, commits them and returns the new commit.
func Commit(t testing.TB, dir string, files map[string]string) string {
	t.Helper()
	for name, text := range files {
		p := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	Git(t, dir, "add", "-A")
	Git(t, dir, "commit", "-q", "--allow-empty", "-m", "more")
	return strings.TrimSpace(Git(t, dir, "rev-parse", "HEAD"))
}

// Git runs git in dir with fixed names and dates and no configuration of the machine.
func Git(t testing.TB, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", append([]string{"-C", dir}, args...)...)
	cmd.Env = append(os.Environ(), "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null",
		"GIT_AUTHOR_NAME=base", "GIT_AUTHOR_EMAIL=base@example.invalid", "GIT_COMMITTER_NAME=base", "GIT_COMMITTER_EMAIL=base@example.invalid",
		"GIT_AUTHOR_DATE=2026-01-02T03:04:05+0000", "GIT_COMMITTER_DATE=2026-01-02T03:04:05+0000")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, stderr.String())
	}
	return string(out)
}
