package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"selffix/internal/play"
	"selffix/internal/testrepo"
	"selffix/testdata"
)

// Every bad input is refused before anything runs, with what to do.
func TestFixRefusesBadInput(t *testing.T) {
	dir := t.TempDir()
	p := play.Play{Name: "input", Report: "red\n"}
	scene, err := p.Stage(t.Context(), testdata.Files, dir, "http://127.0.0.1:9")
	if err != nil {
		t.Fatal(err)
	}
	write := func(name, text string) string {
		t.Helper()
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return file
	}
	full := filepath.Join(dir, "full")
	partial := filepath.Join(dir, "partial")
	for _, d := range []string{full, partial} {
		if err := os.Mkdir(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	write("full/old", "x")
	write("partial/.partial", "")
	seed, err := os.ReadFile(scene.Policy)
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name, flag, value string
		say               string
	}{
		{"commit not found", "--commit", strings.Repeat("1", 40), "commit not found"},
		{"commit that is a tree", "--commit", strings.TrimSpace(testrepo.Git(t, scene.Repo, "rev-parse", "HEAD^{tree}")), "want a commit"},
		{"commit that is a flag", "--commit", "--all", "commit not found"},
		{"no repository", "--repo", full, "repository"},
		{"token with a newline", "--model-token-file", write("split", "sandbox-a\nb"), "token"},
		{"no token", "--model-token-file", write("empty", "\n"), "token"},
		{"real token in a sandbox", "--model-token-file", write("real", "s"+"k-ant-"+"x"), "sandbox"},
		{"token file missing", "--model-token-file", filepath.Join(dir, "none"), "token"},
		{"policy missing", "--policy", filepath.Join(dir, "none"), "policy"},
		{"policy with an unknown key", "--policy", write("bad.yaml", string(seed)+"more: 1\n"), "policy"},
		{"out not empty", "--out", full, "not empty"},
		{"bundle missing", "--bundle", filepath.Join(dir, "none"), "bundle"},
		{"bundle too large", "--bundle", write("large", strings.Repeat("x", 256<<10+1)), "bundle"},
		{"unknown format", "--format", "xml", "format"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := fixed{}
			args := []string{"fix", "--repo", scene.Repo, "--commit", "HEAD", "--bundle", scene.Report, "--policy", scene.Policy,
				"--model-token-file", scene.TokenFile, "--out", filepath.Join(dir, "out")}
			f.run(t, append(args, tt.flag, tt.value)...)
			if f.code != exitUndecided || !strings.Contains(f.stderr, tt.say) {
				t.Errorf("exit code %d, want 2 and %q in %q", f.code, tt.say, f.stderr)
			}
			if _, err := os.Stat(filepath.Join(dir, "out")); err == nil {
				t.Error("it made the out folder")
			}
		})
	}
	t.Run("disabled policy", func(t *testing.T) {
		f := fixed{}
		f.run(t, "fix", "--repo", scene.Repo, "--commit", "HEAD", "--bundle", scene.Report, "--out", filepath.Join(dir, "out"),
			"--model-token-file", scene.TokenFile, "--policy", write("off.yaml", strings.Replace(string(seed), "enabled: true", "enabled: false", 1)))
		if f.code != exitNo || !strings.Contains(f.stdout, "enabled") {
			t.Errorf("exit code %d, %q", f.code, f.stdout)
		}
	})
	t.Run("partial bundle", func(t *testing.T) {
		f := fixed{}
		f.run(t, "fix", "--repo", scene.Repo, "--commit", "HEAD", "--bundle", partial, "--out", filepath.Join(dir, "out-partial"),
			"--model-token-file", scene.TokenFile, "--policy", scene.Policy)
		if f.code != exitUndecided || !strings.Contains(f.stdout, "partial") {
			t.Errorf("exit code %d, %q", f.code, f.stdout)
		}
	})
	t.Run("offline without tools", func(t *testing.T) {
		f := fixed{}
		t.Setenv("XDG_CACHE_HOME", t.TempDir())
		f.run(t, "fix", "--repo", scene.Repo, "--commit", "HEAD", "--bundle", scene.Report, "--out", filepath.Join(dir, "out-offline"),
			"--model-token-file", scene.TokenFile, "--policy", scene.Policy, "--offline")
		if f.code != exitUndecided || !strings.Contains(f.stdout, "--offline") {
			t.Errorf("exit code %d, %q", f.code, f.stdout)
		}
	})
}

func TestShowRefusedNeverInCI(t *testing.T) {
	c := exec.Command(workerPath(t), "fix", "--repo", ".", "--commit", "HEAD", "--bundle", "x", "--policy", "x", "--model-token-file", "x",
		"--out", filepath.Join(t.TempDir(), "out"), "--show-refused")
	c.Env = append(os.Environ(), "GITHUB_ACTIONS=true")
	out, _ := c.CombinedOutput()
	if c.ProcessState.ExitCode() != exitUndecided || !strings.Contains(string(out), "never shown in CI") {
		t.Errorf("exit code %d: %s", c.ProcessState.ExitCode(), out)
	}
}
