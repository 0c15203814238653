package pipeline

import "errors"

// The reasons for which a plan is not run.
var (
	ErrPlan   = errors.New("invalid plan")
	ErrInput  = errors.New("missing input")
	ErrOutput = errors.New("missing output")
)

// PlanInput is an artifact that the caller of Run brings.
type PlanInput struct {
	Ref  Ref // "in.NAME"
	Kind Kind
}

// Plan is the loop, or a part of it, as data. Validate proves the invariants on it before anything
// runs; a golden file shows every change of the built-in plans in review.
type Plan struct {
	Name   string
	Inputs []PlanInput
	Steps  []Step
}

// Ref is the name under which other steps mount the output called name.
func (s Step) Ref(name string) Ref { return Ref(string(s.Name) + "." + name) }

// step returns the step called name, or the zero step; Validate has proven that it exists.
func (p Plan) step(name StepName) Step {
	for _, s := range p.Steps {
		if s.Name == name {
			return s
		}
	}
	return Step{}
}

// relaysTo reports whether a step at index from or later relays to the service called name.
func (p Plan) relaysTo(name StepName, from int) bool {
	for _, s := range p.Steps[min(from, len(p.Steps)):] {
		if s.Net.Relay == name {
			return true
		}
	}
	return false
}
