package pipeline

import (
	"errors"
	"fmt"
	"path"
	"strings"
)

// Validate proves the invariants of the design on the plan. Every violation is reported, each
// wrapping ErrPlan, so that a changed plan can be mended in one go.
func (p Plan) Validate() error {
	v := validator{kinds: make(map[Ref]Kind), steps: make(map[StepName]Step)}
	for _, in := range p.Inputs {
		if !strings.HasPrefix(string(in.Ref), "in.") || in.Kind == "" {
			v.errorf("input %q: want a name that begins with in. and a kind", in.Ref)
		}
		v.kinds[in.Ref] = in.Kind
	}
	if len(p.Steps) == 0 {
		v.errorf("no steps")
	}
	for _, s := range p.Steps {
		v.step(s)
	}
	return errors.Join(v.errs...)
}

type validator struct {
	kinds map[Ref]Kind
	steps map[StepName]Step
	errs  []error
}

func (v *validator) errorf(format string, a ...any) {
	v.errs = append(v.errs, fmt.Errorf("%w: "+format, append([]any{ErrPlan}, a...)...))
}

func (v *validator) step(s Step) {
	if s.Name == "" {
		v.errorf("a step has no name")
	}
	if _, twice := v.steps[s.Name]; twice {
		v.errorf("step %s: stands twice", s.Name)
	}
	v.steps[s.Name] = s
	for _, in := range s.In {
		if _, ok := v.kinds[in.Ref]; !ok {
			v.errorf("step %s: input %s is made by no step before it", s.Name, in.Ref)
		}
		v.path(s, in.Path)
	}
	for _, o := range s.Out {
		v.path(s, o.Path)
		if o.MaxBytes <= 0 || (o.Dir && o.MaxFiles <= 0) {
			v.errorf("step %s: output %s has no bound", s.Name, o.Name)
		}
		v.kinds[s.Ref(o.Name)] = o.Kind
	}
	if s.Limits.Timeout <= 0 || s.Limits.OutputBytes <= 0 || s.Limits.MemoryBytes <= 0 {
		v.errorf("step %s: a limit is zero", s.Name)
	}
}

func (v *validator) path(s Step, p string) {
	if !path.IsAbs(p) || path.Clean(p) != p {
		v.errorf("step %s: path %q is not absolute and clean", s.Name, p)
	}
}
