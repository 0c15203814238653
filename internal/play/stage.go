package play

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Token is the made-up model token of every play. Loopback takes it, and nothing else does.
const Token = "sandbox-" + "model-token-of-a-play"

// Scene is a play laid out on disk.
type Scene struct {
	Repo, Commit string
	Policy       string // a file: the seed's policy, in a sandbox, with the scripted model as its host
	Report       string // a file
	TokenFile    string
}

// Stage lays a play out below dir. files are the embedded ones (testdata), modelURL the scripted model's.
func (p Play) Stage(ctx context.Context, files fs.FS, dir, modelURL string) (Scene, error) {
	s := Scene{
		Repo: filepath.Join(dir, "repo"), Policy: filepath.Join(dir, "policy.yaml"),
		Report: filepath.Join(dir, "report.txt"), TokenFile: filepath.Join(dir, "token"),
	}
	app, err := fs.Sub(files, "app")
	if err != nil {
		return s, fmt.Errorf("stage %s: %w", p.Name, err)
	}
	if err := os.CopyFS(s.Repo, app); err != nil {
		return s, fmt.Errorf("stage %s: %w", p.Name, err)
	}
	for _, f := range p.Files {
		if !filepath.IsLocal(f.Path) {
			return s, fmt.Errorf("%w: %s: file %q lies outside", ErrPlay, p.Name, f.Path)
		}
		if err := write(filepath.Join(s.Repo, f.Path), f.Text); err != nil {
			return s, fmt.Errorf("stage %s: %w", p.Name, err)
		}
	}
	if s.Commit, err = commit(ctx, s.Repo); err != nil {
		return s, fmt.Errorf("stage %s: %w", p.Name, err)
	}
	seed, err := fs.ReadFile(files, "policy/seed.yaml")
	if err != nil {
		return s, fmt.Errorf("stage %s: %w", p.Name, err)
	}
	for name, text := range map[string]string{s.Policy: Sandbox(string(seed), modelURL), s.Report: p.Report, s.TokenFile: Token + "\n"} {
		if err := write(name, text); err != nil {
			return s, fmt.Errorf("stage %s: %w", p.Name, err)
		}
	}
	return s, nil
}

// Sandbox turns the seed's policy into one for a sandbox whose model is at modelURL.
func Sandbox(seed, modelURL string) string {
	return strings.NewReplacer("sandbox: false", "sandbox: true", "model: https://api.anthropic.com", "model: "+modelURL).Replace(seed)
}

func write(name, text string) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	return os.WriteFile(name, []byte(text), 0o644)
}

// commit makes one commit of a folder, with fixed names and dates and nothing of the machine's configuration.
func commit(ctx context.Context, dir string) (string, error) {
	var id []byte
	for _, args := range [][]string{{"init", "-q", "-b", "main"}, {"add", "-A", "-f"}, {"commit", "-q", "-m", "the tested commit"}, {"rev-parse", "HEAD"}} {
		c := exec.CommandContext(ctx, "git", args...)
		c.Dir = dir
		c.Env = []string{
			"PATH=/usr/local/bin:/usr/bin:/bin", "HOME=" + dir, "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null",
			"GIT_AUTHOR_NAME=maintainer", "GIT_AUTHOR_EMAIL=maintainer@example.invalid", "GIT_AUTHOR_DATE=2026-01-02T03:04:05+0000",
			"GIT_COMMITTER_NAME=maintainer", "GIT_COMMITTER_EMAIL=maintainer@example.invalid", "GIT_COMMITTER_DATE=2026-01-02T03:04:05+0000",
		}
		var stderr bytes.Buffer
		c.Stderr = &stderr
		var err error
		if id, err = c.Output(); err != nil {
			return "", fmt.Errorf("git %s: %w: %.200s", args[0], err, stderr.String())
		}
	}
	return strings.TrimSpace(string(id)), nil
}
