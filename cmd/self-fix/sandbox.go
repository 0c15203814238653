package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/netip"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/sys/unix"

	"selffix/gates"
	"selffix/internal/demo"
	"selffix/internal/demo/bot"
	"selffix/internal/demo/sandbox"
	"selffix/internal/play"
	"selffix/internal/tokens"
	"selffix/pipeline"
	"selffix/pipeline/agent"
	"selffix/pipeline/local"
	"selffix/testdata"
)

// newSandbox is what a container engine runs to play the demo: the stand-ins as a service, and what talks to them.
func newSandbox(e env) *cobra.Command {
	c := &cobra.Command{
		Use:    "sandbox",
		Short:  "the demo's stand-ins as a service of their own (what an engine starts)",
		Hidden: true,
		Args:   cobra.NoArgs,
		RunE:   func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(newSandboxServe(e), newSandboxControl(e), newSandboxModules(e), newSandboxBring(e), newSandboxTest(e))
	return c
}

func newSandboxServe(e env) *cobra.Command {
	var name, listen string
	c := &cobra.Command{
		Use:   "serve --play NAME --listen ADDRESS",
		Short: "serve a fake GitHub, a scripted model and the control API of a play",
		Long: fmt.Sprintf(`serve lays a play out and serves its stand-ins until it is told to end. It prints their base URLs as one line of JSON.

On a loopback address the ports are free ones and the policy names that address. On any other address, such as 0.0.0.0 in a
container of its own, the ports are %d (GitHub), %d (model) and %d (control), and the policy names the aliases
%s and %s. The scripted model names the fixed paths inside a step. No request with a token that does not begin
with "sandbox-" is taken.`, sandbox.GitHubPort, sandbox.ModelPort, sandbox.ControlPort, sandbox.GitHubAlias, sandbox.ModelAlias),
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return serveSandbox(c.Context(), e, name, listen) },
	}
	c.Flags().StringVar(&name, "play", "", "repair or hijacked")
	c.Flags().StringVar(&listen, "listen", "127.0.0.1", "address to serve on")
	_ = c.MarkFlagRequired("play") // the flag was added above
	return c
}

// outsideStep is where a play tells the model to write outside of its checkout. No step has it.
const outsideStep = "/outside"

func serveSandbox(ctx context.Context, e env, name, listen string) error {
	p, err := sandbox.Load(testdata.Files, name)
	if err != nil {
		return fmt.Errorf("--play: %w", err)
	}
	at, err := netip.ParseAddr(listen)
	if err != nil {
		return fmt.Errorf("--listen %.60q: want an IP address", listen)
	}
	return inWork(func(dir string) error { return serveIn(ctx, e, dir, p, at) })
}

func serveIn(ctx context.Context, e env, dir string, p play.Play, at netip.Addr) (err error) {
	o := sandbox.Options{Files: testdata.Files, Play: p, Dir: dir, Paths: play.StepPaths(outsideStep), Listen: at}
	if !at.IsLoopback() {
		o.Ports = sandbox.FixedPorts()
	}
	s, err := sandbox.Serve(ctx, o)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	line, err := json.Marshal(map[string]string{"github": s.GitHub, "model": s.Model, "control": s.Control})
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintf(e.Stdout, "%s\n", line); err != nil {
		return err
	}
	<-ctx.Done()
	return nil
}

func newSandboxControl(e env) *cobra.Command {
	var at, in, out string
	var names []string
	for _, m := range demo.Messages() {
		names = append(names, string(m))
	}
	c := &cobra.Command{
		Use:   "control MESSAGE --at URL",
		Short: "send one message to the control API: " + strings.Join(names, ", "),
		Args:  cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			if !slices.Contains(names, args[0]) {
				return fmt.Errorf("message %.40q: want one of %s", args[0], strings.Join(names, ", "))
			}
			return controlSandbox(c.Context(), e, demo.Message(args[0]), at, in, out)
		},
	}
	c.Flags().StringVar(&at, "at", "", "base URL of the control API; a sandbox's host")
	c.Flags().StringVar(&in, "in", "", "file with the message's content; without it there is none")
	c.Flags().StringVar(&out, "out", "-", "file for the answer, - for standard output")
	_ = c.MarkFlagRequired("at") // the flag was added above
	return c
}

func controlSandbox(ctx context.Context, e env, name demo.Message, at, in, out string) error {
	if err := sandboxHost(at); err != nil {
		return err
	}
	content := []byte("{}")
	if in != "" {
		var err error
		if content, err = readLimited(in, demo.MaxMessageBytes); err != nil {
			return fmt.Errorf("--in: %w", err)
		}
	}
	answer, err := sandbox.Client(strings.TrimSuffix(at, "/"))(ctx, name, content)
	if err != nil {
		return err
	}
	return writeTo(e.Stdout, out, answer)
}

