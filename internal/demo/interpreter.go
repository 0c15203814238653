package demo

import (
	"context"
	"errors"
	"time"

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

// interpreter runs the plans' steps by the local one, and keeps their rows.
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
	if step.Name == "bot-tools" {
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
