package publish

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"time"

	"selffix/checker"
	"selffix/internal/scratch"
	"selffix/pipeline"
	"selffix/pipeline/checkout"
	"selffix/pipeline/policy"
	"selffix/pipeline/tree"
)

// Identity is what this job's own event says. A zero field is unknown here (a person on a machine without GitHub) and
// is left to the publisher, which knows all of them.
type Identity struct {
	RepositoryID int64
	PullRequest  int
	RunID        int64
	TestedCommit string
}

// RecheckInput is what Recheck needs.
type RecheckInput struct {
	Repo      string // holds the tested commit's objects; nothing else of it is read
	Candidate []byte
	Patch     []byte
	Policy    policy.Policy
	Identity  Identity
	Now       time.Time // becomes the commit's date
	Scratch   string    // folder for temporary files; "" is the system's
	Pack      string    // file that receives the pack; it must not exist
}

// Recheck judges the patch again, recomputes the candidate and makes commit and pack.
func Recheck(ctx context.Context, in RecheckInput) (Result, error) {
	c, err := admit(in)
	if err != nil {
		return Result{}, err
	}
	work, err := os.MkdirTemp(in.Scratch, "self-fix-recheck-")
	if err != nil {
		return Result{}, fmt.Errorf("make a folder for the recheck: %w", err)
	}
	defer os.RemoveAll(work)
	repo, err := scratch.Find(in.Repo)
	if err != nil {
		return Result{}, fail(ruleTested, err, "the repository")
	}
	r := recheck{in: in, said: c, work: work, repo: repo, objects: filepath.Join(work, "objects")}
	if err := r.judge(ctx); err != nil {
		return Result{}, err
	}
	if err := r.compare(ctx); err != nil {
		return Result{}, err
	}
	return r.finish(ctx)
}

// admit holds candidate, patch and policy to each other before any object is looked at.
func admit(in RecheckInput) (pipeline.Candidate, error) {
	c, err := pipeline.ReadCandidate(in.Candidate)
	if err != nil {
		return c, fail(ruleCandidate, err, "candidate.json")
	}
	sum := sha256.Sum256(in.Patch)
	id := in.Identity
	switch {
	case c.PatchSHA256 != hex.EncodeToString(sum[:]) || c.PatchBytes != int64(len(in.Patch)):
		return c, fail(ruleCandidate, nil, "the patch is not the one that the candidate names")
	case !in.Policy.Enabled:
		return c, fail(rulePolicy, nil, "the policy is not enabled")
	case in.Policy.Digest == "" || c.PolicySHA256 != in.Policy.Digest:
		return c, fail(rulePolicy, nil, "the candidate was made under another policy")
	case c.Sandbox != in.Policy.Sandbox:
		return c, fail(ruleSandbox, nil, "one of candidate and policy is of a sandbox, the other is not")
	case in.Now.Unix() <= 0:
		return c, fail(ruleResult, nil, "there is no time to date the commit with")
	case id.TestedCommit != "" && id.TestedCommit != c.TestedCommit,
		id.RepositoryID != 0 && id.RepositoryID != c.RepositoryID,
		id.PullRequest != 0 && id.PullRequest != c.PullRequest,
		id.RunID != 0 && id.RunID != c.RunID:
		return c, fail(ruleIdentity, nil, "the candidate is for another run, pull request or commit")
	}
	return c, nil
}

// recheck is one recheck under way.
type recheck struct {
	in      RecheckInput
	said    pipeline.Candidate
	work    string
	repo    scratch.Repository
	objects string // receives what the patch makes, and borrows from the repository
	report  checker.Report
}

func (r *recheck) judge(ctx context.Context) error {
	if err := LayObjects(r.objects, r.repo.Objects); err != nil {
		return err
	}
	report, err := checker.Check(ctx, checker.Input{
		Repo: r.in.Repo, Base: r.said.TestedCommit, Policy: r.in.Policy, Patch: r.in.Patch,
		Objects: r.objects, Scratch: scratch.Options{Parent: r.work},
	})
	switch {
	case errors.Is(err, checker.ErrBase):
		return fail(ruleTested, err, "the tested commit")
	case err != nil:
		return err
	case report.Verdict == checker.Refuse && len(report.Findings) > 0:
		return fail(ruleCheck, nil, "the checker refuses the patch by %s and %d findings in all", report.Findings[0].Rule, len(report.Findings))
	case report.Verdict != checker.Accept:
		return fail(ruleCheck, nil, "the checker gave no verdict")
	}
	r.report = report
	return nil
}

