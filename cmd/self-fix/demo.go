package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/sys/unix"

	"selffix/internal/demo"
	"selffix/internal/demo/machine"
	"selffix/internal/tokens"
	"selffix/pipeline/agent"
	"selffix/testdata"
)

// demoFlags is the command line of demo.
type demoFlags struct {
	out, tokenFile string
	offline        bool
}

func newDemo(e env) *cobra.Command {
	var f demoFlags
	c := &cobra.Command{
		Use:   "demo",
		Short: "play the whole loop on loopback: a repair that is pushed and reviewed, and a hijacked one that is not",
		Long: `demo plays the loop twice against stand-ins on this machine: a fake GitHub that serves a real git repository, a stand-in
for the test bot that really runs the application's tests behind the fence, the pinned agent with a scripted model, and a
maintainer who sets the label. In the second play the failure report holds instructions and the model obeys them; each
layer that stopped something is named, and nothing is pushed.

What is missing (the agent, the test runner) is installed into the cache first, from lockfiles. --out gets report.json
and report.html. With --model-token-file the repair is made by the policy's real model: checkout and report then go to
its host, and the run costs money. GitHub stays the fake one, and the hijacked play stays scripted.

Exit codes: 0 both plays ended as they must, 1 the real model's repair was refused, 2 otherwise.`,
		Example: `  self-fix demo`,
		Args:    cobra.NoArgs,
		RunE:    func(c *cobra.Command, _ []string) error { return f.run(c.Context(), e) },
	}
	fl := c.Flags()
	fl.StringVar(&f.out, "out", "build/demo", "folder for report.json and report.html")
	fl.StringVar(&f.tokenFile, "model-token-file", "", "file that holds a real model token alone; without it the model is scripted")
	fl.BoolVar(&f.offline, "offline", false, "install nothing: everything must be in the cache")
	return c
}

func (f demoFlags) run(ctx context.Context, e env) error {
	o := machine.Options{Helper: e.Fence, Files: testdata.Files, Offline: f.offline, Getenv: e.Getenv, Out: e.Stdout, Now: time.Now}
	var err error
	if o.Worker, err = os.Executable(); err != nil {
		return fmt.Errorf("find this program: %w", err)
	}
	if o.Cache, err = agent.CacheDir(e.Getenv); err != nil {
		return err
	}
	if f.tokenFile != "" {
		if o.Token, err = tokens.ReadFile(f.tokenFile); err != nil {
			return fmt.Errorf("--model-token-file: %w", err)
		}
		if o.Token.Sandbox() {
			return errors.New("--model-token-file: this token is a sandbox's; leave the flag out for the scripted model")
		}
	}
	unix.Umask(0o022) // steps of other users read what is laid out
	page, err := machine.Run(ctx, o)
	if err := errors.Join(err, f.keep(e, page)); err != nil {
		return err
	}
	if page.Report.Plays[0].Outcome != demo.Pushed {
		return exit(exitNo) // a real model is free not to repair it
	}
	return nil
}

// keep prints the table and leaves the report, also of a play that ended otherwise than it must.
func (f demoFlags) keep(e env, page demo.Page) error {
	if err := page.Report.WriteTable(e.Stdout); err != nil {
		return err
	}
	text, err := page.Report.Write()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(f.out, 0o755); err != nil {
		return fmt.Errorf("--out: %w", err)
	}
	html, err := page.HTML()
	if err != nil {
		return err
	}
	for name, data := range map[string][]byte{"report.json": text, "report.html": html} {
		if err := os.WriteFile(filepath.Join(f.out, name), data, 0o644); err != nil {
			return fmt.Errorf("--out: %w", err)
		}
	}
	_, err = fmt.Fprintf(e.Stdout, "\nreport: %s\n", filepath.Join(f.out, "report.html"))
	return err
}
