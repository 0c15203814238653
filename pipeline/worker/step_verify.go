package worker

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"

	"selffix/checker"
	"selffix/internal/scratch"
	"selffix/pipeline"
	"selffix/pipeline/agent"
	"selffix/pipeline/fence"
	"selffix/pipeline/publish"
	"selffix/pipeline/verify"
)

// verifyReasons are the ends of the three steps of verify; how the check itself ended is verify.Outcome's to say.
func verifyReasons() []reason {
	return []reason{
		{verify.ErrChanged, pipeline.Stop, verify.RuleChanged, "the pull request's package or lock files are not the default branch's, so its code is not run"},
		{verify.ErrPackages, pipeline.Undecided, verify.RulePackages, "the project's packages cannot be installed from the default branch's lockfile"},
		{verify.ErrApart, pipeline.Undecided, verify.RuleApart, "this machine cannot keep the project's own code apart in full, so it is not run; self-fix fence --explain says what is missing"},
		{verify.ErrCommand, pipeline.Undecided, verify.RuleCommand, "the program of verify.command is not there"},
		{verify.ErrOff, pipeline.Undecided, verify.RuleOff, "the policy does not enable verify"},
	}
}

// verifyTree judges the patch once more, so that the tree it writes is one that the checker accepts, and the one that the
// candidate names.
func verifyTree(ctx context.Context, w work) (pipeline.Outcome, error) {
	pol, id, err := w.forWhom()
	if err != nil {
		return pipeline.Outcome{}, err
	}
	patch, c, err := w.accepted()
	if err != nil {
		return pipeline.Outcome{}, err
	}
	repo := w.in(pipeline.InDir + "/objects.git")
	objects := filepath.Join(w.temp(), "objects")
	if err := publish.LayObjects(objects, filepath.Join(repo, "objects")); err != nil {
		return pipeline.Outcome{}, err
	}
	r, err := checker.Check(ctx, checker.Input{
		Repo: repo, Base: id.TestedCommit, Policy: pol, Patch: patch, Objects: objects, Scratch: scratch.Options{Parent: w.temp()},
	})
	if err != nil {
		return pipeline.Outcome{}, err
	}
	if r.Verdict != checker.Accept || r.ResultTree != c.ResultTree || r.BaseTree != c.TestedTree || c.TestedCommit != id.TestedCommit {
		return pipeline.Outcome{}, fmt.Errorf("%w: the tree to verify is not the one that was accepted", ErrCheck)
	}
	dst := w.in(w.out("tree").Path)
	if err := os.Mkdir(dst, 0o755); err != nil {
		return pipeline.Outcome{}, fmt.Errorf("make a folder for the tree: %w", err)
	}
	links, err := verify.Tree(ctx, verify.TreeInput{
		Objects: objects, Tree: r.ResultTree, Packages: w.in(pipeline.InDir + "/packages"), Dst: dst, Scratch: w.temp(),
	})
	if err != nil {
		return pipeline.Outcome{}, err
	}
	if err := w.leaveLinks(links); err != nil {
		return pipeline.Outcome{}, err
	}
	return goOn()
}

// accepted reads the patch and the candidate that check handed on, which belong together.
func (w work) accepted() ([]byte, pipeline.Candidate, error) {
	check, err := find("check")
	if err != nil {
		return nil, pipeline.Candidate{}, err
	}
	patch, err := readBounded(w.in(pipeline.InDir+"/fix.patch"), work{step: check}.out("patch").MaxBytes)
	if err != nil {
		return nil, pipeline.Candidate{}, err
	}
	data, err := readBounded(w.in(pipeline.InDir+"/candidate.json"), pipeline.MaxCandidateBytes)
	if err != nil {
		return nil, pipeline.Candidate{}, err
	}
	c, err := pipeline.ReadCandidate(data)
	if err != nil {
		return nil, pipeline.Candidate{}, err
	}
	if sum := sha256.Sum256(patch); c.PatchSHA256 != hex.EncodeToString(sum[:]) {
		return nil, pipeline.Candidate{}, fmt.Errorf("%w: the patch is not the one that the candidate names", ErrCheck)
	}
	return patch, c, nil
}

// verifyTools installs before any code of the pull request runs, and sees nothing of it.
func verifyTools(ctx context.Context, w work) (pipeline.Outcome, error) {
	lock, err := readBounded(filepath.Join(w.in(pipeline.InDir+"/packages"), verify.LockName), agent.MaxLockBytes)
	if err != nil {
		return pipeline.Outcome{}, fmt.Errorf("%w: %w", verify.ErrPackages, err)
	}
	modules := w.in(w.out("modules").Path)
	in := agent.Installer{Source: w.source(), Getenv: w.Getenv}
	if err := in.BringProject(ctx, lock, filepath.Dir(modules)); err != nil {
		return pipeline.Outcome{}, fmt.Errorf("%w: %w", verify.ErrPackages, err)
	}
	return goOn()
}

// runVerify runs the policy's command behind the fence. The outcome is made here, from how the command ended: nothing that
// it wrote is read.
func runVerify(ctx context.Context, w work) (pipeline.Outcome, error) {
	pol, err := w.policy()
	if err != nil {
		return pipeline.Outcome{}, err
	}
	f := verify.Folders{Checkout: w.in(pipeline.CheckoutDir), Scratch: w.in(ScratchDir), Home: w.home(), Temp: w.temp()}
	o, err := verify.Command(pol, f, w.step.Limits)
	if err != nil {
		return pipeline.Outcome{}, err
	}
	if err := os.WriteFile(f.PreloadPath(), verify.Preload, 0o644); err != nil {
		return pipeline.Outcome{}, fmt.Errorf("lay the check out: %w", err)
	}
	o.Helper, o.Demand = w.Helper, w.demand(os.DirFS("/proc"))
	// Servers of test runners look localhost up, even if they never listen.
	o.Read = append(append(programs(), present("/etc/hosts")...), o.Read...)
	ended, err := fence.Run(ctx, o)
	if err != nil {
		return pipeline.Outcome{}, verify.Refused(err)
	}
	result, outcome := verify.Outcome(ended)
	if err := w.writeJSON("verify.json", result); err != nil {
		return pipeline.Outcome{}, err
	}
	return outcome, nil
}
