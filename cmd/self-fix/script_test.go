package main

import (
	"context"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"selffix/internal/testrepo"
	"selffix/pipeline/fence"
)

func TestMain(m *testing.M) {
	helper := fence.Enter()
	program := func(do func(context.Context, []string, env) int) func() {
		return func() {
			ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
			defer stop()
			os.Exit(do(ctx, os.Args[1:], env{Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr, Getenv: os.Getenv, Fence: helper}))
		}
	}
	testscript.Main(m, map[string]func(){"self-fix": program(run), "played-dagger": program(playDagger)})
}

// TestScript plays the command lines of testdata/script. $BASE is the common base repository, $BASE_COMMIT its commit,
// $PATCHES the corpus and $SEED the seed's policy.
func TestScript(t *testing.T) {
	base := testrepo.Base(t)
	data := filepath.Join(testrepo.Root(t), "testdata")
	testscript.Run(t, testscript.Params{
		Dir: filepath.Join("testdata", "script"),
		Setup: func(e *testscript.Env) error {
			e.Setenv("BASE", base)
			e.Setenv("BASE_COMMIT", testrepo.BaseCommit)
			e.Setenv("PATCHES", filepath.Join(data, "patches"))
			e.Setenv("SEED", filepath.Join(data, "policy", "seed.yaml"))
			e.Setenv("DOCS", filepath.Join(testrepo.Root(t), "docs"))
			e.Setenv("TMPDIR", e.Getenv("WORK"))
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"exits": cmdExits},
	})
}
