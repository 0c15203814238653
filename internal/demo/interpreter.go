package demo

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"selffix/gates"
	"selffix/gates/github"
	"selffix/internal/ghfake"
	"selffix/internal/tokens"
	"selffix/pipeline"
)

// row is one line of the table while it is made.
type row struct {
	s     *stage
	step  *Step
	began time.Time
}

// begin opens a row.
func (s *stage) begin(name string, secrets, exposed []string) row {
	step := &Step{Name: name, Secrets: append([]string{}, secrets...), ExposedTo: append([]string{}, exposed...), Outcome: "undecided"}
	s.rows = append(s.rows, step)
	return row{s: s, step: step, began: s.voice.now()}
}

// end closes it.
func (r row) end(outcome string) {
	const milli = time.Millisecond
	r.step.Seconds = r.s.voice.now().Sub(r.began).Round(milli).Seconds()
	r.step.Outcome = outcome
}

func (s *stage) beginStep(step pipeline.Step) row {
	facts := pipeline.Rows([]pipeline.Plan{{Steps: []pipeline.Step{step}}})[0]
	exposed := []string{}
	for _, x := range facts.ExposedTo {
		exposed = append(exposed, string(x))
	}
	return s.begin(string(step.Name), facts.Secrets, exposed)
}

// interpreter runs the plans' steps by the local one, and by the commands' own calls the four that ask GitHub.
type interpreter struct{ s *stage }

// Run runs one step, and says so.
func (i interpreter) Run(ctx context.Context, step pipeline.Step, in map[pipeline.Ref]string, services map[pipeline.StepName]pipeline.Service[string]) (map[pipeline.Ref]string, pipeline.Outcome, error) {
	r := i.s.beginStep(step)
	i.s.voice.say(string(step.Name), "…")
	done := i.s.voice.while(string(step.Name), "still at work")
	out, o, err := i.run(ctx, step, in, services)
	done()
	word := string(o.Decision)
	switch {
	case errors.Is(err, context.Canceled):
		word = "cancelled"
	case err != nil || word == "":
		word = "undecided"
	}
	r.end(word)
	i.s.voice.say(string(step.Name), "%s in %.2f s %s", word, r.step.Seconds, o.Reason)
	return out, o, err
}

func (i interpreter) run(ctx context.Context, step pipeline.Step, in map[pipeline.Ref]string, services map[pipeline.StepName]pipeline.Service[string]) (map[pipeline.Ref]string, pipeline.Outcome, error) {
	switch step.Name {
	case "gate", "fix-regate", "regate":
		return i.s.gate(ctx, step, in)
	case "review-gate":
		return i.s.review(ctx, step, in)
	case "bot-tools":
		// The stand-in lies there already; the real one is installed from a lockfile.
		return map[pipeline.Ref]string{step.Ref("tools"): i.s.answers}, pipeline.Outcome{Decision: pipeline.Continue}, nil
	}
	own := make(map[pipeline.StepName]pipeline.Service[string], len(services))
	for name, svc := range services {
		own[name] = svc
		if t, ok := svc.(*timed); ok {
			own[name] = t.Service
		}
	}
	return i.s.ip.Run(ctx, step, in, own)
}

// Serve starts a service.
func (i interpreter) Serve(ctx context.Context, step pipeline.Step, in map[pipeline.Ref]string) (pipeline.Service[string], error) {
	r := i.s.beginStep(step)
	svc, err := i.s.ip.Serve(ctx, step, in)
	if err != nil {
		return nil, err
	}
	i.s.voice.say(string(step.Name), "serves")
	return &timed{Service: svc, row: r}, nil
}

// timed is a service whose row ends with it.
type timed struct {
	pipeline.Service[string]
	row row
}

// Stop ends the service, and its row.
func (t *timed) Stop(ctx context.Context) (map[pipeline.Ref]string, error) {
	out, err := t.Service.Stop(ctx)
	word := string(pipeline.Continue)
	if err != nil {
		word = "undecided"
	}
	t.row.end(word)
	return out, err
}

// client speaks to the fake GitHub with the token that the step is granted.
func (s *stage) client(secret, repository string, id int64) (*github.Client, error) {
	token, err := tokens.New(secret)
	if err != nil {
		return nil, err
	}
	return github.New(github.Options{Policy: s.policy, Token: token, Repository: repository, RepositoryID: id})
}

// gate evaluates the gates as "self-fix gate" does, on this run's event.
func (s *stage) gate(ctx context.Context, step pipeline.Step, in map[pipeline.Ref]string) (map[pipeline.Ref]string, pipeline.Outcome, error) {
	data, err := os.ReadFile(in["in.event"])
	if err != nil {
		return nil, pipeline.Outcome{}, err
	}
	event, err := github.StatusEvent(data)
	if err != nil {
		return nil, pipeline.Outcome{}, err
	}
	run := gates.Run{ID: s.runID, Attempt: 1, Job: step.Job}
	if v := gates.Prefilter(event, run, s.policy); v != nil {
		return s.verdict(step, *v)
	}
	c, err := s.client(ghfake.ReadToken, event.Repository, event.RepositoryID)
	if err != nil {
		return nil, pipeline.Outcome{}, err
	}
	defer c.Close()
	return s.verdict(step, c.Gate(ctx, event, run, s.policy))
}

// review judges the pull request as "self-fix review-gate" does, and posts.
func (s *stage) review(ctx context.Context, step pipeline.Step, in map[pipeline.Ref]string) (map[pipeline.Ref]string, pipeline.Outcome, error) {
	data, err := os.ReadFile(in["in.event"])
	if err != nil {
		return nil, pipeline.Outcome{}, err
	}
	event, err := github.ReviewEvent("pull_request_target", data)
	if err != nil {
		return nil, pipeline.Outcome{}, err
	}
	c, err := s.client(statusToken, event.Repository, event.RepositoryID)
	if err != nil {
		return nil, pipeline.Outcome{}, err
	}
	defer c.Close()
	r := github.Reviewer{Policy: s.policy, Read: c, Post: func(context.Context) (*github.Client, error) { return c, nil }}
	return s.verdict(step, r.PullRequest(ctx, event))
}

// verdict hands a verdict on. Only "act" continues the plan.
func (s *stage) verdict(step pipeline.Step, v gates.Verdict) (map[pipeline.Ref]string, pipeline.Outcome, error) {
	text, err := v.JSON()
	if err != nil {
		return nil, pipeline.Outcome{}, err
	}
	dir, err := s.ip.Folder("verdicts")
	if err != nil {
		return nil, pipeline.Outcome{}, err
	}
	name := filepath.Join(dir, fmt.Sprintf("%d-%s.json", len(s.rows), step.Name))
	if err := write(name, text, 0o644); err != nil {
		return nil, pipeline.Outcome{}, err
	}
	o := pipeline.Outcome{Rule: v.Rule, Reason: v.Reason}
	switch v.Decision {
	case gates.Act:
		o.Decision = pipeline.Continue
	case gates.Nothing:
		o.Decision = pipeline.Stop
	}
	return map[pipeline.Ref]string{step.Ref("verdict"): name}, o, nil
}
