package main

import (
	"bufio"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"selffix/checker/simulate"
	"selffix/internal/visible"
	"selffix/pipeline/policy"
)

type simulateFlags struct {
	repo, policy, format string
	last                 int
}

func newSimulate(e env) *cobra.Command {
	var f simulateFlags
	c := &cobra.Command{
		Use:   "simulate --repo DIR --last N --policy FILE",
		Short: "judge a repository's own history: what would the policy have refused, and by which rule",
		Long: `simulate takes each of the last N commits of HEAD's first-parent history (merges left out) as if a robot had
proposed it, and counts the refusals by rule. It shows whether a policy fits a repository before it is switched on.

Exit codes: 0 the history was judged, 2 it could not be read.`,
		Example: `  self-fix simulate --repo . --last 200 --policy .github/self-fix.yaml`,
		Args:    cobra.NoArgs,
		RunE:    func(c *cobra.Command, _ []string) error { return runSimulate(c, e, f) },
	}
	c.Flags().StringVar(&f.repo, "repo", ".", "folder of the repository")
	c.Flags().StringVar(&f.policy, "policy", "", "the policy file (by default "+policyPath+" in the repository)")
	c.Flags().StringVar(&f.format, "format", "text", "text or json")
	c.Flags().IntVar(&f.last, "last", 100, fmt.Sprintf("how many commits, at most %d", simulate.MaxCommits))
	return c
}

// policyPath is where an installation keeps its policy, on the default branch.
const policyPath = ".github/self-fix.yaml"

func runSimulate(c *cobra.Command, e env, f simulateFlags) error {
	if f.format != "text" && f.format != "json" {
		return fmt.Errorf("--format: want text or json, got %q", f.format)
	}
	if f.policy == "" {
		f.policy = f.repo + "/" + policyPath
	}
	p, err := policy.Load(f.policy)
	if err != nil {
		return err
	}
	s, err := simulate.Run(c.Context(), simulate.Input{Repo: f.repo, Last: f.last, Policy: p, Progress: progress(e.Stderr)})
	if err != nil {
		return err
	}
	if f.format == "json" {
		return visible.WriteJSON(e.Stdout, s)
	}
	return writeSimulation(e.Stdout, s)
}

// progress says every hundred commits how far the judgement is.
func progress(w io.Writer) func(done, all int) {
	return func(done, all int) {
		if done%100 == 0 && done < all {
			fmt.Fprintf(w, "%d of %d commits judged\n", done, all)
		}
	}
}

func writeSimulation(w io.Writer, s simulate.Summary) error {
	b := bufio.NewWriter(w)
	all := s.Accepted + s.Refused + s.Undecided
	fmt.Fprintf(b, "%d commits: %d accepted, %d refused, %d undecided\n", all, s.Accepted, s.Refused, s.Undecided)
	if len(s.Rules) > 0 {
		fmt.Fprintf(b, "\n%-17s %-22s %8s %8s\n", "rule", "kind", "refused", "alone")
	}
	for _, t := range s.Rules {
		fmt.Fprintf(b, "%-17s %-22s %8d %8d\n", t.Rule, t.Kind, t.Total, t.Alone)
	}
	if len(s.Rules) > 0 {
		fmt.Fprint(b, "\nalone: commits that no other rule refuses. `self-fix explain RULE` says why.\n")
	}
	return b.Flush()
}
