package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"

	"github.com/spf13/cobra"

	"selffix/internal/install"
	"selffix/internal/tokens"
)

type initFlags struct {
	repo, maintainer string
	maintainerID     int64
	branchWriters    bool
	replace          bool
	options          install.Options
}

func newInit(e env) *cobra.Command {
	var f initFlags
	c := &cobra.Command{
		Use:   "init --repo DIR --maintainer LOGIN (--review-app-id N | --accept-branch-writers)",
		Short: "write policy, workflows and pins into a repository, and say what to set on GitHub by hand",
		Long: `init writes below DIR/.github: the policy, disabled, with the source folders and security modules that it found; the
workflows and their scripts; a pins file. Nothing else is touched. A file that is there and differs ends it before anything
is written, and is named: --replace replaces workflows and scripts, which follow from the policy. Policy, pins and lists are
never replaced. A policy that is there already decides what the workflows look like.

The maintainer's id is asked of ` + install.API + ` in one request, with GITHUB_TOKEN if it is set, unless --maintainer-id gives it.
What is not known yet (the module's commit; for another release of Dagger than the default one, the sha256 of its command line and
engine) is written as "unset", and every job stops there until it is filled in.

Exit codes: 0 written, or all there already; 2 not, with the reason.`,
		Example: `  self-fix init --repo . --maintainer octocat --review-app-id 123456 \
    --module github.com/OWNER/self-fix@COMMIT`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return f.run(c.Context(), e) },
	}
	f.register(c)
	return c
}

func (f *initFlags) register(c *cobra.Command) {
	fl := c.Flags()
	fl.StringVar(&f.repo, "repo", "", "folder of the repository's work tree")
	fl.StringVar(&f.maintainer, "maintainer", "", "login of the one person whose pull requests are served and whose label allows a merge")
	fl.Int64Var(&f.maintainerID, "maintainer-id", 0, "the maintainer's id; without it, GitHub is asked")
	fl.Int64Var(&f.options.ReviewAppID, "review-app-id", 0, "number of the GitHub App that posts the review status")
	fl.BoolVar(&f.branchWriters, "accept-branch-writers", false, "post the review status with the workflow's token: whoever can push a branch can then forge it")
	fl.StringVar(&f.options.Branch, "default-branch", "main", "the default branch")
	fl.StringVar(&f.options.Bot.Login, "bot", "testsprite[bot]", "login of the test bot")
	fl.Int64Var(&f.options.Bot.ID, "bot-id", 258111874, "id of the test bot's account")
	fl.StringVar(&f.options.Bot.Context, "bot-context", "TestSprite V3", "exact name of its status")
	fl.Int64Var(&f.options.Bot.AppID, "bot-app-id", 0, "number of the bot's app, which its required check is pinned to")
	fl.StringVar(&f.options.PreviewEnvironment, "preview-environment", "Preview", "GitHub's deployment environment of the previews")
	fl.StringVar(&f.options.PreviewSuffix, "preview-suffix", ".vercel.app", "how the host of a preview ends")
	fl.StringVar(&f.options.Pins.Version, "dagger-version", install.DaggerVersion, "release of Dagger")
	fl.StringVar(&f.options.Pins.CLI, "dagger-cli-sha256", "", "sha256 of Dagger's archive for linux/amd64, of another release than the default one")
	fl.StringVar(&f.options.Pins.Engine, "dagger-engine-sha256", "", "digest of Dagger's engine image, of another release than the default one")
	fl.StringVar(&f.options.Pins.Module, "module", "", "github.com/OWNER/self-fix@COMMIT; without it \"unset\" is written")
	fl.BoolVar(&f.replace, "replace", false, "replace workflows and scripts that differ")
	for _, name := range []string{"repo", "maintainer"} {
		_ = c.MarkFlagRequired(name) // the flag was added above
	}
}

func (f initFlags) run(ctx context.Context, e env) error {
	if (f.options.ReviewAppID > 0) == f.branchWriters {
		return errors.New("say how the review status is posted: --review-app-id N (nobody else can post it), or --accept-branch-writers (whoever can push a branch can forge it)")
	}
	info, err := os.Stat(f.repo)
	if err != nil || !info.IsDir() {
		return fmt.Errorf("--repo: expected a folder, got %.100q", f.repo)
	}
	o := f.options
	o.Maintainer = install.Account{Login: f.maintainer, ID: f.maintainerID}
	if f.maintainerID == 0 {
		if o.Maintainer, err = lookup(ctx, e, f.maintainer); err != nil {
			return err
		}
	}
	plan, err := install.Prepare(os.DirFS(f.repo), o)
	if err != nil {
		return err
	}
	how := install.Keep
	if f.replace {
		how = install.Replace
	}
	changes, err := plan.Write(f.repo, how)
	if err != nil {
		return err
	}
	return f.tell(e, plan, changes)
}

// lookup asks GitHub for the id of a login, with a token if there is one that may go there.
func lookup(ctx context.Context, e env, login string) (install.Account, error) {
	raw := e.Getenv("GITHUB_TOKEN")
	if raw == "" {
		return install.Lookup(ctx, http.DefaultClient, install.API, login, "")
	}
	token, err := tokens.New(raw)
	if err == nil {
		err = tokens.Check(false, install.API, token)
	}
	if err != nil {
		return install.Account{}, fmt.Errorf("GITHUB_TOKEN: %w", err)
	}
	return install.Lookup(ctx, http.DefaultClient, install.API, login, token.Reveal())
}

func (f initFlags) tell(e env, plan install.Plan, changes []install.Change) error {
	for _, c := range changes {
		if _, err := fmt.Fprintf(e.Stdout, "%-8s %s\n", c.Done, c.Path); err != nil {
			return err
		}
	}
	if missing := plan.Pins.Missing(); len(missing) > 0 {
		fmt.Fprintf(e.Stdout, "\nNOT READY: %s says \"unset\", and every job stops until this is filled in:\n", install.PinsPath)
		for _, line := range missing {
			fmt.Fprintf(e.Stdout, "    %s\n", line)
		}
	}
	fmt.Fprint(e.Stdout, "\nOnly a person can do the rest:\n")
	for i, line := range plan.ByHand() {
		fmt.Fprintf(e.Stdout, "%2d. %s\n", i+1, line)
	}
	_, err := fmt.Fprint(e.Stdout, "\ndocs/install.md of self-fix explains each of them.\n")
	return err
}
