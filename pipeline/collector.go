package pipeline

import "time"

// Collector is the step by which an interpreter brings what a service hands on, where the files of a service cannot be read
// back, as in a container engine: while the service still answers, it asks it, with this run's key, and leaves the same
// outputs. It is made from the service's own step, so that it can hold, mount and reach nothing that this one does not: no
// secret, no file but the key, and no network but the service. ok is false if name is no service of the plan.
//
// It is no step of the plan. The interpreter of one machine reads what its service's process left, and needs none.
func (p Plan) Collector(name StepName) (c Step, ok bool) {
	s, ok := p.Step(name)
	if !ok || !s.Service() {
		return Step{}, false
	}
	c = worker(s.Job, name+"-meter", "asks the service that still runs what it counted")
	for _, in := range s.In {
		if p.kind(in.Ref) == KindRunKey {
			c.In = append(c.In, in)
		}
	}
	c.Out = s.Out
	c.Net.Relay = name
	c.Limits.Timeout = 30 * time.Second
	c.Fresh = true
	return c, true
}

// Collectors lists the collectors of every built-in plan's services.
func Collectors() []Step {
	var all []Step
	for _, p := range Plans() {
		for _, s := range p.Steps {
			c, ok := p.Collector(s.Name)
			if ok && !hasStep(all, c.Name) {
				all = append(all, c)
			}
		}
	}
	return all
}

func hasStep(steps []Step, name StepName) bool {
	_, ok := Plan{Steps: steps}.Step(name)
	return ok
}
