package worker

import (
	"context"
	"errors"
	"time"

	"selffix/gates/github"
	"selffix/pipeline"
	"selffix/pipeline/publish"
)

// recheck judges the candidate anew behind the fence, with no secret, and makes commit and pack.
func recheck(ctx context.Context, w work) (pipeline.Outcome, error) {
	pol, id, err := w.forWhom()
	if err != nil {
		return pipeline.Outcome{}, err
	}
	in := publish.RecheckInput{
		// A target that a person named says the commit alone; the publisher knows the rest from its own gates.
		Identity: publish.Identity{RepositoryID: id.RepositoryID, PullRequest: id.PullRequest, RunID: id.RunID, TestedCommit: id.TestedCommit},
		Repo:     w.in(pipeline.InDir + "/objects.git"), Policy: pol, Now: time.Now(),
		Scratch: w.temp(), Pack: w.in(w.out("pack").Path),
	}
	if in.Candidate, err = readBounded(w.in(pipeline.InDir+"/candidate.json"), pipeline.MaxCandidateBytes); err != nil {
		return pipeline.Outcome{}, err
	}
	if in.Patch, err = readBounded(w.in(pipeline.InDir+"/fix.patch"), w.inLimit("in.patch")); err != nil {
		return pipeline.Outcome{}, err
	}
	r, err := publish.Recheck(ctx, in)
	if err != nil {
		return pipeline.Outcome{}, err
	}
	text, err := publish.WriteResult(r)
	if err != nil {
		return pipeline.Outcome{}, err
	}
	if err := w.writeOut("result.json", text); err != nil {
		return pipeline.Outcome{}, err
	}
	return goOn()
}

// inLimit is how many bytes the plan lets an input of the recheck job have.
func (w work) inLimit(ref pipeline.Ref) int64 {
	for _, in := range pipeline.Recheck().Inputs {
		if in.Ref == ref {
			return in.MaxBytes
		}
	}
	return 0
}

// publishStep holds the token that can push. Identity comes from the verdict that regate wrote in this job.
func publishStep(ctx context.Context, w work) (pipeline.Outcome, error) {
	pol, id, err := w.forWhom()
	if err != nil {
		return pipeline.Outcome{}, err
	}
	data, err := readBounded(w.in(pipeline.InDir+"/result.json"), publish.MaxResultBytes)
	if err != nil {
		return pipeline.Outcome{}, err
	}
	result, err := publish.ReadResult(data)
	if err != nil {
		return pipeline.Outcome{}, err
	}
	token, err := w.secret(pipeline.SecretGitHubWrite)
	if err != nil {
		return pipeline.Outcome{}, err
	}
	gh, err := github.New(github.Options{Policy: pol, Token: token, Repository: id.Repository, RepositoryID: id.RepositoryID})
	if err != nil {
		return pipeline.Outcome{}, err
	}
	defer gh.Close()
	in := publish.Input{Policy: pol, Target: id.Target, Result: result, Pack: w.in(pipeline.InDir + "/result.pack"), Now: time.Now()}
	receipt, err := publish.Publish(ctx, in, token, gh, publish.Wait)
	if receipt.Rule != "" {
		err = errors.Join(err, w.writeJSON("receipt.json", receipt))
	}
	if err != nil {
		return pipeline.Outcome{}, err
	}
	return goOn()
}
