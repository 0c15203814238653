package scratch

import (
	"bytes"
	"compress/zlib"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"selffix/internal/testrepo"
)

// open makes a scratch folder over a repository and checks in the end that nothing of it stays.
func open(t *testing.T, dir string, o Options) *Folder {
	t.Helper()
	r := Repository{}
	if dir != "" {
		var err error
		if r, err = Find(dir); err != nil {
			t.Fatal(err)
		}
	}
	if o.Parent == "" {
		o.Parent = t.TempDir()
	}
	f, err := Open(r, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := f.Close(); err != nil {
			t.Error(err)
		}
		if left, _ := os.ReadDir(o.Parent); len(left) > 0 {
			t.Errorf("%d entries stay in the parent folder", len(left))
		}
	})
	return f
}

// fakeGit writes a shell script that is run in place of git.
func fakeGit(t *testing.T, script string) string {
	t.Helper()
	p := filepath.Join(t.TempDir(), "git")
	if err := os.WriteFile(p, []byte("#!/bin/sh\n"+script), 0o755); err != nil {
		t.Fatal(err)
	}
	return p
}

func TestEnvironmentIsFresh(t *testing.T) {
	base := testrepo.Base(t)
	t.Setenv("GIT_CONFIG_COUNT", "1")
	t.Setenv("GIT_CONFIG_KEY_0", "core.fsmonitor")
	t.Setenv("GIT_CONFIG_VALUE_0", "false")
	t.Setenv("GIT_OBJECT_DIRECTORY", "/nowhere")
	t.Setenv("SECRET_CANARY", "canary")
	f := open(t, base, Options{Git: fakeGit(t, "env\n")})
	out, err := f.Run(t.Context(), Command{Args: []string{"x"}, Env: []string{"ADDED=1"}})
	if err != nil {
		t.Fatal(err)
	}
	for _, gone := range []string{"GIT_CONFIG_COUNT", "GIT_CONFIG_KEY", "GIT_OBJECT_DIRECTORY", "canary"} {
		if strings.Contains(string(out), gone) {
			t.Errorf("the process sees %s", gone)
		}
	}
	for _, want := range []string{"GIT_NO_REPLACE_OBJECTS=1", "GIT_NO_LAZY_FETCH=1", "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null", "GIT_ATTR_NOSYSTEM=1", "LC_ALL=C", "HOME=" + f.Path("home"), "ADDED=1"} {
		if !strings.Contains(string(out), want+"\n") {
			t.Errorf("the process does not see %s", want)
		}
	}
}

func TestEndsOfProcess(t *testing.T) {
	tests := []struct {
		name, script string
		command      Command
		want         error
	}{
		{"exit code", "echo no >&2; exit 3\n", Command{}, ErrExit},
		{"abort", "kill -ABRT $$\n", Command{}, ErrSignal},
		{"kill", "kill -KILL $$\n", Command{}, ErrEnded},
		{"signal 0 is no signal but an exit code above 128 is one of the shell", "exit 134\n", Command{}, ErrExit},
		{"flood", "yes\n", Command{Limit: 1000}, ErrOutput},
		{"flood with exit code 0", "head -c 2000 /dev/zero; exit 0\n", Command{Limit: 1000}, ErrOutput},
		{"sleep", "sleep 60\n", Command{Timeout: 50 * time.Millisecond}, ErrTimeout},
		{"child holds the pipe", "sleep 60 & exit 0\n", Command{Timeout: 50 * time.Millisecond}, ErrTimeout},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := open(t, "", Options{Git: fakeGit(t, tt.script)})
			tt.command.Args = []string{"x"}
			out, err := f.Run(t.Context(), tt.command)
			if !errors.Is(err, tt.want) || out != nil {
				t.Errorf("Run = %d bytes, %v; want %v", len(out), err, tt.want)
			}
		})
	}
}

// TestRoom: a folder that cannot be written any more says so.
func TestRoom(t *testing.T) {
	f := open(t, "", Options{Git: fakeGit(t, "")})
	if err := f.Room(); err != nil {
		t.Errorf("a folder with room: %v", err)
	}
	if left, err := os.ReadDir(f.Path("tmp")); err != nil || len(left) > 0 {
		t.Errorf("it leaves %v, %v", left, err)
	}
	if err := os.RemoveAll(f.Path("tmp")); err != nil {
		t.Fatal(err)
	}
	if err := f.Room(); err == nil {
		t.Error("a folder that cannot be written has room")
	}
}

func TestExitErrorTellsCodeAndText(t *testing.T) {
	f := open(t, "", Options{Git: fakeGit(t, "echo 'error: \033[31mno' >&2; exit 3\n")})
	_, err := f.Run(t.Context(), Command{Args: []string{"apply"}})
	var exit *ExitError
	if !errors.As(err, &exit) || exit.Code != 3 || exit.Command != "apply" {
		t.Fatalf("Run = %v", err)
	}
	if strings.Contains(err.Error(), "\033") {
		t.Errorf("the message holds a raw control character: %q", err)
	}
}

