package worker

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"selffix/checker"
	"selffix/internal/scratch"
	"selffix/pipeline"
	"selffix/pipeline/checkout"
	"selffix/pipeline/diff"
	"selffix/pipeline/evidence"
	"selffix/pipeline/policy"
	"selffix/pipeline/proxy"
	"selffix/pipeline/publish"
	"selffix/pipeline/tree"
)

// ErrCheck marks parts of a change that do not fit together.
var ErrCheck = errors.New("two readings of the change disagree")

// facts is what the check step reads beside the patch.
type facts struct {
	id          identity
	policy      policy.Policy
	patch       []byte
	trees       checkout.Trees
	inventories diff.Result
	summary     Summary
	meter       proxy.Meter
	claimed     bool // the report had no window to be held to
}

func readBounded(name string, limit int64) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", filepath.Base(name), err)
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", filepath.Base(name), err)
	}
	if int64(len(data)) > limit {
		return nil, fmt.Errorf("read %s: more than %d bytes", filepath.Base(name), limit)
	}
	return data, nil
}

func (w work) facts() (facts, error) {
	var f facts
	var err error
	if f.policy, f.id, err = w.forWhom(); err != nil {
		return f, err
	}
	f.claimed = f.id.local
	if f.patch, err = readBounded(w.in(pipeline.InDir+"/fix.patch"), w.out("patch").MaxBytes); err != nil {
		return f, err
	}
	err = errors.Join(
		w.readJSON("trees.json", &f.trees), w.readJSON("inventories.json", &f.inventories),
		w.readJSON("summary.json", &f.summary), w.readJSON("meter.json", &f.meter),
	)
	if err != nil {
		return f, err
	}
	if f.trees.Commit != f.id.TestedCommit {
		return f, fmt.Errorf("%w: the commit is not the one that the verdict names", ErrCheck)
	}
	return f, nil
}

// check judges the patch, and makes the candidate of one that is accepted.
func check(ctx context.Context, w work) (pipeline.Outcome, error) {
	f, err := w.facts()
	if err != nil {
		return pipeline.Outcome{}, err
	}
	repo := w.in(pipeline.InDir + "/objects.git")
	objects := filepath.Join(w.temp(), "objects")
	if err := publish.LayObjects(objects, filepath.Join(repo, "objects")); err != nil {
		return pipeline.Outcome{}, err
	}
	r, err := checker.Check(ctx, checker.Input{
		Repo: repo, Base: f.id.TestedCommit, Policy: f.policy, Patch: f.patch, Objects: objects, Scratch: scratch.Options{Parent: w.temp()},
	})
	if err != nil {
		return pipeline.Outcome{}, err
	}
	if r.Findings == nil {
		r.Findings = []checker.Finding{}
	}
	if err := w.writeJSON("report.json", r); err != nil {
		return pipeline.Outcome{}, err
	}
	switch r.Verdict {
	case checker.Accept:
		return w.candidate(ctx, f, r, objects)
	case checker.Refuse:
		return refusal(r), nil
	}
	return pipeline.Outcome{}, fmt.Errorf("%w: the checker gave no verdict", checker.ErrUndecided)
}

// refusal names the first rule; the report has all of them.
func refusal(r checker.Report) pipeline.Outcome {
	rules := make(map[checker.RuleID]bool)
	for _, f := range r.Findings {
		rules[f.Rule] = true
	}
	o := pipeline.Outcome{Decision: pipeline.Stop, Rule: "SF-CHECK-001", Reason: fmt.Sprintf("the checker refuses the patch by %d rules", len(rules))}
	if len(r.Findings) > 0 {
		o.Rule = string(r.Findings[0].Rule)
	}
	return o
}

// candidate compares the checker's reading with the one of the safe copy, and writes what is handed on.
func (w work) candidate(ctx context.Context, f facts, r checker.Report, objects string) (pipeline.Outcome, error) {
	changed := publish.Entries(r.Changed)
	if r.BaseTree != f.trees.TestedTree || !slices.Equal(changed, f.inventories.Changed) {
		return pipeline.Outcome{}, fmt.Errorf("%w: the checker sees another change than the safe copy", ErrCheck)
	}
	before, after, err := w.listings(ctx, objects, r)
	if err != nil {
		return pipeline.Outcome{}, err
	}
	sum := sha256.Sum256(f.patch)
	c := pipeline.Candidate{
		Schema: pipeline.CandidateSchema, Sandbox: f.policy.Sandbox,
		RepositoryID: f.id.RepositoryID, PullRequest: f.id.PullRequest, RunID: f.id.RunID,
		TestedCommit: f.id.TestedCommit, TestedTree: f.trees.TestedTree, ScrubbedTree: f.trees.ScrubbedTree, PolicySHA256: f.policy.Digest,
		PatchSHA256: hex.EncodeToString(sum[:]), PatchBytes: int64(len(f.patch)), ResultTree: r.ResultTree,
		Before: before.Inventory(), After: after.Inventory(), Changed: changed,
		Check:        pipeline.Check{Verdict: string(r.Verdict)},
		ClaimedTurns: f.summary.Turns, ClaimedCostUSD: f.meter.CostUSD, ClaimedSelfTest: f.summary.SelfTest, ClaimedEvidence: evidenceClaim(f),
	}
	text, err := pipeline.WriteCandidate(c)
	if err != nil {
		return pipeline.Outcome{}, err
	}
	if err := errors.Join(w.writeOut("fix.patch", f.patch), w.writeOut("candidate.json", text)); err != nil {
		return pipeline.Outcome{}, err
	}
	return goOn()
}

// evidenceClaim says what the repair rests on: a run that was held to the window, or what a person brought.
func evidenceClaim(f facts) string {
	if f.claimed {
		return evidence.SourceFile + " given by a person"
	}
	return "run of the test bot in the window of the gates"
}

// listings lists the tested and the result tree, from objects alone.
func (w work) listings(ctx context.Context, objects string, r checker.Report) (before, after tree.Listing, err error) {
	f, err := scratch.Open(scratch.Repository{Objects: objects}, scratch.Options{Parent: w.temp()})
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	if before, err = tree.FromGit(ctx, f, r.BaseTree); err != nil {
		return nil, nil, err
	}
	after, err = tree.FromGit(ctx, f, r.ResultTree)
	return before, after, err
}
