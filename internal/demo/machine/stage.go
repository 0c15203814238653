package machine

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"selffix/internal/demo"
	"selffix/internal/demo/bot"
	"selffix/internal/demo/sandbox"
	"selffix/internal/tokens"
	"selffix/pipeline"
	"selffix/pipeline/local"
	"selffix/pipeline/proxy"
)

// secrets are the stand-ins' tokens, and the real model's where one was given.
func (s *stage) secrets() (map[pipeline.SecretName]tokens.Token, error) {
	all := map[pipeline.SecretName]tokens.Token{}
	for name, text := range sandbox.Secrets() {
		t, err := tokens.New(text)
		if err != nil {
			return nil, err
		}
		all[name] = t
	}
	if !s.o.Token.Empty() {
		if s.o.Token.Sandbox() {
			return nil, fmt.Errorf("the real model: %w: it is a sandbox's token", tokens.ErrMismatch)
		}
		all[pipeline.SecretModel] = s.o.Token
	}
	return all, nil
}

func (s *stage) interpreter(secrets map[pipeline.SecretName]tokens.Token) (*local.Interpreter, error) {
	return local.New(local.Options{
		Worker: s.o.Worker, Secrets: secrets, Offline: s.o.Offline, Getenv: s.o.Getenv, Stderr: s.o.Out,
		Keep: map[pipeline.Ref]string{"tools.tools": s.o.Cache},
	})
}

// stage is what a play needs, on paths.
func (s *stage) stage() demo.Stage[string] {
	return demo.Stage[string]{
		Call: s.call, Voice: s.voice, Give: s.give, Folder: s.folder, Test: s.test,
		Steps: func(pipeline.Plan) pipeline.Interpreter[string] { return s.ip },
		Key: func(ctx context.Context) (string, error) {
			key, err := proxy.NewKey(nil)
			if err != nil {
				return "", err
			}
			return s.give(ctx, "in.run-key", []byte(key.Reveal()))
		},
		Read: func(_ context.Context, name string) ([]byte, error) { return readLimited(name) },
	}
}

// fresh is a new folder of the run.
func (s *stage) fresh(name string) (string, error) {
	s.next++
	return s.ip.Folder(fmt.Sprintf("%02d-%s", s.next, name))
}

func (s *stage) give(_ context.Context, ref pipeline.Ref, data []byte) (string, error) {
	dir, err := s.fresh("given")
	if err != nil {
		return "", err
	}
	name := filepath.Join(dir, string(ref))
	return name, write(name, data, 0o600)
}

func (s *stage) folder(_ context.Context, files []demo.File) (string, error) {
	dir, err := s.fresh("folder")
	if err != nil {
		return "", err
	}
	for _, f := range files {
		mode := os.FileMode(0o644)
		if f.Program {
			mode = 0o755
		}
		if err := write(filepath.Join(dir, filepath.FromSlash(f.Path)), []byte(f.Text), mode); err != nil {
			return "", err
		}
	}
	return dir, nil
}

func (s *stage) test(ctx context.Context, commit string) (demo.TestRun, error) {
	work, err := s.fresh("preview")
	if err != nil {
		return demo.TestRun{}, err
	}
	token, err := tokens.New(sandbox.Secrets()[pipeline.SecretGitHubRead])
	if err != nil {
		return demo.TestRun{}, err
	}
	app, way := filepath.Join(work, "app"), filepath.Join(work, "way")
	if err := errors.Join(os.Mkdir(app, 0o755), os.Mkdir(way, 0o755)); err != nil {
		return demo.TestRun{}, err
	}
	from := bot.Source{GitHub: s.serve.GitHub, Repository: sandbox.Repository, Token: token}
	if err := bot.Bring(ctx, commit, from, app, way); err != nil {
		return demo.TestRun{}, err
	}
	return bot.Test(ctx, commit, bot.Options{Helper: s.o.Helper, App: app, Modules: s.modules, Work: work, Getenv: s.o.Getenv, Began: s.o.Now()})
}

// readLimited reads a file that a step handed on.
func readLimited(name string) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, demo.MaxMessageBytes+1))
	if err == nil && len(data) > demo.MaxMessageBytes {
		err = fmt.Errorf("%s: more than %d bytes", filepath.Base(name), demo.MaxMessageBytes)
	}
	return data, err
}
