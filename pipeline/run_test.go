package pipeline

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// fake is an interpreter that writes down what it is asked to do.
type fake struct {
	log      []string
	outcome  map[StepName]Outcome
	fail     map[StepName]error
	lost     Ref // an output that the step "forgets"
	before   func(StepName)
	stopFail error
}

func (f *fake) Run(_ context.Context, s Step, in map[Ref]string, services map[StepName]Service[string]) (map[Ref]string, Outcome, error) {
	f.log = append(f.log, fmt.Sprintf("run %s in=%d services=%d", s.Name, len(in), len(services)))
	if f.before != nil {
		f.before(s.Name)
	}
	if err := f.fail[s.Name]; err != nil {
		return nil, Outcome{Decision: Continue}, err
	}
	o, ok := f.outcome[s.Name]
	if !ok {
		o = Outcome{Decision: Continue}
	}
	return f.outputs(s), o, nil
}

func (f *fake) outputs(s Step) map[Ref]string {
	out := map[Ref]string{"agent.smuggled": "not in the plan"}
	for _, o := range s.Out {
		if s.Ref(o.Name) != f.lost {
			out[s.Ref(o.Name)] = string(s.Name) + "/" + o.Name
		}
	}
	return out
}

func (f *fake) Serve(_ context.Context, s Step, _ map[Ref]string) (Service[string], error) {
	f.log = append(f.log, "serve "+string(s.Name))
	if err := f.fail[s.Name]; err != nil {
		return nil, err
	}
	return &fakeService{fake: f, step: s}, nil
}

type fakeService struct {
	fake *fake
	step Step
}

func (s *fakeService) Stop(ctx context.Context) (map[Ref]string, error) {
	s.fake.log = append(s.fake.log, fmt.Sprintf("stop %s ctx=%v", s.step.Name, ctx.Err()))
	return s.fake.outputs(s.step), s.fake.stopFail
}

func given(p Plan) map[Ref]string {
	in := make(map[Ref]string)
	for _, i := range p.Inputs {
		in[i.Ref] = "given"
	}
	return in
}

var errBroken = errors.New("broken")

func TestRunOrderAndServices(t *testing.T) {
	f := &fake{}
	have, r, err := Run(t.Context(), LocalFix(), f, given(LocalFix()))
	if err != nil || r.Outcome.Decision != Continue {
		t.Fatalf("Run() = %+v, %v", r.Outcome, err)
	}
	want := []string{
		"run target in=2 services=0", "run evidence-file in=1 services=0", "run fetch-local in=2 services=0",
		"run materialise in=2 services=0", "run tools in=0 services=0", "serve model-proxy",
		"run agent in=6 services=1", "stop model-proxy ctx=<nil>", "run diff in=3 services=0", "run check in=8 services=0",
	}
	if !slices.Equal(f.log, want) {
		t.Errorf("log:\n%s\nwant:\n%s", strings.Join(f.log, "\n"), strings.Join(want, "\n"))
	}
	if _, ok := have["agent.smuggled"]; ok {
		t.Error("an output that the plan does not name was kept")
	}
	if have["model-proxy.meter"] == "" || have["check.candidate"] == "" {
		t.Errorf("artifacts are missing: %v", have)
	}
	if len(r.Steps) != 8 {
		t.Errorf("%d steps reported, want 8", len(r.Steps))
	}
}

