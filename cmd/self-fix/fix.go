package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"selffix/gates"
	"selffix/internal/scratch"
	"selffix/internal/tokens"
	"selffix/internal/visible"
	"selffix/pipeline"
	"selffix/pipeline/agent"
	"selffix/pipeline/evidence"
	"selffix/pipeline/local"
	"selffix/pipeline/policy"
	"selffix/pipeline/proxy"
)

// fixFlags is the command line of fix.
type fixFlags struct {
	repo, commit, bundle, policy, tokenFile, out, format string
	defaultBranch                                        string
	showRefused, offline                                 bool
}

func newFix(e env) *cobra.Command {
	var f fixFlags
	c := &cobra.Command{
		Use:   "fix --repo DIR --commit SHA --bundle FILE --policy FILE --model-token-file FILE --out DIR",
		Short: "let the agent repair a commit on this machine, and judge what it did",
		Long: `fix runs the loop's repair on a local repository: the tested commit's tree without agent instructions, the agent
behind the kernel fence with no network and no secret, a canonical patch, the checker, a candidate; and the project's own
check, where the policy says verify.enabled: true. Nothing in the repository is changed and nothing is pushed.

--bundle is a failure report: a folder as the test bot's command line leaves it, a bundle, or a text file.
--out gets run.json and, after a verdict, report.json; of an accepted patch candidate.json and fix.patch too.

Exit codes: 0 accepted, 1 decided not to (refused, or nothing changed), 2 could not decide or bad input.`,
		Example: `  self-fix fix --repo . --commit HEAD --bundle failure.txt --policy .github/self-fix.yaml \
    --model-token-file ~/.config/model-token --out ./repair`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return f.run(c.Context(), e) },
	}
	fl := c.Flags()
	fl.StringVar(&f.repo, "repo", "", "folder of the repository; only its objects are read")
	fl.StringVar(&f.commit, "commit", "", "the tested commit")
	fl.StringVar(&f.defaultBranch, "default-branch", "", "for verify: the revision whose package and lock files are the default branch's; left out, the policy's branch at origin, else here")
	fl.StringVar(&f.bundle, "bundle", "", "the failure report")
	fl.StringVar(&f.policy, "policy", "", "the policy file")
	fl.StringVar(&f.tokenFile, "model-token-file", "", "file that holds the model token alone")
	fl.StringVar(&f.out, "out", "", "folder for the result; new or empty")
	fl.StringVar(&f.format, "format", "text", "text or json")
	fl.BoolVar(&f.showRefused, "show-refused", false, "print a refused patch to the terminal; never in CI")
	fl.BoolVar(&f.offline, "offline", false, "bring nothing: the agent's program must be in the cache")
	for _, name := range []string{"repo", "commit", "bundle", "policy", "model-token-file", "out"} {
		_ = c.MarkFlagRequired(name) // the flag was added above
	}
	return c
}

// run refuses bad input before anything is made, runs the plan, and leaves the result in the out folder.
func (f fixFlags) run(ctx context.Context, e env) (err error) {
	in, err := f.input(ctx, e)
	if err != nil {
		return err
	}
	if !in.policy.Enabled {
		fmt.Fprintln(e.Stdout, "stopped: the policy does not say enabled: true")
		return exit(exitNo)
	}
	ip, err := local.New(local.Options{
		Worker: in.self, Secrets: map[pipeline.SecretName]tokens.Token{pipeline.SecretModel: in.token},
		Offline: f.offline, Getenv: e.Getenv, Stderr: e.Stderr,
		Keep: map[pipeline.Ref]string{"tools.tools": in.cache},
	})
	if err != nil {
		return err
	}
	defer func() {
		if left := ip.Close(); left != nil { // the verdict stands; the next run's sweep tries again
			fmt.Fprintf(e.Stderr, "warning: %s\n", visible.Cut(left.Error(), 1000))
		}
	}()
	given, err := f.artifacts(ip, in)
	if err != nil {
		return err
	}
	if in.policy.Verify.Enabled {
		if given["in.packages"], err = f.packages(ctx, ip, in); err != nil {
			return err
		}
	}
	plan := localPlan(in.policy)
	have, result, runErr := pipeline.Run(ctx, plan, stepProgress{ip, e.Stderr}, given)
	rep, err := f.report(plan, have, result, runErr)
	if err != nil {
		return err
	}
	if err := f.keep(rep, have); err != nil {
		return err
	}
	return f.print(e, rep, have)
}

// fixInput is what fix works with, all of it checked.
type fixInput struct {
	self, cache string
	policy      policy.Policy
	token       tokens.Token
	repo        scratch.Repository
	commit      string
}

