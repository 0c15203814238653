package pipeline

import "errors"

// The reasons for which a plan is not run.
var (
	ErrPlan   = errors.New("invalid plan")
	ErrInput  = errors.New("missing input")
	ErrOutput = errors.New("missing output")
)

// PlanInput is an artifact that the caller of Run brings: from this run's event, from the default
// branch, from a person, or from another job, in which case it is one bounded file.
type PlanInput struct {
	Ref      Ref // "in.NAME"
	Kind     Kind
	Dir      bool
	MaxBytes int64 // never zero
	MaxFiles int   // of a folder; never zero there
}

// Plan is the loop, or the part of it that one job runs, as data. Validate proves the invariants on
// it before anything runs; a golden file shows every change of the built-in plans in review.
type Plan struct {
	Name   string
	Base   string `json:",omitempty"` // the plan whose steps it begins with, and adds optional ones to; "" for a plan of its own
	Inputs []PlanInput
	Steps  []Step
}

// Ref is the name under which other steps mount the output called name.
func (s Step) Ref(name string) Ref { return Ref(string(s.Name) + "." + name) }

// Step returns the step called name; ok is false if the plan has none.
func (p Plan) Step(name StepName) (s Step, ok bool) {
	for _, s := range p.Steps {
		if s.Name == name {
			return s, true
		}
	}
	return Step{}, false
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
