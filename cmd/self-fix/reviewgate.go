package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"selffix/gates"
	"selffix/gates/github"
	"selffix/pipeline/policy"
)

// reviewTime is how long a review gate takes at most, posts included.
const reviewTime = 58 * time.Second

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
		return *gates.PrefilterReview(gates.ReviewEvent{}, p), nil
	}
	r, err := readRunner(e.Getenv, p)
	if err != nil {
		return gates.Verdict{}, err
	}
	data, err := readLimited(r.payload, github.MaxEventBytes)
	if err != nil {
		return gates.Verdict{}, fmt.Errorf("%w: GITHUB_EVENT_PATH: %w", errRunner, err)
	}
	event, err := github.ReviewEvent(r.event, data)
	if err != nil {
		return gates.Verdict{}, err
	}
	if err := r.agrees(event.Repository, event.RepositoryID); err != nil {
		return gates.Verdict{}, err
	}
	if event.Name == "merge_group" && e.Getenv(appKeyVariable) != "" {
		return gates.Verdict{}, fmt.Errorf("%w: take %s out of the merge_group run: pull requests wrote its workflow", errRunner, appKeyVariable)
	}
	if v := gates.PrefilterReview(event, p); v != nil {
		return *v, nil
	}
	c, err := r.client(e.Getenv, p, event.RepositoryID)
	if err != nil {
		return gates.Verdict{}, err
	}
	defer c.Close()
	ctx, cancel := context.WithTimeout(ctx, reviewTime)
	defer cancel()
	reviewer := github.Reviewer{Policy: p, Read: c, Post: r.poster(e, p, event, c)}
	if event.Name == "merge_group" {
		return reviewer.MergeGroup(ctx, event), nil
	}
	return reviewer.PullRequest(ctx, event), nil
}

// poster makes the client that posts: the review app's where its key is given, the workflow's own where the policy
// accepts that.
func (r runner) poster(e env, p policy.Policy, event gates.ReviewEvent, own *github.Client) func(context.Context) (*github.Client, error) {
	return func(ctx context.Context) (*github.Client, error) {
		file := e.Getenv(appKeyVariable)
		if file == "" && p.Review.AcceptBranchWriters {
			return own, nil
		}
		if file == "" {
			return nil, fmt.Errorf("%w: the policy wants the status from the review app, and %s is not set", errRunner, appKeyVariable)
		}
		data, err := readLimited(file, github.MaxKeyBytes)
		if err != nil {
			return nil, fmt.Errorf("%w: %s: the key file cannot be read", errRunner, appKeyVariable)
		}
		key, err := github.ParseKey(data, p.Sandbox)
		clear(data)
		if err != nil {
			return nil, err
		}
		return github.ReviewApp(ctx, github.Options{Policy: p, Repository: event.Repository, RepositoryID: event.RepositoryID}, key)
	}
}