func TestRunStops(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	tests := []struct {
		name     string
		fake     fake
		in       map[Ref]string
		last     string // the last line of the log
		decision Decision
		rule     string
		err      error
	}{
		{name: "stop rule", fake: fake{outcome: map[StepName]Outcome{"materialise": {Stop, "SF-X", "no"}}}, last: "run materialise in=2 services=0", decision: Stop, rule: "SF-X"},
		{name: "stop ends the service", fake: fake{outcome: map[StepName]Outcome{"agent": {Stop, "SF-X", "no"}}}, last: "stop model-proxy ctx=<nil>", decision: Stop, rule: "SF-X"},
		{name: "zero outcome", fake: fake{outcome: map[StepName]Outcome{"target": {}}}, last: "run target in=2 services=0", rule: "SF-RUN-003"},
		{name: "unknown decision", fake: fake{outcome: map[StepName]Outcome{"target": {Decision: "act"}}}, last: "run target in=2 services=0", rule: "SF-RUN-003"},
		{name: "undecided keeps its reason", fake: fake{outcome: map[StepName]Outcome{"target": {Undecided, "SF-Y", "why"}}}, last: "run target in=2 services=0", rule: "SF-Y"},
		{name: "continue with an error", fake: fake{fail: map[StepName]error{"diff": errBroken}}, last: "run diff in=3 services=0", rule: "SF-RUN-001", err: errBroken},
		{name: "error while a service runs", fake: fake{fail: map[StepName]error{"agent": errBroken}}, last: "stop model-proxy ctx=<nil>", rule: "SF-RUN-001", err: errBroken},
		{name: "service does not start", fake: fake{fail: map[StepName]error{"model-proxy": errBroken}}, last: "serve model-proxy", rule: "SF-RUN-001", err: errBroken},
		{name: "service does not stop", fake: fake{stopFail: errBroken}, last: "stop model-proxy ctx=<nil>", rule: "SF-RUN-002", err: errBroken},
		{name: "missing output", fake: fake{lost: "materialise.trees"}, last: "run materialise in=2 services=0", rule: "SF-RUN-001", err: ErrOutput},
		{name: "missing meter", fake: fake{lost: "model-proxy.meter"}, last: "stop model-proxy ctx=<nil>", rule: "SF-RUN-002", err: ErrOutput},
		{name: "missing input", in: map[Ref]string{"in.policy": "given"}, err: ErrInput},
		{name: "cancelled while the agent works", fake: fake{before: func(n StepName) {
			if n == "agent" {
				cancel()
			}
		}}, last: "stop model-proxy ctx=<nil>", rule: "SF-RUN-001", err: context.Canceled},
		{name: "cancelled before", last: "", rule: "SF-RUN-001", err: context.Canceled},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			use := t.Context()
			if strings.HasPrefix(tt.name, "cancelled") {
				use = ctx // cancelled by the last but one case
			}
			in := tt.in
			if in == nil {
				in = given(LocalFix())
			}
			_, r, err := Run(use, LocalFix(), &tt.fake, in)
			if !errors.Is(err, tt.err) {
				t.Fatalf("error %v, want %v", err, tt.err)
			}
			if r.Outcome.Decision != tt.decision || r.Outcome.Rule != tt.rule {
				t.Errorf("outcome %+v, want %q by %q", r.Outcome, tt.decision, tt.rule)
			}
			if got := last(tt.fake.log); got != tt.last {
				t.Errorf("last call %q, want %q", got, tt.last)
			}
		})
	}
}

func TestRunPart(t *testing.T) {
	first, all := &fake{}, given(LocalFix())
	have, r, err := RunPart(t.Context(), LocalFix(), "target", "materialise", first, all)
	if err != nil || r.Outcome.Decision != Continue || len(first.log) != 4 || have["materialise.tree"] == "" {
		t.Fatalf("%+v, %v: %v", r, err, first.log)
	}
	if all["materialise.tree"] != "" {
		t.Error("what the caller gave was changed")
	}
	second := &fake{}
	have, r, err = RunPart(t.Context(), LocalFix(), "tools", "check", second, have)
	if err != nil || r.Outcome.Decision != Continue || last(second.log) != "run check in=8 services=0" || have["check.candidate"] == "" {
		t.Fatalf("%+v, %v: %v", r, err, second.log)
	}
	for name, c := range map[string]struct {
		plan        Plan
		first, last StepName
		in          map[Ref]string
		want        error
	}{
		"an artifact is missing": {LocalFix(), "tools", "check", given(LocalFix()), ErrInput},
		"nothing was given":      {LocalFix(), "target", "target", nil, ErrInput},
		"the wrong way round":    {LocalFix(), "check", "tools", have, ErrPlan},
		"a service is left out":  {LocalFix(), "agent", "check", have, ErrPlan},
		"a step of no plan":      {LocalFix(), "tools", "publish", have, ErrPlan},
		"a plan that is invalid": {edit(LocalFix(), "agent", func(s *Step) { s.Secrets = grant(SecretModel) }), "diff", "check", have, ErrPlan},
	} {
		f := &fake{}
		_, r, err := RunPart(t.Context(), c.plan, c.first, c.last, f, c.in)
		if !errors.Is(err, c.want) || r.Outcome.Decision == Continue && err == nil || last(f.log) == "run check in=8 services=0" {
			t.Errorf("%s: %+v, %v: %v", name, r, err, f.log)
		}
	}
}

func last(log []string) string {
	if len(log) == 0 {
		return ""
	}
	return log[len(log)-1]
}

func TestRunRefusesAnInvalidPlan(t *testing.T) {
	f := &fake{}
	p := edit(LocalFix(), "agent", func(s *Step) { s.Secrets = grant(SecretModel) })
	if _, _, err := Run(t.Context(), p, f, given(p)); !errors.Is(err, ErrPlan) || len(f.log) != 0 {
		t.Fatalf("Run() = %v after %v, want ErrPlan and no step", err, f.log)
	}
}

// A step that reports nothing for an input that an earlier step may leave out is never run without it.
func TestStepsGetEveryInputTheyName(t *testing.T) {
	f := &fake{lost: "agent.summary", outcome: map[StepName]Outcome{"agent": {Decision: Stop}}}
	if _, r, err := Run(t.Context(), LocalFix(), f, given(LocalFix())); err != nil || r.Outcome.Decision != Stop {
		t.Fatalf("a stopped step may leave outputs out: %+v, %v", r, err)
	}
}
