package checkout

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"selffix/internal/ghfake"
	"selffix/internal/testrepo"
	"selffix/pipeline/tree"
)

var noon = time.Date(2026, 3, 10, 12, 0, 0, 0, time.UTC)

func scene(t *testing.T) *ghfake.Scene {
	t.Helper()
	sc, err := ghfake.NewScene(t.Context(), ghfake.Options{Dir: t.TempDir(), Now: noon}, ghfake.SceneOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := sc.Server.Close(); err != nil {
			t.Error(err)
		}
	})
	return sc
}

func remote(sc *ghfake.Scene) Remote {
	return Remote{Base: sc.Server.URL, Repository: "maintainer/app", Commit: sc.Tested, Token: ghfake.ReadToken, MaxBytes: 1 << 20, Timeout: time.Minute}
}

func TestFetchBringsOneCommit(t *testing.T) {
	sc := scene(t)
	dst := filepath.Join(t.TempDir(), "objects.git")
	if err := Fetch(t.Context(), dst, remote(sc)); err != nil {
		t.Fatal(err)
	}
	got, err := Materialise(t.Context(), filepath.Join(dst, "objects"), sc.Tested, t.TempDir(), Options{Scratch: t.TempDir(), Limits: tree.DefaultLimits()})
	if err != nil || got.TestedTree == "" {
		t.Fatalf("Materialise() = %+v, %v", got, err)
	}
	if n := strings.Count(testrepo.Git(t, dst, "rev-list", "--all", "--objects", sc.Tested), "\n"); n == 0 {
		t.Error("the commit is not there")
	}
	if history := strings.Fields(testrepo.Git(t, dst, "rev-list", sc.Tested)); len(history) != 1 {
		t.Errorf("%d commits came, want 1", len(history))
	}
	// The token is gone with the process that used it.
	err = filepath.WalkDir(dst, func(p string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(p)
		if strings.Contains(string(text), ghfake.ReadToken) {
			t.Errorf("%s holds the token", p)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestFetchRefuses(t *testing.T) {
	sc := scene(t)
	tests := map[string]func(*Remote){
		"wrong token":            func(r *Remote) { r.Token = "sandbox-" + "nobody" },
		"commit that is unknown": func(r *Remote) { r.Commit = strings.Repeat("1", 40) },
		"branch name":            func(r *Remote) { r.Commit = "main" },
		"option as commit":       func(r *Remote) { r.Commit = "--upload-pack=x" },
		"repository that climbs": func(r *Remote) { r.Repository = "maintainer/.." },
		"repository with a host": func(r *Remote) { r.Repository = "evil.example/x/y" },
		"user in the address":    func(r *Remote) { r.Base = "http://user@" + strings.TrimPrefix(sc.Server.URL, "http://") },
		"file address":           func(r *Remote) { r.Base = "file:///" },
		"too large":              func(r *Remote) { r.MaxBytes = 64 },
		"no limit":               func(r *Remote) { r.MaxBytes = 0 },
		"no time":                func(r *Remote) { r.Timeout = time.Nanosecond },
	}
	for name, change := range tests {
		t.Run(name, func(t *testing.T) {
			r := remote(sc)
			change(&r)
			if err := Fetch(t.Context(), filepath.Join(t.TempDir(), "o.git"), r); !errors.Is(err, ErrFetch) {
				t.Errorf("error %v, want ErrFetch", err)
			} else if strings.Contains(err.Error(), r.Token) {
				t.Errorf("the error shows the token: %v", err)
			}
		})
	}
}

func TestFetchLocalReadsObjectsOnly(t *testing.T) {
	repo := testrepo.Base(t)
	marker := filepath.Join(t.TempDir(), "ran")
	for _, key := range []string{"core.fsmonitor", "core.sshCommand", "uploadpack.packObjectsHook", "core.pager"} {
		testrepo.Git(t, repo, "config", key, "touch "+marker)
	}
	parent := testrepo.BaseCommit
	commit := testrepo.Commit(t, repo, map[string]string{"docs/notes.md": "more\n"})
	dst := filepath.Join(t.TempDir(), "objects.git")
	if err := os.Remove(marker); err != nil && !os.IsNotExist(err) { // the commit above may have run it
		t.Fatal(err)
	}
	if err := FetchLocal(t.Context(), filepath.Join(repo, ".git", "objects"), commit, dst, t.TempDir(), 1<<20); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(marker); err == nil {
		t.Error("the repository's configuration ran")
	}
	objects := filepath.Join(dst, "objects")
	o := Options{Scratch: t.TempDir(), Limits: tree.DefaultLimits()}
	if _, err := Materialise(t.Context(), objects, commit, t.TempDir(), o); err != nil {
		t.Errorf("the copy is not whole: %v", err)
	}
	if _, err := Materialise(t.Context(), objects, parent, t.TempDir(), o); !errors.Is(err, ErrCommit) {
		t.Errorf("the parent came too: %v", err)
	}
}

func TestFetchLocalRefuses(t *testing.T) {
	repo := testrepo.Base(t)
	objects := filepath.Join(repo, ".git", "objects")
	for _, commit := range []string{strings.Repeat("1", 40), "HEAD", "--all"} {
		if err := FetchLocal(t.Context(), objects, commit, filepath.Join(t.TempDir(), "o.git"), t.TempDir(), 1<<20); !errors.Is(err, ErrCommit) {
			t.Errorf("%s: error %v, want ErrCommit", commit, err)
		}
	}
	if err := FetchLocal(t.Context(), objects, testrepo.BaseCommit, filepath.Join(t.TempDir(), "o.git"), t.TempDir(), 64); !errors.Is(err, ErrFetch) {
		t.Errorf("too large: %v, want ErrFetch", err)
	}
}