func TestCancelEndsProcess(t *testing.T) {
	f := open(t, "", Options{Git: fakeGit(t, "sleep 60\n")})
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(50*time.Millisecond, cancel)
	if _, err := f.Run(ctx, Command{Args: []string{"x"}}); !errors.Is(err, context.Canceled) {
		t.Errorf("Run = %v, want %v", err, context.Canceled)
	}
}

func TestCloseEndsReader(t *testing.T) {
	f := open(t, testrepo.Base(t), Options{})
	c, err := f.CatFile(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Get(testrepo.BaseCommit, 1000); err == nil {
		t.Error("a reader of a closed folder still answers")
	}
	if err := c.Close(); err == nil {
		t.Error("a reader that was ended says nothing about it")
	}
}

// TestHostileRepository plants what made git run commands or lie when it worked in the repository itself.
func TestHostileRepository(t *testing.T) {
	dir := testrepo.Base(t)
	mark := filepath.Join(t.TempDir(), "ran")
	hook := fakeGit(t, "touch "+mark+"\n")
	blob := strings.TrimSpace(testrepo.Git(t, dir, "rev-parse", "HEAD:package.json"))
	other := strings.TrimSpace(testrepo.Git(t, dir, "rev-parse", "HEAD:README.md"))
	testrepo.Git(t, dir, "replace", blob, other)
	testrepo.Git(t, dir, "config", "core.fsmonitor", hook)
	testrepo.Git(t, dir, "config", "core.hooksPath", filepath.Dir(hook))
	testrepo.Git(t, dir, "config", "core.attributesFile", hook)
	testrepo.Git(t, dir, "config", "extensions.partialClone", "origin")
	testrepo.Git(t, dir, "config", "remote.origin.promisor", "true")
	testrepo.Git(t, dir, "config", "remote.origin.url", "ext::"+hook)
	for _, h := range []string{"post-index-change", "pre-commit", "reference-transaction"} {
		if err := os.Link(hook, filepath.Join(filepath.Dir(hook), h)); err != nil {
			t.Fatal(err)
		}
	}
	os.WriteFile(filepath.Join(dir, ".git", "index.lock"), nil, 0o644)
	os.WriteFile(filepath.Join(dir, ".git", "info", "attributes"), []byte("* filter=evil\n"), 0o644)

	f := open(t, dir, Options{})
	c, err := f.CatFile(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	o, err := c.Get(blob, 1<<20)
	if err != nil || HashObject("blob", o.Data) != blob {
		t.Errorf("Get(%s) = %s, %v", blob, o.ID, err)
	}
	if _, err := c.Get(strings.Repeat("1", 40), 1<<20); !errors.Is(err, ErrMissing) {
		t.Errorf("Get of an object that a promisor would bring = %v, want %v", err, ErrMissing)
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
	for _, args := range [][]string{
		{"read-tree", testrepo.BaseCommit},
		{"write-tree"},
		{"diff-index", "--cached", "--raw", "-z", testrepo.BaseCommit},
		{"check-attr", "--cached", "filter", "--", "package.json"},
	} {
		out, err := f.Run(t.Context(), Command{Args: args})
		if err != nil {
			t.Errorf("git %v: %v", args, err)
		}
		if strings.Contains(string(out), "evil") {
			t.Errorf("git %v reads the repository's own attributes", args)
		}
	}
	if _, err := os.Stat(mark); err == nil {
		t.Error("a command of the repository ran")
	}
}

func TestForgedObject(t *testing.T) {
	dir := testrepo.Base(t)
	id := HashObject("blob", []byte("what was meant\n"))
	var b bytes.Buffer
	z := zlib.NewWriter(&b)
	fmt.Fprintf(z, "blob 5\x00evil\n")
	z.Close()
	p := filepath.Join(dir, ".git", "objects", id[:2])
	os.MkdirAll(p, 0o755)
	if err := os.WriteFile(filepath.Join(p, id[2:]), b.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	f := open(t, dir, Options{})
	c, err := f.CatFile(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if o, err := c.Get(id, 1000); !errors.Is(err, ErrForged) || o.Data != nil {
		t.Errorf("Get = %q, %v; want %v", o.Data, err, ErrForged)
	}
	if _, err := c.Get(testrepo.BaseCommit, 1000); !errors.Is(err, ErrForged) {
		t.Errorf("Get after a forged object = %v, want the same error", err)
	}
}

func TestCatFileLimits(t *testing.T) {
	dir := testrepo.Base(t)
	f := open(t, dir, Options{})
	c, err := f.CatFile(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if o, err := c.Get(testrepo.BaseCommit+"^{tree}", 3); !errors.Is(err, ErrTooBig) || o.Data != nil || o.Type != "tree" {
		t.Errorf("Get above the limit = %+v, %v", o, err)
	}
	for _, name := range []string{"", "HEAD", "x y", "a\nb", testrepo.BaseCommit + "~1"} {
		if _, err := c.Get(name, 1000); !errors.Is(err, ErrMissing) {
			t.Errorf("Get(%q) = %v, want %v", name, err, ErrMissing)
		}
	}
	if o, err := c.Get(testrepo.BaseCommit+"^{commit}", 1000); err != nil || o.Type != "commit" {
		t.Errorf("Get after errors = %+v, %v", o, err)
	}
}
