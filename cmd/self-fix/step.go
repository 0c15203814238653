package main

import (
	"context"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"
	"golang.org/x/sys/unix"

	"selffix/pipeline/worker"
)

// lockDescriptor is where an interpreter passes the lock of its run. It only has to be held.
const lockDescriptor = 3

// newStep is the entry of every step of the plan, in both interpreters.
func newStep(e env) *cobra.Command {
	var layout string
	c := &cobra.Command{
		Use:   "step NAME",
		Short: "run one step of the loop (what an interpreter starts)",
		Long: `step runs one step of the plan on the step's fixed paths and writes how it ended to /out/outcome.json. A step that
is exposed to a pull request, a report or a model puts the fence on first, or does not run: there is no flag for that.
"self-fix secrets-map" lists the steps.`,
		Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			self, err := os.Executable()
			if err != nil {
				return fmt.Errorf("find this program: %w", err)
			}
			o := worker.Options{Helper: e.Fence, Self: self, Getenv: e.Getenv, Stdout: e.Stdout, Stderr: e.Stderr}
			ctx := c.Context()
			if layout != "" {
				if o.Layout, err = worker.ReadLayout(layout); err != nil {
					return err
				}
				unix.CloseOnExec(lockDescriptor)
				ctx = leash(ctx, e.Stdin)
			}
			return worker.Step(ctx, args[0], o)
		},
	}
	c.Flags().StringVar(&layout, "layout", "", "file that says where the step's paths lie; without it they lie where the plan says")
	return c
}

// leash ends the context when the interpreter closes its end of the pipe, as it also does by being killed.
func leash(ctx context.Context, stdin io.Reader) context.Context {
	ctx, cancel := context.WithCancel(ctx)
	go func() {
		_, _ = io.Copy(io.Discard, stdin) // an error ends it as much as the end does
		cancel()
	}()
	return ctx
}

// newInside is the half of an exposed step that runs behind the fence.
func newInside(e env) *cobra.Command {
	return &cobra.Command{
		Use:    worker.InsideCommand + " NAME MAPPING",
		Hidden: true,
		Args:   cobra.ExactArgs(2),
		RunE: func(c *cobra.Command, args []string) error {
			return worker.Inside(c.Context(), args[0], args[1], worker.Process{Stdin: e.Stdin, Stdout: e.Stdout, Stderr: e.Stderr, Environ: os.Environ()})
		},
	}
}
