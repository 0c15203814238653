package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"selffix/pipeline/fence"
)

// newFence runs one program behind the kernel fence: by hand, and as the entry of every exposed step.
func newFence(e env) *cobra.Command {
	var flags fenceFlags
	cmd := &cobra.Command{
		Use:   "fence [flags] --timeout D -- CMD [ARG]...",
		Short: "run a program that can reach nothing but what it is given",
		Long: `fence runs CMD with no network, no terminal, no descriptor and no environment of the caller, able to read and
execute what --read gives and to change what --write gives, and with few system calls. The kernel holds all of
this (Landlock, seccomp); where it cannot, nothing is run. Where it also gives namespaces and a uid of its own, they
are used. Every process of CMD is gone when fence returns.

Exit codes: CMD's own; 124 the deadline passed; 125 the fence could not be put on, with what was missing; 126 ended
by a signal or for a limit.`,
		Example: `  self-fix fence --read /usr --write "$PWD" --env PATH=/usr/bin --timeout 1m --profile tools -- git status
  self-fix fence --explain`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if cmd.Flags().Changed("user") && flags.user == 0 {
				return fenceError(e, errors.New("--user 0: a fenced program never runs as root; name a uid that no process has, or leave it out"))
			}
			return flags.run(cmd.Context(), e, args)
		},
	}
	f := cmd.Flags()
	f.BoolVar(&flags.explain, "explain", false, "print what this kernel can enforce, and what stays open")
	f.StringVar(&flags.profile, "profile", "agent", "list of system calls: agent or tools")
	f.StringArrayVar(&flags.read, "read", nil, "path that CMD may read and execute, with all below it; may be repeated")
	f.StringArrayVar(&flags.write, "write", nil, "path that CMD may read and change, with all below it; may be repeated")
	f.StringArrayVar(&flags.env, "env", nil, "NAME=VALUE of CMD's environment, which is otherwise empty; may be repeated")
	f.Uint32Var(&flags.user, "user", 0, "uid for CMD, which no process may have (root only; default: a free one)")
	f.StringVar(&flags.relay, "relay", "", "HOST:PORT, the only place that CMD's connects lead to, for model requests")
	f.DurationVar(&flags.timeout, "timeout", 0, "when to kill CMD and all its processes, such as 90s or 10m; required")
	f.SetInterspersed(false)
	cmd.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return fenceError(e, err) })
	return cmd
}

// fenceFlags is the command line of fence.
type fenceFlags struct {
	explain bool
	profile string
	read    []string
	write   []string
	env     []string
	user    uint32
	relay   string
	timeout time.Duration
}

func (f fenceFlags) run(ctx context.Context, e env, args []string) error {
	if f.explain && len(args) > 0 {
		return fenceError(e, errors.New("--explain stands alone; leave out CMD"))
	}
	if f.explain {
		report := fence.Explain(ctx, e.Fence)
		fmt.Fprint(e.Stdout, report)
		if report.Err != nil {
			return exit(fence.ExitUnavailable)
		}
		return nil
	}
	options, err := f.options(e, args)
	if err != nil {
		return fenceError(e, err)
	}
	result, err := fence.Run(ctx, options)
	if err != nil {
		return fenceError(e, err)
	}
	if result.End != fence.Exited || result.ExitCode() != result.Code {
		fmt.Fprintf(e.Stderr, "self-fix fence: %v\n", result)
	}
	if code := result.ExitCode(); code != 0 {
		return exit(code)
	}
	return nil
}

func (f fenceFlags) options(e env, args []string) (fence.Options, error) {
	profile, err := fence.ParseProfile(f.profile)
	if err != nil {
		return fence.Options{}, err
	}
	if f.timeout <= 0 {
		return fence.Options{}, errors.New("--timeout is required, such as --timeout 10m")
	}
	o := fence.Options{Helper: e.Fence, Profile: profile, Args: args, Read: f.read, Write: f.write, Env: f.env, User: f.user,
		Relay: f.relay, Timeout: f.timeout, Stdin: e.Stdin, Stdout: shown(e.Stdout), Stderr: shown(e.Stderr)}
	if o.Read, err = absolute(f.read); err != nil {
		return o, err
	}
	if o.Write, err = absolute(f.write); err != nil {
		return o, err
	}
	if dir, err := os.Getwd(); err == nil && fence.Within(slices.Concat(o.Read, o.Write), dir) {
		o.Dir = dir
	}
	return o, nil
}

// absolute makes paths independent of the folder that CMD starts in. Links in them stay: paths keep their names.
func absolute(paths []string) ([]string, error) {
	all := make([]string, len(paths))
	for i, p := range paths {
		if p == "" {
			return nil, errors.New("an empty path was given; name a file or folder")
		}
		var err error
		if all[i], err = filepath.Abs(p); err != nil {
			return nil, fmt.Errorf("path %q: %w", p, err)
		}
	}
	return all, nil
}

// fenceError prints why nothing was run. Every such reason has the same exit code: CMD's own codes cannot be told from others.
func fenceError(e env, err error) error {
	fmt.Fprintf(e.Stderr, "self-fix fence: %v\n", err)
	return exit(fence.ExitUnavailable)
}

// shown makes control characters visible when they would reach a terminal, which obeys them.
func shown(w io.Writer) io.Writer {
	f, isFile := w.(*os.File)
	if !isFile {
		return w
	}
	if st, err := f.Stat(); err != nil || st.Mode()&os.ModeCharDevice == 0 {
		return w
	}
	return fence.Visible(w)
}
