package demo

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"selffix/pipeline"
)

// ErrPlay marks a play that ended otherwise than it must.
var ErrPlay = errors.New("the play did not end as it must")

// Perform plays the loop from the red pull request to its end. An error comes with the act as far as it got.
func Perform[A any](ctx context.Context, st Stage[A], o Opened) (Act, error) {
	a := &actor[A]{st: st, o: o, act: Act{
		Play:   Play{Name: o.Play, Outcome: Undecided, TestedCommit: o.Head, Bot: []string{}, Review: []string{}, StoppedBy: []string{}, Steps: []Step{}},
		Detail: Detail{Doc: o.Doc},
	}}
	err := a.play(ctx)
	for _, r := range a.rows {
		a.act.Play.Steps = append(a.act.Play.Steps, *r)
	}
	// What GitHub shows belongs to the report of an interrupted play too.
	s, stateErr := ask[State](context.WithoutCancel(ctx), st.Call, MessageState, none{})
	if stateErr == nil {
		a.act.Play.Bot, a.act.Play.Review = s.Bot, s.Review
	}
	if err == nil && a.act.Play.Outcome == Pushed {
		st.Voice.Say("github", "%s on %.10s went %s", o.Context, a.act.Play.PushedCommit, strings.Join(s.Review, " → "))
	}
	return a.act, errors.Join(err, stateErr)
}

// actor plays one play.
type actor[A any] struct {
	st   Stage[A]
	o    Opened
	act  Act
	rows []*Step
}

func (a *actor[A]) play(ctx context.Context) error {
	a.st.Voice.Say("maintainer", "opened pull request #%d, which splits amounts anew: commit %.10s", a.o.Pull, a.o.Head)
	red, run, err := a.botTests(ctx, a.o.Head)
	if err != nil {
		return err
	}
	if run.State != "failure" {
		return fmt.Errorf("%w: the tests of the pull request are green", ErrPlay)
	}
	result, err := a.repair(ctx, red)
	if err != nil {
		return err
	}
	switch result.Outcome.Decision {
	case pipeline.Continue:
		a.act.Play.Outcome = Pushed
		return a.afterPush(ctx)
	case pipeline.Stop:
		a.act.Play.Outcome = Refused
	}
	return a.stoppedBy(ctx, result)
}

// botTests lets the stand-in for the test bot do its work: the application's own tests on a commit, and a verdict.
func (a *actor[A]) botTests(ctx context.Context, commit string) (Judged, TestRun, error) {
	row := a.begin("test-bot", nil, []string{string(pipeline.PullRequestCode)})
	a.st.Voice.Say("test-bot", "runs the application's tests on %.10s, behind the fence", commit)
	done := a.st.Voice.While("test-bot", "still testing")
	run, err := a.st.Test(ctx, commit)
	done()
	if err == nil {
		err = run.Check()
	}
	if err == nil && run.Commit != commit {
		err = fmt.Errorf("%w: the tests ran on %.12q, want %.12q", ErrControl, run.Commit, commit)
	}
	if err != nil {
		return Judged{}, run, err
	}
	j, err := ask[Judged](ctx, a.st.Call, MessageVerdict, run)
	if err != nil {
		return j, run, err
	}
	row.end(run.State)
	a.st.Voice.Say("test-bot", "%s: %d tests pass, failing: %s", run.State, run.Passed, list(run.Failing))
	return j, run, checkFiles(j.Tools)
}

// job is what a workflow's run gives to its plans.
type job[A any] map[pipeline.Ref]A

// start lays out what the plans take from outside: policy, event, the run's identity and its key.
func (a *actor[A]) start(ctx context.Context, s Started) (job[A], error) {
	in := job[A]{}
	for ref, text := range map[pipeline.Ref]string{"in.policy": a.o.Policy, "in.event": s.Event, "in.run": s.Run} {
		x, err := a.st.Give(ctx, ref, []byte(text))
		if err != nil {
			return nil, err
		}
		in[ref] = x
	}
	key, err := a.st.Key(ctx)
	in["in.run-key"] = key
	return in, err
}