// sandboxHost refuses a base URL that is no stand-in's.
func sandboxHost(base string) error {
	loopback, err := tokens.Host(base)
	if err == nil && !loopback {
		err = fmt.Errorf("%w: %.80q is no sandbox's", tokens.ErrHost, base)
	}
	if err != nil {
		return fmt.Errorf("--at: %w", err)
	}
	return nil
}

func writeTo(stdout io.Writer, name string, data []byte) error {
	if name == "-" {
		_, err := stdout.Write(append(data, '\n'))
		return err
	}
	if err := os.WriteFile(name, data, 0o644); err != nil {
		return fmt.Errorf("--out: %w", err)
	}
	return nil
}

func newSandboxModules(e env) *cobra.Command {
	var out string
	c := &cobra.Command{
		Use:   "modules --out DIR",
		Short: "install the runner of the application's tests from its lockfile, scripts off",
		Args:  cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			lock, err := fs.ReadFile(testdata.Files, "demo/runner-lock.json")
			if err != nil {
				return err
			}
			return agent.Installer{Source: agent.FromRegistry, Getenv: e.Getenv}.Bring(c.Context(), lock, out)
		},
	}
	c.Flags().StringVar(&out, "out", "", "folder that gets node_modules; it must not exist")
	_ = c.MarkFlagRequired("out") // the flag was added above
	return c
}

func newSandboxBring(_ env) *cobra.Command {
	var at, commit, out string
	c := &cobra.Command{
		Use:   "bring --at URL --commit SHA --out DIR",
		Short: "write the tree of a commit of the fake GitHub",
		Args:  cobra.NoArgs,
		RunE:  func(c *cobra.Command, _ []string) error { return bringSandbox(c.Context(), at, commit, out) },
	}
	fl := c.Flags()
	fl.StringVar(&at, "at", "", "base URL of the fake GitHub")
	fl.StringVar(&commit, "commit", "", "full id of the commit")
	fl.StringVar(&out, "out", "", "folder for the tree; it must not exist")
	for _, name := range []string{"at", "commit", "out"} {
		_ = c.MarkFlagRequired(name) // the flag was added above
	}
	return c
}

func bringSandbox(ctx context.Context, at, commit, out string) error {
	if err := sandboxHost(at); err != nil {
		return err
	}
	if !gates.IsSHA(commit) {
		return fmt.Errorf("--commit %.50q: want 40 hexadecimal digits in lower case", commit)
	}
	token, err := tokens.New(sandbox.Secrets()[pipeline.SecretGitHubRead])
	if err != nil {
		return err
	}
	unix.Umask(0o022) // another user reads the tree
	if err := os.Mkdir(out, 0o755); err != nil {
		return fmt.Errorf("--out: %w", err)
	}
	return inWork(func(work string) error {
		from := bot.Source{GitHub: strings.TrimSuffix(at, "/"), Repository: sandbox.Repository, Token: token}
		return bot.Bring(ctx, commit, from, out, work)
	})
}

// inWork makes a folder for what does not last, and removes it.
func inWork(do func(string) error) (err error) {
	work, err := os.MkdirTemp(local.DefaultParent, "self-fix-sandbox-")
	if err != nil {
		return fmt.Errorf("make a folder: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(work)) }()
	if err := os.Chmod(work, 0o755); err != nil {
		return err
	}
	return do(work)
}

func newSandboxTest(e env) *cobra.Command {
	var app, commit, modules, out string
	c := &cobra.Command{
		Use:   "test --app DIR --commit SHA --modules DIR",
		Short: "run the application's tests behind the fence: the content of a verdict message",
		Args:  cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			return testSandbox(c.Context(), e, app, commit, modules, out)
		},
	}
	fl := c.Flags()
	fl.StringVar(&app, "app", "", "folder that bring wrote")
	fl.StringVar(&commit, "commit", "", "full id of the commit that it is of")
	fl.StringVar(&modules, "modules", "", "node_modules of the test runner")
	fl.StringVar(&out, "out", "-", "file for the answer, - for standard output")
	for _, name := range []string{"app", "commit", "modules"} {
		_ = c.MarkFlagRequired(name) // the flag was added above
	}
	return c
}

func testSandbox(ctx context.Context, e env, app, commit, modules, out string) error {
	unix.Umask(0o022) // the fence's own user reads what is laid out
	return inWork(func(work string) error {
		run, err := bot.Test(ctx, commit, bot.Options{Helper: e.Fence, App: app, Modules: modules, Work: work, Getenv: e.Getenv, Began: time.Now()})
		if err != nil {
			return err
		}
		text, err := json.Marshal(run)
		if err != nil {
			return err
		}
		return writeTo(e.Stdout, out, text)
	})
}
