package main

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"selffix/checker"
	"selffix/checker/report"
	"selffix/pipeline/policy"
)

// maxPatchRead bounds what is read of a patch, far above any policy's limit: a longer one is refused by
// its size all the same.
const maxPatchRead = 16 << 20

type checkFlags struct {
	repo, base, policy, patch, format string
}

func newCheck(e env) *cobra.Command {
	var f checkFlags
	c := &cobra.Command{
		Use:   "check --repo DIR --base REV --policy FILE --patch FILE|-",
		Short: "judge a patch: accept it, or name every rule that refuses it",
		Long: `check judges a patch against the commit that it is meant for. The repository is only read: git works in a
scratch folder that borrows its objects, and neither its configuration, its hooks nor its replacements are used.

Exit codes: 0 accept, 1 refuse, 2 could not judge (no such commit, invalid policy, git missing).`,
		Example: `  self-fix check --repo . --base HEAD --policy .github/self-fix.yaml --patch fix.patch
  git diff | self-fix check --repo . --base HEAD --policy .github/self-fix.yaml --patch - --format sarif`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return runCheck(c, e, f) },
	}
	c.Flags().StringVar(&f.repo, "repo", "", "folder of the repository, with a work tree or bare")
	c.Flags().StringVar(&f.base, "base", "", "the commit that the patch applies to")
	c.Flags().StringVar(&f.policy, "policy", "", "the policy file")
	c.Flags().StringVar(&f.patch, "patch", "", "the patch, - for standard input")
	c.Flags().StringVar(&f.format, "format", string(report.Text), "text, json, sarif or github")
	for _, name := range []string{"repo", "base", "policy", "patch"} {
		if err := c.MarkFlagRequired(name); err != nil {
			panic(err) // the flag stands a few lines above
		}
	}
	return c
}

func runCheck(c *cobra.Command, e env, f checkFlags) error {
	// A wrong format must be said before any work, not after it.
	if err := report.Write(io.Discard, report.Format(f.format), nil, checker.Report{}); err != nil {
		return fmt.Errorf("--format: %w", err)
	}
	r, err := judge(c, e, f)
	if err != nil {
		r = checker.Report{Verdict: checker.Undecided}
	}
	if werr := report.Write(e.Stdout, report.Format(f.format), checker.Rules(), r); werr != nil {
		return errors.Join(err, werr)
	}
	if err != nil {
		return err
	}
	if code := r.Verdict.ExitCode(); code != exitYes {
		return exit(code)
	}
	return nil
}

func judge(c *cobra.Command, e env, f checkFlags) (checker.Report, error) {
	p, err := policy.Load(f.policy)
	if err != nil {
		return checker.Report{}, err
	}
	patch, err := readPatch(e, f.patch)
	if err != nil {
		return checker.Report{}, err
	}
	return checker.Check(c.Context(), checker.Input{Repo: f.repo, Base: f.base, Policy: p, Patch: patch})
}

// readPatch reads the patch in whole, or as much of it as its size alone refuses.
func readPatch(e env, name string) ([]byte, error) {
	in := e.Stdin
	if name != "-" {
		file, err := os.Open(name)
		if err != nil {
			return nil, fmt.Errorf("--patch: %w", err)
		}
		defer file.Close()
		in = file
	}
	patch, err := io.ReadAll(io.LimitReader(in, maxPatchRead))
	if err != nil {
		return nil, fmt.Errorf("--patch: %w", err)
	}
	return patch, nil
}