// compare recomputes the candidate. Only what is named claimed_… is taken over, and it decides nothing.
func (r *recheck) compare(ctx context.Context) error {
	before, after, err := r.listings(ctx)
	if err != nil {
		return err
	}
	scrubbed := filepath.Join(r.work, "tree")
	if err := os.Mkdir(scrubbed, 0o700); err != nil {
		return fmt.Errorf("make a folder for the scrubbed tree: %w", err)
	}
	trees, err := checkout.Materialise(ctx, r.repo.Objects, r.said.TestedCommit, scrubbed, checkout.Options{Scratch: r.work, Limits: tree.DefaultLimits()})
	if err != nil {
		return fail(ruleTested, err, "the tested tree")
	}
	c := r.said
	c.Sandbox, c.PolicySHA256 = r.in.Policy.Sandbox, r.in.Policy.Digest
	c.TestedTree, c.ScrubbedTree, c.ResultTree = trees.TestedTree, trees.ScrubbedTree, r.report.ResultTree
	c.Before, c.After = before.Inventory(), after.Inventory()
	c.Check = pipeline.Check{Verdict: string(r.report.Verdict), Rules: []string{}}
	c.Changed = Entries(r.report.Changed)
	if r.report.BaseTree != trees.TestedTree {
		return fail(ruleDiffers, nil, "checker and checkout read different trees of the tested commit")
	}
	said, now := reflect.ValueOf(r.said), reflect.ValueOf(c)
	for i := range now.NumField() {
		if !reflect.DeepEqual(now.Field(i).Interface(), said.Field(i).Interface()) {
			return fail(ruleDiffers, nil, "the candidate's %s is not what was recomputed", now.Type().Field(i).Tag.Get("json"))
		}
	}
	return nil
}

func (r *recheck) listings(ctx context.Context) (before, after tree.Listing, err error) {
	f, err := scratch.Open(scratch.Repository{Objects: r.objects}, scratch.Options{Parent: r.work})
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	if before, err = tree.FromGit(ctx, f, r.report.BaseTree); err != nil {
		return nil, nil, err
	}
	after, err = tree.FromGit(ctx, f, r.report.ResultTree)
	return before, after, err
}

// finish writes commit and pack, and says what they are.
func (r *recheck) finish(ctx context.Context) (Result, error) {
	made := commit{tree: r.report.ResultTree, parent: r.said.TestedCommit, at: r.in.Now.UTC(), policy: r.in.Policy}
	id, err := scratch.WriteLoose(r.objects, "commit", made.data())
	if err != nil {
		return Result{}, err
	}
	if id != made.id() {
		return Result{}, fail(ruleDiffers, nil, "the commit that was written has another id")
	}
	digest, size, err := r.pack(ctx, id)
	if err != nil {
		return Result{}, err
	}
	out := Result{
		Schema: ResultSchema, Sandbox: r.said.Sandbox, RepositoryID: r.said.RepositoryID, PullRequest: r.said.PullRequest, RunID: r.said.RunID,
		TestedCommit: r.said.TestedCommit, TestedTree: r.said.TestedTree, ResultTree: r.report.ResultTree, Commit: id, CommittedAt: made.at.Unix(),
		PolicySHA256: r.in.Policy.Digest, PatchSHA256: r.said.PatchSHA256, PackSHA256: digest, PackBytes: size,
	}
	for _, e := range r.said.Changed {
		out.Changed = append(out.Changed, e.Path)
	}
	return out, out.valid()
}

// LayObjects makes an object folder for what an accepted patch makes, which borrows from another.
func LayObjects(dir, borrowed string) error {
	if err := os.MkdirAll(filepath.Join(dir, "info"), 0o755); err != nil {
		return fmt.Errorf("make an object folder: %w", err)
	}
	if err := os.WriteFile(filepath.Join(dir, "info", "alternates"), []byte(borrowed+"\n"), 0o644); err != nil {
		return fmt.Errorf("make an object folder: %w", err)
	}
	return nil
}

// Entries lists a report's changed files as a candidate does, sorted by path.
func Entries(changed []checker.ChangedFile) []pipeline.Entry {
	list := []pipeline.Entry{}
	for _, c := range changed {
		list = append(list, pipeline.Entry{Path: c.Path, Before: c.Before, After: c.After})
	}
	slices.SortFunc(list, func(a, b pipeline.Entry) int { return strings.Compare(a.Path, b.Path) })
	return list
}