// repair runs the jobs that the failing status starts, until one does not go on.
func (a *actor[A]) repair(ctx context.Context, red Judged) (pipeline.Result, error) {
	s, err := ask[Started](ctx, a.st.Call, MessageRun, none{})
	if err != nil {
		return pipeline.Result{}, err
	}
	s.Event = red.Event
	in, err := a.start(ctx, s)
	if err != nil {
		return pipeline.Result{}, err
	}
	_, result, err := a.run(ctx, pipeline.Gate(), in)
	if err != nil || result.Outcome.Decision != pipeline.Continue {
		return result, err
	}
	have, result, err := a.fix(ctx, in, red.Tools)
	if err != nil || result.Outcome.Decision != pipeline.Continue {
		return result, errors.Join(err, a.readFindings(ctx, have))
	}
	in["in.candidate"], in["in.patch"] = have["check.candidate"], have["check.patch"]
	if err := a.readChanged(ctx, have["check.candidate"]); err != nil {
		return result, err
	}
	have, result, err = a.run(ctx, pipeline.Recheck(), in)
	if err != nil || result.Outcome.Decision != pipeline.Continue {
		return result, err
	}
	in["in.result"], in["in.pack"] = have["recheck.result"], have["recheck.pack"]
	have, result, err = a.run(ctx, pipeline.Push(), in)
	if err != nil || result.Outcome.Decision != pipeline.Continue {
		return result, err
	}
	return result, a.receipt(ctx, have["publish.receipt"])
}

// run runs the plan of one job.
func (a *actor[A]) run(ctx context.Context, p pipeline.Plan, in job[A]) (map[pipeline.Ref]A, pipeline.Result, error) {
	given := make(map[pipeline.Ref]A)
	for _, i := range p.Inputs {
		given[i.Ref] = in[i.Ref]
	}
	return pipeline.Run(ctx, p, recorder[A]{a, a.st.Steps(p)}, given)
}

// fix runs the fix job in two parts. Between them lies the one step that is not run: it installs the bot's command line from a
// registry, and the stand-in's is handed out instead.
func (a *actor[A]) fix(ctx context.Context, in job[A], tools []File) (map[pipeline.Ref]A, pipeline.Result, error) {
	if _, err := ask[none](ctx, a.st.Call, MessageFix, none{}); err != nil {
		return nil, pipeline.Result{}, err
	}
	p := pipeline.Fix()
	ip := recorder[A]{a, a.st.Steps(p)}
	have, result, err := pipeline.RunPart(ctx, p, "fix-regate", "fix-regate", ip, in)
	if err != nil || result.Outcome.Decision != pipeline.Continue {
		return have, result, err
	}
	step, _ := p.Step("bot-tools")
	row := a.beginStep(step)
	if have[step.Ref("tools")], err = a.st.Folder(ctx, tools); err != nil {
		return have, result, err
	}
	row.end(string(pipeline.Continue))
	a.st.Voice.Say(string(step.Name), "the stand-in's command line needs no install")
	return pipeline.RunPart(ctx, p, "evidence-fetch", "check", ip, have)
}

// afterPush lets the bot test the new commit and the maintainer review it.
func (a *actor[A]) afterPush(ctx context.Context) error {
	_, again, err := a.botTests(ctx, a.act.Play.PushedCommit)
	if err != nil {
		return err
	}
	if again.State != "success" {
		return fmt.Errorf("%w: the tests of the pushed commit fail: %s", ErrPlay, list(again.Failing))
	}
	row := a.begin("maintainer", nil, nil)
	s, err := ask[Started](ctx, a.st.Call, MessageLabel, none{})
	if err != nil {
		return err
	}
	row.end("labelled")
	a.st.Voice.Say("maintainer", "read the change and set the label %s", a.o.Label)
	in, err := a.start(ctx, s)
	if err != nil {
		return err
	}
	_, _, err = a.run(ctx, pipeline.Review(pipeline.ReviewByToken), in)
	return err
}
