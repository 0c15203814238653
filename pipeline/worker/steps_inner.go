package worker

import (
	"context"
	"errors"
	"fmt"
	"os"

	"selffix/pipeline"
	"selffix/pipeline/checkout"
	"selffix/pipeline/diff"
	"selffix/pipeline/evidence"
	"selffix/pipeline/tree"
)

// innerSteps run behind the fence only.
func innerSteps() map[pipeline.StepName]doer {
	return map[pipeline.StepName]doer{
		"evidence-read": evidenceRead, "evidence-file": evidenceFile, "fetch-local": fetchLocal,
		"materialise": materialise, "diff": makeDiff, "check": check, "recheck": recheck,
		"verify-tree": verifyTree,
	}
}

func evidenceRead(_ context.Context, w work) (pipeline.Outcome, error) {
	id, err := readIdentity(w.in(pipeline.InDir + "/verdict.json"))
	if err != nil {
		return pipeline.Outcome{}, err
	}
	return w.bundle(evidence.Read(w.in(pipeline.InDir+"/report"), id.Evidence))
}

func evidenceFile(_ context.Context, w work) (pipeline.Outcome, error) {
	return w.bundle(evidence.ReadFile(w.in(pipeline.InDir + "/report")))
}

func (w work) bundle(b evidence.Bundle, err error) (pipeline.Outcome, error) {
	if err != nil {
		return pipeline.Outcome{}, err
	}
	text, err := evidence.Write(b)
	if err != nil {
		return pipeline.Outcome{}, err
	}
	if err := w.writeOut("bundle.json", text); err != nil {
		return pipeline.Outcome{}, err
	}
	return goOn()
}

func fetchLocal(ctx context.Context, w work) (pipeline.Outcome, error) {
	id, err := readIdentity(w.in(pipeline.InDir + "/verdict.json"))
	if err != nil {
		return pipeline.Outcome{}, err
	}
	o := w.out("objects")
	if err := checkout.FetchLocal(ctx, w.in(pipeline.InDir+"/repository"), id.TestedCommit, w.in(o.Path), w.temp(), o.MaxBytes); err != nil {
		return pipeline.Outcome{}, err
	}
	return goOn()
}

func materialise(ctx context.Context, w work) (pipeline.Outcome, error) {
	id, err := readIdentity(w.in(pipeline.InDir + "/verdict.json"))
	if err != nil {
		return pipeline.Outcome{}, err
	}
	trees, err := checkout.Materialise(ctx, w.in(pipeline.InDir+"/objects.git/objects"), id.TestedCommit, w.in(pipeline.CheckoutDir),
		checkout.Options{Scratch: w.temp(), Limits: tree.DefaultLimits()})
	if err != nil {
		return pipeline.Outcome{}, err
	}
	if err := errors.Join(w.writeJSON("trees.json", trees), w.leaveLinks(trees.Links)); err != nil {
		return pipeline.Outcome{}, err
	}
	return goOn()
}

// maxChangedPaths bounds a change before the checker looks at it; no policy comes near it.
const maxChangedPaths = 1000

func makeDiff(ctx context.Context, w work) (pipeline.Outcome, error) {
	var trees checkout.Trees
	if err := w.readJSON("trees.json", &trees); err != nil {
		return pipeline.Outcome{}, err
	}
	copied := w.in(pipeline.OutDir + "/tree")
	if err := os.Mkdir(copied, 0o755); err != nil {
		return pipeline.Outcome{}, fmt.Errorf("make a folder for the copy: %w", err)
	}
	r, err := diff.Make(ctx, diff.Options{
		Before: w.in(pipeline.InDir + "/before"), After: w.in(pipeline.InDir + "/after"), Links: trees.LinkTargets(),
		Copy: copied, Scratch: w.temp(), Limits: tree.DefaultLimits(), Bytes: w.out("patch").MaxBytes, Changes: maxChangedPaths,
	})
	if err != nil {
		return pipeline.Outcome{}, err
	}
	if r.Before.Tree != trees.ScrubbedTree {
		return pipeline.Outcome{}, fmt.Errorf("%w: the tree before is not the one that was written", ErrCheck)
	}
	if err := errors.Join(w.writeOut("fix.patch", r.Patch), w.writeJSON("inventories.json", r)); err != nil {
		return pipeline.Outcome{}, err
	}
	return goOn()
}
