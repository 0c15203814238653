package main

import (
	"context"
	"errors"

	"selffix/dagger/internal/dagger"
	"selffix/pipeline"
)

// Repair is what the agent left: nobody may look at it before it was checked. "check" is the only way to it.
type Repair struct {
	// The outcome and, if the agent changed something, the patch and what it is checked against.
	//
	// +private
	Left *dagger.Directory
}

// Agent lets the agent edit the tree, and takes the change as a patch: ask its result for "check".
//
// Each of these is a container of its own: one installs the pinned agent; one holds the model token and is the model's only
// client; one runs the agent behind the fence, without a secret, with one relayed stream to that client; one asks the client what
// it counted; one makes the patch from a safe copy of what was left. The call takes no secret of GitHub's or the test bot's.
//
// +cache="never"
func (m *SelfFix) Agent(
	ctx context.Context,
	// The policy: .github/self-fix.yaml of the default branch
	policy *dagger.File,
	// The verdict of gate in this job, as JSON
	verdict *dagger.File,
	// The folder that checkout returned
	tree *dagger.Directory,
	// The bundle that evidence returned
	bundle *dagger.File,
	// The model's token
	modelToken *dagger.Secret,
) (*Repair, error) {
	i, err := m.interpreter(ctx, policy, secrets{pipeline.SecretModel: modelToken})
	if err != nil {
		return nil, err
	}
	in := map[pipeline.Ref]artifact{
		"in.policy": given(policy), "in.run-key": runKey(), "fix-regate.verdict": given(verdict), "evidence-read.bundle": given(bundle),
		"fetch.objects":     {dir: tree.Directory("objects.git")},
		"materialise.tree":  {dir: tree.Directory("tree")},
		"materialise.trees": given(tree.File("trees.json")),
	}
	have, result, err := i.steps(ctx, pipeline.Fix(), "tools", "diff", in)
	if err != nil {
		return nil, err
	}
	left, err := folder(result.Outcome, have, repairFiles())
	if err != nil {
		return nil, err
	}
	return &Repair{Left: left}, nil
}

// repairFiles are what the check is given, by their names in the private folder.
func repairFiles() map[string]pipeline.Ref {
	return map[string]pipeline.Ref{
		"policy": "in.policy", "verdict": "fix-regate.verdict", "objects": "fetch.objects", "trees": "materialise.trees",
		"patch": "diff.patch", "inventories": "diff.inventories", "summary": "agent.summary", "meter": "model-proxy.meter",
	}
}

// Check judges the patch against the tested tree, and returns it only if every rule accepts it.
//
// It runs in a container of its own, without a secret and behind the fence. The folder has
// outcome.json and report.json and, only if every rule accepts the patch, candidate.json and fix.patch.
//
// +cache="never"
func (r *Repair) Check(
	ctx context.Context,
	// A folder of the default branch, if the policy says "verify.enabled: true": its package and lock files are what the project's own
	// check is installed from, which then runs on the repaired tree, and may stop the repair
	// +optional
	packages *dagger.Directory,
) (*dagger.Directory, error) {
	text, err := r.Left.File(outcomeName).Contents(ctx)
	if err != nil {
		return nil, err
	}
	outcome, err := pipeline.ReadOutcome([]byte(text))
	if err != nil {
		return nil, err
	}
	if outcome.Decision != pipeline.Continue {
		return folder(outcome, nil, nil) // the agent changed nothing, or too much: there is nothing to judge
	}
	in := map[pipeline.Ref]artifact{}
	for name, ref := range repairFiles() {
		in[ref] = artifact{file: r.Left.File(name)}
	}
	in["fetch.objects"] = artifact{dir: r.Left.Directory("objects")}
	i, err := (&SelfFix{}).interpreter(ctx, r.Left.File("policy"), nil)
	if err != nil {
		return nil, err
	}
	plan, last, err := verified(i.policy.Verify.Enabled, pipeline.Fix, pipeline.FixWithVerify, packages, in)
	if err != nil {
		return nil, err
	}
	have, result, err := i.steps(ctx, plan, "check", last, in)
	if err != nil {
		return nil, err
	}
	return checked(result.Outcome, have)
}

// errPackages marks a policy that wants the project's own check, in a call that does not bring what it is installed from.
var errPackages = errors.New("the policy says verify.enabled: true; give the default branch's package and lock files as packages")

// verified is the plan under a policy, with its last step, and adds what that needs.
func verified(verify bool, without, with func() pipeline.Plan, packages *dagger.Directory, in map[pipeline.Ref]artifact) (pipeline.Plan, pipeline.StepName, error) {
	if !verify {
		return without(), "check", nil
	}
	if packages == nil {
		return pipeline.Plan{}, "", errPackages
	}
	in["in.packages"] = artifact{dir: packages}
	plan := with()
	return plan, plan.Steps[len(plan.Steps)-1].Name, nil
}

// checked is the folder of a repair that was judged. A patch is in it only if nothing stopped it.
func checked(o pipeline.Outcome, have map[pipeline.Ref]artifact) (*dagger.Directory, error) {
	files := map[string]pipeline.Ref{"report.json": "check.report"}
	if o.Decision == pipeline.Continue {
		files["candidate.json"], files["fix.patch"] = "check.candidate", "check.patch"
	}
	return folder(o, have, files)
}
