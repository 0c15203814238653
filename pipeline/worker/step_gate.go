package worker

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"selffix/gates"
	"selffix/gates/github"
	"selffix/internal/tokens"
	"selffix/pipeline"
)

// ErrSecrets marks secrets that are not the ones of one way to post the review status.
var ErrSecrets = errors.New("want the status token alone, or a reading token and the review app's key")

// caller reads what the step was given of this run. The job is the step's own, never what a file says.
func (w work) caller(token pipeline.SecretName) (Caller, error) {
	pol, err := w.policy()
	if err != nil {
		return Caller{}, err
	}
	data, err := readBounded(w.in(pipeline.InDir+"/run.json"), pipeline.MaxRunBytes)
	if err != nil {
		return Caller{}, fmt.Errorf("%w: %w", pipeline.ErrRun, err)
	}
	run, err := pipeline.ReadRun(data)
	if err != nil {
		return Caller{}, err
	}
	event, err := readBounded(w.in(pipeline.InDir+"/event.json"), github.MaxEventBytes)
	if err != nil {
		return Caller{}, fmt.Errorf("%w: %w", ErrEvent, err)
	}
	return Caller{
		Policy: pol, Run: gates.Run{ID: run.RunID, Attempt: run.Attempt, Job: w.step.Job}, EventName: run.EventName, Event: event,
		Token: func() (tokens.Token, error) { return w.secret(token) },
	}, nil
}

func gateStep(ctx context.Context, w work) (pipeline.Outcome, error) {
	c, err := w.caller(pipeline.SecretGitHubRead)
	if err != nil {
		return pipeline.Outcome{}, err
	}
	v, err := Gate(ctx, c)
	if err != nil {
		return pipeline.Outcome{}, err
	}
	return w.verdict(v)
}

// reviewStep posts by the secrets that lie there: which ones may, the plan says, and the policy must agree.
func reviewStep(ctx context.Context, w work) (pipeline.Outcome, error) {
	status, err := w.granted(pipeline.SecretGitHubStatus)
	if err != nil {
		return pipeline.Outcome{}, err
	}
	app, err := w.granted(pipeline.SecretReviewAppKey)
	if err != nil {
		return pipeline.Outcome{}, err
	}
	if status == app {
		return pipeline.Outcome{}, ErrSecrets
	}
	token, key := pipeline.SecretGitHubStatus, (func() ([]byte, error))(nil)
	if app {
		token = pipeline.SecretGitHubRead
		key = func() ([]byte, error) {
			return readBounded(w.in(pipeline.SecretDir+"/"+string(pipeline.SecretReviewAppKey)), github.MaxKeyBytes)
		}
	}
	c, err := w.caller(token)
	if err != nil {
		return pipeline.Outcome{}, err
	}
	v, err := ReviewGate(ctx, c, key)
	if err != nil {
		return pipeline.Outcome{}, err
	}
	return w.verdict(v)
}

// granted reports whether a secret was mounted.
func (w work) granted(name pipeline.SecretName) (bool, error) {
	_, err := os.Lstat(w.in(pipeline.SecretDir + "/" + string(name)))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}

// verdict hands a verdict on. Only "act" goes on.
func (w work) verdict(v gates.Verdict) (pipeline.Outcome, error) {
	text, err := v.JSON()
	if err != nil {
		return pipeline.Outcome{}, err
	}
	if err := w.writeOut("verdict.json", text); err != nil {
		return pipeline.Outcome{}, err
	}
	o := pipeline.Outcome{Rule: v.Rule, Reason: v.Reason}
	switch v.Decision {
	case gates.Act:
		o.Decision = pipeline.Continue
	case gates.Nothing:
		o.Decision = pipeline.Stop
	}
	return o, nil
}
