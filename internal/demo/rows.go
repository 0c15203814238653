package demo

import (
	"context"
	"errors"
	"time"

	"selffix/pipeline"
)

// row is one line of the table while it is made.
type row struct {
	voice *Voice
	step  *Step
	began time.Time
}

// begin opens a row.
func (a *actor[A]) begin(name string, secrets, exposed []string) row {
	step := &Step{Name: name, Secrets: append([]string{}, secrets...), ExposedTo: append([]string{}, exposed...), Outcome: "undecided"}
	a.rows = append(a.rows, step)
	return row{voice: a.st.Voice, step: step, began: a.st.Voice.now()}
}

// end closes it.
func (r row) end(outcome string) {
	r.step.Seconds = r.voice.now().Sub(r.began).Round(time.Millisecond).Seconds()
	r.step.Outcome = outcome
}

func (a *actor[A]) beginStep(step pipeline.Step) row {
	facts := pipeline.Rows([]pipeline.Plan{{Steps: []pipeline.Step{step}}})[0]
	exposed := []string{}
	for _, x := range facts.ExposedTo {
		exposed = append(exposed, string(x))
	}
	return a.begin(string(step.Name), facts.Secrets, exposed)
}

// recorder is an interpreter that keeps a row of each step that another one runs.
type recorder[A any] struct {
	actor *actor[A]
	next  pipeline.Interpreter[A]
}

// Run runs one step, and says so.
func (r recorder[A]) Run(ctx context.Context, step pipeline.Step, in map[pipeline.Ref]A, services map[pipeline.StepName]pipeline.Service[A]) (map[pipeline.Ref]A, pipeline.Outcome, error) {
	row, voice := r.actor.beginStep(step), r.actor.st.Voice
	voice.Say(string(step.Name), "…")
	done := voice.While(string(step.Name), "still at work")
	own := make(map[pipeline.StepName]pipeline.Service[A], len(services))
	for name, svc := range services {
		own[name] = svc
		if t, ok := svc.(*timed[A]); ok {
			own[name] = t.Service
		}
	}
	out, o, err := r.next.Run(ctx, step, in, own)
	done()
	word := string(o.Decision)
	switch {
	case errors.Is(err, context.Canceled):
		word = "cancelled"
	case err != nil || word == "":
		word = "undecided"
	}
	row.end(word)
	voice.Say(string(step.Name), "%s in %.2f s %s", word, row.step.Seconds, o.Reason)
	return out, o, err
}

// Serve starts a service.
func (r recorder[A]) Serve(ctx context.Context, step pipeline.Step, in map[pipeline.Ref]A) (pipeline.Service[A], error) {
	row := r.actor.beginStep(step)
	svc, err := r.next.Serve(ctx, step, in)
	if err != nil {
		return nil, err
	}
	r.actor.st.Voice.Say(string(step.Name), "serves")
	return &timed[A]{Service: svc, row: row}, nil
}

// timed is a service whose row ends with it.
type timed[A any] struct {
	pipeline.Service[A]
	row row
}

// Stop ends the service, and its row.
func (t *timed[A]) Stop(ctx context.Context) (map[pipeline.Ref]A, error) {
	out, err := t.Service.Stop(ctx)
	word := string(pipeline.Continue)
	if err != nil {
		word = "undecided"
	}
	t.row.end(word)
	return out, err
}
