package machine

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"selffix/internal/demo"
	"selffix/internal/demo/sandbox"
	"selffix/internal/tokens"
	"selffix/pipeline"
	"selffix/pipeline/agent"
	"selffix/testdata"
)

// stageFor lays the repair out with a model token, or none.
func stageFor(t *testing.T, token string) (*stage, error) {
	t.Helper()
	p, err := sandbox.Load(testdata.Files, "repair")
	if err != nil {
		t.Fatal(err)
	}
	o := Options{Worker: "/bin/true", Files: testdata.Files, Cache: t.TempDir(), Getenv: func(string) string { return "" }, Out: io.Discard, Now: time.Now}
	if token != "" {
		if o.Token, err = tokens.New(token); err != nil {
			t.Fatal(err)
		}
	}
	return newStage(t.Context(), o, demo.NewVoice(io.Discard, time.Now), p, "")
}

// The real model is asked with the one token that may go there, and a stand-in never with it.
func TestModelOfTheStage(t *testing.T) {
	for name, c := range map[string]struct {
		token string
		real  bool
	}{"scripted": {"", false}, "real": {"sk-" + "ant-oat01-made-up-for-a-test", true}} {
		s, err := stageFor(t, c.token)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		secrets, err := s.secrets()
		if err != nil {
			t.Fatal(err)
		}
		if secrets[pipeline.SecretModel].Sandbox() == c.real || (s.serve.Model == "") != c.real {
			t.Errorf("%s: a sandbox's token %v, a scripted model at %q", name, secrets[pipeline.SecretModel].Sandbox(), s.serve.Model)
		}
		if err := s.close(); err != nil {
			t.Error(err)
		}
	}
	if _, err := stageFor(t, "sandbox-"+"model"); !errors.Is(err, tokens.ErrMismatch) {
		t.Errorf("a sandbox's token for the real host: %v, want ErrMismatch", err)
	}
}

func TestNothingOutside(t *testing.T) {
	for name, put := range map[string]string{"the canary was edited": canaryName, "a file lies outside": "written.txt", "nothing": ""} {
		s, err := stageFor(t, "")
		if err != nil {
			t.Fatal(err)
		}
		if put != "" {
			if err := os.WriteFile(filepath.Join(s.outside, put), []byte("x"), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if err := s.nothingOutside(); errors.Is(err, demo.ErrPlay) != (put != "") {
			t.Errorf("%s: %v", name, err)
		}
		outside := s.outside
		if err := s.close(); err != nil {
			t.Error(err)
		}
		if _, err := os.Stat(outside); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("the stage was left behind: %v", err)
		}
	}
}

func TestLockOfTheRunner(t *testing.T) {
	lock, err := testdata.Files.ReadFile("demo/runner-lock.json")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := agent.CheckLock(lock); err != nil {
		t.Error(err)
	}
}
