package demo

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"selffix/checker"
	"selffix/internal/ghfake"
	"selffix/internal/play"
	"selffix/internal/visible"
	"selffix/pipeline"
	"selffix/pipeline/proxy"
	"selffix/pipeline/publish"
)

// ErrPlay marks a play that ended otherwise than it must.
var ErrPlay = errors.New("the play did not end as it must")

// Blocked is one thing that a layer stopped, for people.
type Blocked struct {
	Layer string // "tools", "settings", "fence", "checker"
	What  string // the call, or the rule with its place; untrusted
}

// Detail is what a page shows of a play beside its report.
type Detail struct {
	Doc      string
	Blocked  []Blocked
	Findings []checker.Finding
	Changed  []string // files of the pushed patch
}

// ended is how one play ended.
type ended struct {
	play   Play
	detail Detail
}

// run plays the loop from the red pull request to its end.
func (s *stage) run(ctx context.Context) (ended, error) {
	e := ended{
		play:   Play{Name: s.play.Name, Outcome: Undecided, TestedCommit: s.pull.Head(), Bot: []string{}, Review: []string{}, StoppedBy: []string{}},
		detail: Detail{Doc: s.play.Doc},
	}
	tested, status, err := s.botTests(ctx)
	if err != nil {
		return s.finish(e), err
	}
	if tested.state != "failure" {
		return s.finish(e), fmt.Errorf("%w: the tests of the pull request are green", ErrPlay)
	}
	if err := s.writeAnswers(tested); err != nil {
		return s.finish(e), err
	}
	result, err := s.repair(ctx, &e, s.repo.StatusEvent(status))
	if err != nil {
		return s.finish(e), err
	}
	e.play.Outcome = outcomeOf(result)
	if e.play.Outcome != Pushed {
		e.play.StoppedBy = s.stoppedBy(&e, result)
		return s.finish(e), nil
	}
	return s.afterPush(ctx, e)
}

func outcomeOf(r pipeline.Result) string {
	switch r.Outcome.Decision {
	case pipeline.Continue:
		return Pushed
	case pipeline.Stop:
		return Refused
	}
	return Undecided
}

// repair runs the jobs that the failing status starts, until one does not go on.
func (s *stage) repair(ctx context.Context, e *ended, event []byte) (pipeline.Result, error) {
	s.startRun()
	in, err := s.given(event, pipeline.ThisRun{RunID: s.runID, Attempt: 1, EventName: "status"})
	if err != nil {
		return pipeline.Result{}, err
	}
	_, result, err := s.job(ctx, pipeline.Gate(), in)
	if err != nil || result.Outcome.Decision != pipeline.Continue {
		return result, err
	}
	have, result, err := s.job(ctx, pipeline.Fix(), in)
	if err != nil || result.Outcome.Decision != pipeline.Continue {
		return result, errors.Join(err, e.readFindings(have))
	}
	in["in.candidate"], in["in.patch"] = have["check.candidate"], have["check.patch"]
	if err := e.readChanged(have["check.candidate"]); err != nil {
		return result, err
	}
	have, result, err = s.job(ctx, pipeline.Recheck(), in)
	if err != nil || result.Outcome.Decision != pipeline.Continue {
		return result, err
	}
	in["in.result"], in["in.pack"] = have["recheck.result"], have["recheck.pack"]
	have, result, err = s.job(ctx, pipeline.Push(), in)
	if err != nil || result.Outcome.Decision != pipeline.Continue {
		return result, err
	}
	e.play.PushedCommit, err = s.receipt(have["publish.receipt"])
	return result, err
}

// job runs the plan of one job, which GitHub's record of the run shows as in progress.
func (s *stage) job(ctx context.Context, p pipeline.Plan, in map[pipeline.Ref]string) (map[pipeline.Ref]string, pipeline.Result, error) {
	if p.Name == pipeline.PlanFix {
		s.repo.EditRun(s.runID, func(r *ghfake.Run) {
			r.Jobs = append(r.Jobs, ghfake.Job{Name: ghfake.FixJob(s.pull.Number), Status: "in_progress", Runner: "GitHub Actions 2"})
		})
	}
	given := make(map[pipeline.Ref]string)
	for _, i := range p.Inputs {
		given[i.Ref] = in[i.Ref]
	}
	return pipeline.Run(ctx, p, interpreter{s}, given)
}

// startRun records the workflow's run that the status starts. The gates demand to find their own.
func (s *stage) startRun() {
	s.runID = s.repo.AddRun(ghfake.Run{Path: workflow, Event: "status", Status: "in_progress", Actor: s.bot,
		Jobs: []ghfake.Job{{Name: pipeline.JobGate, Status: "in_progress", Runner: "GitHub Actions 1"}}})
}

// given lays out what the plans take from outside: policy, event, the run's identity and its key. The lockfile is not used, as the
// stand-in for the bot's command line needs no install.
func (s *stage) given(event []byte, run pipeline.ThisRun) (map[pipeline.Ref]string, error) {
	key, err := proxy.NewKey(nil)
	if err != nil {
		return nil, err
	}
	identity, err := pipeline.WriteRun(run)
	if err != nil {
		return nil, err
	}
	dir := filepath.Dir(s.policyFile)
	in := map[pipeline.Ref]string{"in.policy": s.policyFile}
	for ref, data := range map[pipeline.Ref][]byte{"in.event": event, "in.run": identity, "in.run-key": []byte(key.Reveal()), "in.bot-lockfile": []byte("{}")} {
		in[ref] = filepath.Join(dir, string(ref))
		if err := write(in[ref], data, 0o600); err != nil {
			return nil, err
		}
	}
	return in, nil
}

