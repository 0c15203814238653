package worker

import (
	"context"
	"errors"
	"fmt"
	"time"

	"selffix/gates"
	"selffix/gates/github"
	"selffix/internal/strictjson"
	"selffix/pipeline"
	"selffix/pipeline/publish"
)

// recheck judges the candidate anew behind the fence, with no secret, and makes commit and pack.
func recheck(ctx context.Context, w work) (pipeline.Outcome, error) {
	pol, err := w.policy()
	if err != nil {
		return pipeline.Outcome{}, err
	}
	in := publish.RecheckInput{
		Repo: w.in(pipeline.InDir + "/objects.git"), Policy: pol, Now: time.Now(),
		Scratch: w.temp(), Pack: w.in(w.out("pack").Path),
	}
	if in.Identity, err = eventIdentity(w.in(pipeline.InDir + "/event.json")); err != nil {
		return pipeline.Outcome{}, err
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

// eventIdentity reads what this run's event says, or what a person named in its place. What neither says is left to the
// publisher, which knows all of it from its own gates.
func eventIdentity(name string) (publish.Identity, error) {
	data, err := readBounded(name, github.MaxEventBytes)
	if err != nil {
		return publish.Identity{}, fmt.Errorf("%w: %w", ErrIdentity, err)
	}
	var t LocalTarget
	if strictjson.Unmarshal(data, &t) == nil && t.Schema == LocalSchema && gates.IsSHA(t.TestedCommit) {
		return publish.Identity{TestedCommit: t.TestedCommit}, nil
	}
	e, err := github.StatusEvent(data)
	if err != nil {
		return publish.Identity{}, fmt.Errorf("%w: %w", ErrIdentity, err)
	}
	return publish.Identity{RepositoryID: e.RepositoryID, TestedCommit: e.SHA}, nil
}

// publishStep holds the token that can push. Identity comes from the verdict that regate wrote in this job.
func publishStep(ctx context.Context, w work) (pipeline.Outcome, error) {
	pol, err := w.policy()
	if err != nil {
		return pipeline.Outcome{}, err
	}
	id, err := readIdentity(w.in(pipeline.InDir + "/verdict.json"))
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
