package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"selffix/internal/scratch"
	"selffix/pipeline"
	"selffix/pipeline/local"
	"selffix/pipeline/policy"
	"selffix/pipeline/publish"
)

type recheckFlags struct{ repo, candidate, patch, policy, out string }

func newRecheck(e env) *cobra.Command {
	var f recheckFlags
	c := &cobra.Command{
		Use:   "recheck --repo DIR --candidate FILE --patch FILE --policy FILE --out DIR",
		Short: "judge a candidate anew, recompute every number in it, and make the one commit and pack",
		Long: `recheck takes what the exposed steps left, a candidate and a patch, and trusts none of it: behind the fence, without
a secret and without network, it checks the patch again, recomputes the candidate from the tested commit's objects and
compares. The result is a commit whose parent is exactly the tested commit, in a pack that "self-fix push" takes.

Exit codes: 0 result.json and result.pack were written, 1 refused, with the rule, 2 could not decide.`,
		Example: `  self-fix recheck --repo . --candidate repair/candidate.json --patch repair/fix.patch \
    --policy .github/self-fix.yaml --out ./rechecked`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return f.run(c.Context(), e) },
	}
	fl := c.Flags()
	fl.StringVar(&f.repo, "repo", "", "folder of the repository; only its objects are read")
	fl.StringVar(&f.candidate, "candidate", "", "candidate.json")
	fl.StringVar(&f.patch, "patch", "", "fix.patch")
	fl.StringVar(&f.policy, "policy", "", "the policy file")
	fl.StringVar(&f.out, "out", "", "folder for the result; new or empty")
	for _, name := range []string{"repo", "candidate", "patch", "policy", "out"} {
		_ = c.MarkFlagRequired(name) // the flag was added above
	}
	return c
}

func (f recheckFlags) run(ctx context.Context, e env) (err error) {
	given, err := f.given(ctx)
	if err != nil {
		return err
	}
	self, err := os.Executable()
	if err != nil {
		return fmt.Errorf("find this program: %w", err)
	}
	ip, err := local.New(local.Options{Worker: self, Offline: true, Getenv: e.Getenv, Stderr: e.Stderr})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, ip.Close()) }()
	inputs, err := given.lay(ip)
	if err != nil {
		return err
	}
	have, result, err := pipeline.Run(ctx, pipeline.LocalRecheck(), stepProgress{ip, e.Stderr}, inputs)
	if err != nil {
		return err
	}
	switch result.Outcome.Decision {
	case pipeline.Continue:
		return f.keep(e, have)
	case pipeline.Stop:
		fmt.Fprintf(e.Stdout, "refused: %s: %s\n", result.Outcome.Rule, result.Outcome.Reason)
		return exit(exitNo)
	}
	return fmt.Errorf("could not decide: %s: %s", result.Outcome.Rule, result.Outcome.Reason)
}

// rechecked is what the plan is given: files by artifact, and the repository's objects where they lie.
type rechecked struct {
	repo  scratch.Repository
	files map[pipeline.Ref][]byte
}

func (f recheckFlags) given(ctx context.Context) (rechecked, error) {
	if err := (fixFlags{out: f.out}).emptyOut(); err != nil {
		return rechecked{}, err
	}
	if _, err := policy.Load(f.policy); err != nil {
		return rechecked{}, fmt.Errorf("--policy: %w", err)
	}
	g := rechecked{files: map[pipeline.Ref][]byte{}}
	for _, in := range []struct {
		flag, name string
		ref        pipeline.Ref
	}{{"policy", f.policy, "in.policy"}, {"candidate", f.candidate, "in.candidate"}, {"patch", f.patch, "in.patch"}} {
		data, err := readLimited(in.name, pipeline.MaxCandidateBytes)
		if err != nil {
			return rechecked{}, fmt.Errorf("--%s: %w", in.flag, err)
		}
		g.files[in.ref] = data
	}
	c, err := pipeline.ReadCandidate(g.files["in.candidate"])
	if err != nil {
		return rechecked{}, fmt.Errorf("--candidate: %w", err)
	}
	repo, commit, err := (fixFlags{repo: f.repo, commit: c.TestedCommit}).tested(ctx)
	if err != nil {
		return rechecked{}, err
	}
	g.repo = repo
	g.files["in.event"], err = pipeline.WriteTarget(pipeline.LocalTarget{TestedCommit: commit})
	return g, err
}

func (g rechecked) lay(ip *local.Interpreter) (map[pipeline.Ref]string, error) {
	dir, err := ip.Folder("given")
	if err != nil {
		return nil, err
	}
	objects, err := ip.Objects(g.repo)
	if err != nil {
		return nil, fmt.Errorf("--repo: %w", err)
	}
	at := map[pipeline.Ref]string{"in.repository": objects}
	for ref, data := range g.files {
		name := filepath.Join(dir, string(ref))
		if err := os.WriteFile(name, data, 0o600); err != nil {
			return nil, fmt.Errorf("write what the plan takes: %w", err)
		}
		at[ref] = name
	}
	return at, nil
}

// keep moves the result to the out folder and says what it is.
func (f recheckFlags) keep(e env, have map[pipeline.Ref]string) error {
	if err := os.MkdirAll(f.out, 0o755); err != nil {
		return fmt.Errorf("--out: %w", err)
	}
	for ref, name := range map[pipeline.Ref]string{"recheck.result": "result.json", "recheck.pack": "result.pack"} {
		data, err := os.ReadFile(have[ref])
		if err != nil {
			return fmt.Errorf("read the result: %w", err)
		}
		if err := os.WriteFile(filepath.Join(f.out, name), data, 0o644); err != nil {
			return fmt.Errorf("--out: %w", err)
		}
	}
	data, err := os.ReadFile(filepath.Join(f.out, "result.json"))
	if err != nil {
		return err
	}
	r, err := publish.ReadResult(data)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(e.Stdout, "accepted: commit %s on %s, tree %s\n", r.Commit, r.TestedCommit, r.ResultTree)
	return err
}
