package main

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"selffix/gates/github"
	"selffix/internal/doctor"
	"selffix/internal/tokens"
	"selffix/internal/visible"
	"selffix/pipeline/policy"
)

// doctorTime bounds all readings together.
const doctorTime = 3 * time.Minute

type doctorFlags struct{ repository, policy, format string }

func newDoctor(e env) *cobra.Command {
	var f doctorFlags
	c := &cobra.Command{
		Use:   "doctor --repository OWNER/NAME --policy FILE",
		Short: "look at a repository's settings and files on GitHub and name each weakness with its fix",
		Long: `doctor reads what the promise of self-fix rests on beside its code: which statuses are required and from which app,
environments and who may use them, workflow permissions, who can write, owners of policy and workflows, pins, previews'
variables, and whether the workflows are those that follow from the policy. It changes nothing.

GITHUB_TOKEN is a token of your own with read access to administration, actions, contents, environments, secrets (names only),
variables and metadata of the one repository. It goes to the policy's hosts.github_api and nowhere else.

Exit codes: 0 every check passed, 1 weaknesses, 2 a check could not be made: nobody has looked there.`,
		Example: `  self-fix doctor --repository OWNER/NAME --policy .github/self-fix.yaml --format json`,
		Args:    cobra.NoArgs,
		RunE:    func(c *cobra.Command, _ []string) error { return f.run(c.Context(), e) },
	}
	fl := c.Flags()
	fl.StringVar(&f.repository, "repository", "", "the repository, as OWNER/NAME")
	fl.StringVar(&f.policy, "policy", github.PolicyPath, "the policy file, as the default branch has it")
	fl.StringVar(&f.format, "format", "text", "text or json")
	_ = c.MarkFlagRequired("repository") // the flag was added above
	return c
}

func (f doctorFlags) run(ctx context.Context, e env) error {
	if err := (verdictFlags{format: f.format}).check(); err != nil {
		return err
	}
	p, err := policy.Load(f.policy)
	if err != nil {
		return fmt.Errorf("--policy: %w", err)
	}
	token, err := tokens.New(e.Getenv("GITHUB_TOKEN"))
	if err != nil {
		return fmt.Errorf("GITHUB_TOKEN: %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, doctorTime)
	defer cancel()
	c, r, err := github.Open(ctx, github.Options{Policy: p, Token: token, Repository: f.repository})
	if err != nil {
		return err
	}
	defer c.Close()
	report := doctor.Examine(doctor.Read(ctx, c, r, p))
	if err := f.write(e.Stdout, report); err != nil {
		return err
	}
	if code := report.ExitCode(); code != exitYes {
		return exit(code)
	}
	return nil
}

func (f doctorFlags) write(w io.Writer, r doctor.Report) error {
	if f.format == "json" {
		return visible.WriteJSON(w, r)
	}
	counts := map[doctor.Status]int{}
	for _, x := range r.Findings {
		counts[x.Status]++
		line := fmt.Sprintf("%-7s %s %s", x.Status, x.ID, x.Check)
		if x.Detail != "" {
			line += ": " + x.Detail
		}
		if x.Fix != "" {
			line += "\n        -> " + x.Fix
		}
		if _, err := fmt.Fprintln(w, line); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintf(w, "\n%d pass, %d fail, %d unknown\n", counts[doctor.Pass], counts[doctor.Fail], counts[doctor.Unknown])
	return err
}