// receipt reads what the publisher says, and compares it with what GitHub serves.
func (s *stage) receipt(name string) (string, error) {
	data, err := os.ReadFile(name)
	if err != nil {
		return "", err
	}
	var r publish.Receipt
	if err := json.Unmarshal(data, &r); err != nil {
		return "", err
	}
	if head := s.pull.Head(); !r.Pushed || r.Commit != head {
		return "", fmt.Errorf("%w: the receipt says %.12q and the branch names %.12q", ErrPlay, r.Commit, head)
	}
	return r.Commit, nil
}

// afterPush lets the bot test the new commit and the maintainer review it.
func (s *stage) afterPush(ctx context.Context, e ended) (ended, error) {
	s.voice.say("github", "pull request #%d now ends in %.10s; %s is %s", s.pull.Number, e.play.PushedCommit,
		s.policy.Review.Context, strings.Join(s.reviewStates(e.play.PushedCommit), ", "))
	again, _, err := s.botTests(ctx)
	if err != nil {
		return s.finish(e), err
	}
	if again.state != "success" {
		return s.finish(e), fmt.Errorf("%w: the tests of the pushed commit fail: %s", ErrPlay, list(again.failing))
	}
	row := s.begin("maintainer", nil, nil)
	s.gh.Clock.Advance(time.Minute) // a person reads the change first
	s.pull.Label(s.maintainer, s.policy.Review.Label)
	row.end("labelled")
	s.voice.say("maintainer", "read the change and set the label %s", s.policy.Review.Label)
	// The review gate counts no runs, so any id is one.
	in, err := s.given(s.pull.Event("labeled", s.maintainer), pipeline.ThisRun{RunID: s.runID + 1, Attempt: 1, EventName: "pull_request_target"})
	if err != nil {
		return s.finish(e), err
	}
	if _, _, err := s.job(ctx, pipeline.Review(pipeline.ReviewByToken), in); err != nil {
		return s.finish(e), err
	}
	e = s.finish(e)
	s.voice.say("github", "%s on %.10s went %s", s.policy.Review.Context, e.play.PushedCommit, strings.Join(e.play.Review, " → "))
	return e, nil
}

// finish takes rows and states, as far as the play came.
func (s *stage) finish(e ended) ended {
	e.play.Steps = []Step{}
	for _, r := range s.rows {
		e.play.Steps = append(e.play.Steps, *r)
	}
	e.play.Bot = []string{}
	for _, sha := range []string{e.play.TestedCommit, e.play.PushedCommit} {
		if states := s.repo.Statuses(sha, s.policy.Bot.Context); sha != "" && len(states) > 0 {
			e.play.Bot = append(e.play.Bot, states[len(states)-1].State)
		}
	}
	e.play.Review = s.reviewStates(e.play.PushedCommit)
	return e
}

// reviewStates are the states of the review status on a commit, adjacent repeats dropped.
func (s *stage) reviewStates(sha string) []string {
	states := []string{}
	for _, x := range s.repo.Statuses(sha, s.policy.Review.Context) {
		states = append(states, x.State)
	}
	return slices.Compact(states)
}

// stoppedBy names each layer that stopped something: what answered the model's calls, then what ended the run.
func (s *stage) stoppedBy(e *ended, result pipeline.Result) []string {
	by := []string{}
	add := func(layer, name, what string) {
		e.detail.Blocked = append(e.detail.Blocked, Blocked{Layer: layer, What: visible.Cut(what, 300)})
		if line := layer + " " + name; !slices.Contains(by, line) {
			by = append(by, line)
		}
	}
	if s.model != nil {
		for _, r := range s.model.Results() {
			if layer := play.LayerOf(r); layer != play.LayerNone {
				add(string(layer), r.Tool, r.Tool+": "+r.Text)
			}
		}
	}
	for _, f := range e.detail.Findings {
		add("checker", string(f.Rule), fmt.Sprintf("%s:%d: %s: %s", f.File, f.Line, f.Rule, f.Message))
	}
	if len(e.detail.Findings) == 0 && len(result.Steps) > 0 {
		add(string(result.Steps[len(result.Steps)-1].Step), result.Outcome.Rule, result.Outcome.Reason)
	}
	return by
}

// readFindings reads the checker's report, if it came to one.
func (e *ended) readFindings(have map[pipeline.Ref]string) error {
	name, ok := have["check.report"]
	if !ok {
		return nil
	}
	data, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	var r checker.Report
	if err := json.Unmarshal(data, &r); err != nil {
		return fmt.Errorf("read the checker's report: %w", err)
	}
	e.detail.Findings = r.Findings
	return nil
}

func (e *ended) readChanged(name string) error {
	data, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	c, err := pipeline.ReadCandidate(data)
	for _, entry := range c.Changed {
		e.detail.Changed = append(e.detail.Changed, entry.Path)
	}
	return err
}
