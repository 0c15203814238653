package demo

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"strings"
	"testing"
	"time"

	"selffix/internal/play"
	"selffix/internal/tokens"
	"selffix/testdata"
)

// stageFor lays the repair out with a model token, or none.
func stageFor(t *testing.T, token string) (*stage, error) {
	t.Helper()
	data, err := testdata.Files.ReadFile("plays/repair.json")
	if err != nil {
		t.Fatal(err)
	}
	p, err := play.Parse(data)
	if err != nil {
		t.Fatal(err)
	}
	o := Options{Worker: "/bin/true", Files: testdata.Files, Cache: t.TempDir(), Getenv: func(string) string { return "" }, Out: io.Discard, Now: time.Now}
	if token != "" {
		if o.Token, err = tokens.New(token); err != nil {
			t.Fatal(err)
		}
	}
	return newStage(t.Context(), o, newVoice(io.Discard, time.Now), p, "")
}

// Only the model's host may be a real one, and only with a token that is: every fake is on loopback.
func TestHostsOfTheStage(t *testing.T) {
	for name, c := range map[string]struct {
		token string
		real  bool
	}{"scripted": {"", false}, "real": {"sk-" + "ant-oat01-made-up-for-a-test", true}} {
		s, err := stageFor(t, c.token)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		h := s.policy.Hosts
		for host, real := range map[string]bool{h.GitHubAPI: false, h.GitHubGit: false, h.Bot: false, h.Model: c.real} {
			if loopback, err := tokens.Host(host); err != nil || loopback == real {
				t.Errorf("%s: %s is loopback: %v, %v", name, host, loopback, err)
			}
		}
		if !s.policy.Sandbox || (s.model == nil) != c.real {
			t.Errorf("%s: sandbox %v, a scripted model: %v", name, s.policy.Sandbox, s.model != nil)
		}
		if c.real && h.Model != "https://api.anthropic.com" {
			t.Errorf("the real model's host is %s, want the seed policy's", h.Model)
		}
		if err := s.close(); err != nil {
			t.Error(err)
		}
	}
	if _, err := stageFor(t, "sandbox-"+"model"); !errors.Is(err, tokens.ErrMismatch) {
		t.Errorf("a sandbox's token for the real host: %v, want ErrMismatch", err)
	}
}

// The pull request breaks a green application: its one change beside the play's own files is the bug, and the default
// branch holds the very policy.
func TestPullRequestOfTheStage(t *testing.T) {
	s, err := stageFor(t, "")
	if err != nil {
		t.Fatal(err)
	}
	main := s.repo.Head("main")
	for name, same := range map[string]bool{bugFile: false, "packages/core/src/split.test.ts": true, ".github/self-fix.yaml": true, "CLAUDE.md": false} {
		before, _, err := s.repo.File(main, name)
		if err != nil {
			t.Fatal(err)
		}
		after, there, err := s.repo.File(s.pull.Head(), name)
		if err != nil || !there || (before == after) != same {
			t.Errorf("%s: the same before and after: %v, %v", name, before == after, err)
		}
	}
	if text, _, err := s.repo.File(main, ".github/self-fix.yaml"); err != nil || !strings.Contains(text, "sandbox: true") {
		t.Errorf("policy of the default branch: %v\n%s", err, text)
	}
	given := s.policyFile
	if err := s.close(); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(given); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the stage was left behind: %v", err)
	}
}
