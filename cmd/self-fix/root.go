package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"selffix/internal/visible"
	"selffix/pipeline/fence"
)

// The exit codes of every command but fence.
const (
	exitYes       = 0 // act, accept, success
	exitNo        = 1 // decided not to; a reason was printed
	exitUndecided = 2 // could not decide, or bad input
)

// env is what a command may take from the process around it.
type env struct {
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	Getenv         func(string) string
	Fence          fence.Helper // what main got from fence.Enter; commands that fence nothing do without
}

// exit ends a command with a code of its own after it has printed all there is to say.
type exit int

func (e exit) Error() string { return fmt.Sprintf("exit status %d", int(e)) }

// run executes one command line and returns its exit code. Errors go to Stderr as one line each.
func run(ctx context.Context, args []string, e env) int {
	root := newRoot(e)
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	var code exit
	switch {
	case err == nil:
		return exitYes
	case errors.As(err, &code):
		return int(code)
	}
	writeError(e.Stderr, err)
	return exitUndecided
}

// maxErrorLine is the most of one line of an error that is shown, in code points.
const maxErrorLine = 2000

// writeError prints an error. It may quote arguments and names that a stranger chose: each line begins as ours, so that none is a command to
// the runner, and holds nothing that acts on a terminal.
func writeError(w io.Writer, err error) {
	for line := range strings.SplitSeq(strings.TrimSuffix(err.Error(), "\n"), "\n") {
		fmt.Fprintf(w, "self-fix: %s\n", visible.Cut(line, maxErrorLine))
	}
}

// newRoot builds the command tree. Each command lives in a file of its own.
func newRoot(e env) *cobra.Command {
	root := &cobra.Command{
		Use:   "self-fix",
		Short: "repair red pull requests with an AI agent that cannot merge, push or leak",
		Long: `self-fix lets an AI agent repair a pull request that a trusted test bot turned red, inside a CI
that holds secrets, such that nothing in the pull request and nothing in the failure report can get
code merged on its own, and the agent never holds a secret.

Exit codes: 0 act, accept or success; 1 decided not to, with a reason; 2 could not decide or bad input.`,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          cobra.NoArgs,
		RunE:          func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	root.SetIn(e.Stdin)
	root.SetOut(e.Stdout)
	root.SetErr(e.Stderr)
	for _, c := range commands(e) {
		root.AddCommand(c)
	}
	root.SetHelpCommand(newHelp())
	strict(root)
	return root
}

// commands lists every command in the order of the help text.
func commands(e env) []*cobra.Command {
	return []*cobra.Command{
		newPolicy(e),
		newCheck(e),
		newExplain(e),
		newSimulate(e),
		newSecretsMap(e),
		newFix(e),
		newStep(e),
		newInside(e),
		newProxy(e),
		newFence(e),
		newSelfTest(e),
		newGate(e),
		newReviewGate(e),
		newRecheck(e),
		newPush(e),
		newDemo(e),
		newSandbox(e),
		newInit(e),
		newDoctor(e),
		newVersion(e),
	}
}
