package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"selffix/gates"
	"selffix/gates/github"
	"selffix/pipeline/policy"
	"selffix/pipeline/worker"
)

// appKeyVariable names the file with the review app's private key.
const appKeyVariable = "SELF_FIX_REVIEW_APP_KEY_FILE"

func newReviewGate(e env) *cobra.Command {
	var f verdictFlags
	c := &cobra.Command{
		Use:   "review-gate",
		Short: "post the review status that holds the merge of a robot commit until the maintainer labelled it",
		Long: `review-gate judges the pull request of a "pull_request_target" event, or each one of a "merge_group", and
posts the review status on its commit: first pending, before anything is read, then success if no robot commit was ever
seen on it or the maintainer labelled what is there now. Run it again to recover from an error.

It reads what GitHub Actions gives (see "self-fix gate --help"). It posts as the review app, whose private key lies in the
file that ` + appKeyVariable + ` names, or with GITHUB_TOKEN where the policy says review.accept_branch_writers.
It needs contents, pull-requests and issues: read, and statuses: write where GITHUB_TOKEN posts. Outputs of the step: decision, rule.
A merge group's run uses a copy of the workflow that pull requests wrote, so it must not be given the key.

Exit codes: 0 success was posted, 1 the merge is held, with the reason, 2 could not decide.`,
		Example: `  self-fix review-gate --policy .github/self-fix.yaml`,
		Args:    cobra.NoArgs,
		RunE:    func(c *cobra.Command, _ []string) error { return runReviewGate(c.Context(), e, f) },
	}
	f.register(c)
	return c
}

func runReviewGate(ctx context.Context, e env, f verdictFlags) error {
	if err := f.check(); err != nil {
		return err
	}
	v, err := reviewGate(ctx, e, f.policy)
	if err != nil {
		v = gates.ReviewUnready()
	}
	if werr := f.write(e.Stdout, v); werr != nil {
		return errors.Join(err, werr)
	}
	if err != nil {
		return err
	}
	if err := setOutputs(e.Getenv, [2]string{"decision", string(v.Decision)}, [2]string{"rule", v.Rule}); err != nil {
		return err
	}
	return finish(v)
}

func reviewGate(ctx context.Context, e env, path string) (gates.Verdict, error) {
	p, err := policy.Load(path)
	if err != nil {
		return gates.Verdict{}, err
	}
	if !p.Enabled {
		return worker.ReviewGate(ctx, worker.Caller{Policy: p}, nil) // whatever the runner says
	}
	c, err := readRunner(e.Getenv, p)
	if err != nil {
		return gates.Verdict{}, err
	}
	var key func() ([]byte, error)
	if file := e.Getenv(appKeyVariable); file != "" {
		key = func() ([]byte, error) { return readLimited(file, github.MaxKeyBytes) }
	}
	v, err := worker.ReviewGate(ctx, c, key)
	if errors.Is(err, worker.ErrKey) {
		err = fmt.Errorf("%s: %w", appKeyVariable, err)
	}
	return v, err
}
