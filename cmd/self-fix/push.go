package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"selffix/gates"
	"selffix/gates/github"
	"selffix/internal/tokens"
	"selffix/internal/visible"
	"selffix/pipeline"
	"selffix/pipeline/policy"
	"selffix/pipeline/publish"
)

// pushTime bounds a push with all that follows it.
const pushTime = 4 * time.Minute

type pushFlags struct {
	result, policy, format string
	dryRun                 bool
}

func newPush(e env) *cobra.Command {
	var f pushFlags
	c := &cobra.Command{
		Use:   "push --result DIR --policy FILE [--dry-run]",
		Short: "evaluate the gates once more and push the rechecked commit, with a lease on the tested one",
		Long: `push takes result.json and result.pack of "self-fix recheck". It evaluates the four gates itself; repository, pull
request, ref and tested commit come from there alone, and the result's copies are compared. It computes the commit's id anew,
pushes once with a lease on the tested commit, reads back what the branch names, posts the pending review status and a comment.

It reads what "self-fix gate" reads, and GITHUB_TOKEN with contents, statuses and pull-requests: write. --dry-run stops before
all that takes a secret: no token is read and no request is made.

Exit codes: 0 pushed (or: the dry run found nothing wrong), 1 not pushed, with the rule, 2 could not decide; the receipt then says
whether a commit was pushed.`,
		Example: `  self-fix push --result ./rechecked --policy .github/self-fix.yaml --dry-run`,
		Args:    cobra.NoArgs,
		RunE:    func(c *cobra.Command, _ []string) error { return f.run(c.Context(), e) },
	}
	fl := c.Flags()
	fl.StringVar(&f.result, "result", "", "folder with result.json and result.pack")
	fl.StringVar(&f.policy, "policy", "", "the policy file; outside a sandbox it must equal the default branch's")
	fl.StringVar(&f.format, "format", "text", "text or json")
	fl.BoolVar(&f.dryRun, "dry-run", false, "stop before all that takes a secret")
	for _, name := range []string{"result", "policy"} {
		_ = c.MarkFlagRequired(name) // the flag was added above
	}
	return c
}

func (f pushFlags) run(ctx context.Context, e env) error {
	if err := (verdictFlags{format: f.format}).check(); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, pushTime)
	defer cancel()
	in, err := f.input()
	if err != nil {
		return err
	}
	if f.dryRun {
		receipt, err := publish.DryRun(ctx, in)
		return f.finish(e, receipt, err)
	}
	v, err := gate(ctx, e, f.policy)
	if err != nil {
		return err
	}
	if v.Decision != gates.Act || v.Target == nil {
		if err := (verdictFlags{format: f.format}).write(e.Stdout, v); err != nil {
			return err
		}
		return finish(v)
	}
	in.Target = *v.Target
	receipt, err := f.publish(ctx, e, in)
	return f.finish(e, receipt, err)
}

func (f pushFlags) input() (publish.Input, error) {
	p, err := policy.Load(f.policy)
	if err != nil {
		return publish.Input{}, fmt.Errorf("--policy: %w", err)
	}
	data, err := readLimited(filepath.Join(f.result, "result.json"), publish.MaxResultBytes)
	if err != nil {
		return publish.Input{}, fmt.Errorf("--result: %w", err)
	}
	r, err := publish.ReadResult(data)
	if err != nil {
		return publish.Input{}, fmt.Errorf("--result: %w", err)
	}
	return publish.Input{Policy: p, Result: r, Pack: filepath.Join(f.result, "result.pack"), Now: time.Now()}, nil
}

func (f pushFlags) publish(ctx context.Context, e env, in publish.Input) (publish.Receipt, error) {
	token, err := tokens.New(e.Getenv("GITHUB_TOKEN"))
	if err != nil {
		return publish.Receipt{}, fmt.Errorf("GITHUB_TOKEN: %w", err)
	}
	gh, err := github.New(github.Options{Policy: in.Policy, Token: token, Repository: in.Target.Repository, RepositoryID: in.Target.RepositoryID})
	if err != nil {
		return publish.Receipt{}, err
	}
	defer gh.Close()
	return publish.Publish(ctx, in, token, gh, publish.Wait)
}

// finish prints the receipt, if there is one, and ends with its exit code.
func (f pushFlags) finish(e env, r publish.Receipt, err error) error {
	var refused *publish.Error
	if errors.As(err, &refused) && r.Rule == "" {
		r.Rule, r.Reason = refused.Rule, refused.What
	}
	if r.Rule != "" {
		if werr := f.write(e.Stdout, r); werr != nil {
			return errors.Join(err, werr)
		}
	}
	if err == nil {
		return nil
	}
	if refused != nil && refused.Decision() == pipeline.Stop {
		writeError(e.Stderr, err)
		return exit(exitNo)
	}
	return err
}

func (f pushFlags) write(w io.Writer, r publish.Receipt) error {
	if f.format == "json" {
		return visible.WriteJSON(w, r)
	}
	_, err := fmt.Fprintf(w, "%s: %s: %s\n", r.Word(), r.Rule, r.Reason)
	if err == nil && r.Commit != "" {
		_, err = fmt.Fprintf(w, "commit %s on %s, pull request %d\n", r.Commit, r.TestedCommit, r.PullRequest)
	}
	return err
}
