package main

import (
	"context"
	"errors"
	"strconv"

	"github.com/spf13/cobra"

	"selffix/gates"
	"selffix/gates/github"
	"selffix/pipeline/policy"
	"selffix/pipeline/worker"
)

func newGate(e env) *cobra.Command {
	var f verdictFlags
	c := &cobra.Command{
		Use:   "gate",
		Short: "decide whether the loop may act on the failing status of this run's event",
		Long: `gate evaluates the four gates on the "status" event that started this run: the verdict is the test
bot's, the pull request is the maintainer's and has not moved, and attempts are left on it and today. It also demands
that the default branch requires the review status, and finds the preview whose report may count. The gate, fix and
push jobs each run it.

It reads what GitHub Actions gives: GITHUB_EVENT_NAME, GITHUB_EVENT_PATH, GITHUB_REPOSITORY, GITHUB_REPOSITORY_ID,
GITHUB_RUN_ID, GITHUB_RUN_ATTEMPT, GITHUB_JOB, GITHUB_API_URL and GITHUB_TOKEN (contents, pull-requests, statuses, actions,
deployments and issues: read). Outputs of the step: decision, rule, pr, sha.

Exit codes: 0 act, 1 nothing to do, with the reason, 2 could not decide.`,
		Example: `  self-fix gate --policy .github/self-fix.yaml --format json --out verdict.json`,
		Args:    cobra.NoArgs,
		RunE:    func(c *cobra.Command, _ []string) error { return runGate(c.Context(), e, f) },
	}
	f.register(c)
	return c
}

func (f *verdictFlags) register(c *cobra.Command) {
	c.Flags().StringVar(&f.policy, "policy", github.PolicyPath, "the policy file; outside a sandbox it must equal the default branch's")
	c.Flags().StringVar(&f.format, "format", "text", "text or json")
	c.Flags().StringVar(&f.out, "out", "", "also write the verdict to this file, as JSON")
}

func runGate(ctx context.Context, e env, f verdictFlags) error {
	if err := f.check(); err != nil {
		return err
	}
	v, err := gate(ctx, e, f.policy)
	if err != nil {
		v = gates.Unready()
	}
	if werr := f.write(e.Stdout, v); werr != nil {
		return errors.Join(err, werr)
	}
	if err != nil {
		return err
	}
	if err := setOutputs(e.Getenv, gateOutputs(v)...); err != nil {
		return err
	}
	return finish(v)
}

// gate reads policy, runner and event, and judges them as the steps of the loop do.
func gate(ctx context.Context, e env, path string) (gates.Verdict, error) {
	p, err := policy.Load(path)
	if err != nil {
		return gates.Verdict{}, err
	}
	if !p.Enabled {
		return worker.Gate(ctx, worker.Caller{Policy: p}) // whatever the runner says
	}
	c, err := readRunner(e.Getenv, p)
	if err != nil {
		return gates.Verdict{}, err
	}
	return worker.Gate(ctx, c)
}

func gateOutputs(v gates.Verdict) [][2]string {
	out := [][2]string{{"decision", string(v.Decision)}, {"rule", v.Rule}}
	if t := v.Target; t != nil {
		out = append(out, [2]string{"pr", strconv.Itoa(t.PullRequest)}, [2]string{"sha", t.TestedCommit})
	}
	return out
}