func (f fixFlags) input(ctx context.Context, e env) (fixInput, error) {
	var in fixInput
	var err error
	if f.format != "text" && f.format != "json" {
		return in, fmt.Errorf("--format %.40q: want text or json", f.format)
	}
	if f.showRefused && (e.Getenv("CI") != "" || e.Getenv("GITHUB_ACTIONS") != "") {
		return in, errors.New("--show-refused: a refused patch is never shown in CI, where the log may be public")
	}
	if in.policy, err = policy.Load(f.policy); err != nil {
		return in, fmt.Errorf("--policy: %w", err)
	}
	if in.token, err = tokens.ReadFile(f.tokenFile); err != nil {
		return in, fmt.Errorf("--model-token-file: %w", err)
	}
	if err := tokens.Check(in.policy.Sandbox, in.policy.Hosts.Model, in.token); err != nil {
		return in, fmt.Errorf("--model-token-file: %w", err)
	}
	if in.repo, in.commit, err = f.tested(ctx); err != nil {
		return in, err
	}
	if err := f.emptyOut(); err != nil {
		return in, err
	}
	if in.cache, err = agent.CacheDir(e.Getenv); err != nil {
		return in, err
	}
	if in.self, err = os.Executable(); err != nil {
		return in, fmt.Errorf("find this program: %w", err)
	}
	return in, nil
}

// tested turns what a person wrote into a full id of a commit that is there.
func (f fixFlags) tested(ctx context.Context) (repo scratch.Repository, commit string, err error) {
	none := scratch.Repository{}
	repo, err = scratch.Find(f.repo)
	if err != nil {
		return none, "", fmt.Errorf("--repo: %w", err)
	}
	if commit, err = commitOf(ctx, repo, f.commit); err != nil {
		return none, "", fmt.Errorf("--commit: %w", err)
	}
	return repo, commit, nil
}

// commitOf is the full id of the commit that a revision names.
func commitOf(ctx context.Context, repo scratch.Repository, revision string) (id string, err error) {
	name, err := repo.Resolve(revision)
	if err != nil {
		return "", fmt.Errorf("commit not found: %w", err)
	}
	folder, err := scratch.Open(repo, scratch.Options{Parent: local.DefaultParent})
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, folder.Close()) }()
	cat, err := folder.CatFile(ctx)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, cat.Close()) }()
	const maxCommit = 1 << 20
	o, err := cat.Get(name, maxCommit)
	if err != nil {
		return "", fmt.Errorf("commit not found: %w", err)
	}
	if o.Type != "commit" || !gates.IsSHA(o.ID) {
		return "", fmt.Errorf("%.200q names a %s, want a commit", revision, o.Type)
	}
	return o.ID, nil
}

func (f fixFlags) emptyOut() error {
	entries, err := os.ReadDir(f.out)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("--out: %w", err)
	}
	if len(entries) > 0 {
		return fmt.Errorf("--out: %q is not empty; name a new folder, so that an old result is never taken for a new one", f.out)
	}
	return nil
}

// artifacts brings what the plan takes: files and folders in the run's own folder, and the repository's
// objects where they lie.
func (f fixFlags) artifacts(ip *local.Interpreter, in fixInput) (map[pipeline.Ref]string, error) {
	dir, err := ip.Folder("given")
	if err != nil {
		return nil, err
	}
	report, err := ip.Folder("report")
	if err != nil {
		return nil, err
	}
	if err := evidence.Give(report, f.bundle); err != nil {
		return nil, fmt.Errorf("--bundle: %w", err)
	}
	key, err := proxy.NewKey(nil)
	if err != nil {
		return nil, err
	}
	target, err := pipeline.WriteTarget(pipeline.LocalTarget{TestedCommit: in.commit})
	if err != nil {
		return nil, err
	}
	pol, err := os.ReadFile(f.policy)
	if err != nil {
		return nil, fmt.Errorf("--policy: %w", err)
	}
	if policy.Digest(pol) != in.policy.Digest {
		return nil, errors.New("--policy: the file changed while it was read")
	}
	objects, err := ip.Objects(in.repo)
	if err != nil {
		return nil, fmt.Errorf("--repo: %w", err)
	}
	given := map[pipeline.Ref]string{"in.repository": objects, "in.report": report}
	for ref, data := range map[pipeline.Ref][]byte{"in.policy": pol, "in.event": target, "in.run-key": []byte(key.Reveal())} {
		name := filepath.Join(dir, string(ref))
		if err := os.WriteFile(name, data, 0o600); err != nil {
			return nil, fmt.Errorf("write what the plan takes: %w", err)
		}
		given[ref] = name
	}
	return given, nil
}
