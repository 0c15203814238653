package pipeline

import "strings"

// The rules of this file are about a step that runs a pull request's code. That it holds no secret is secretMeetsCode's.

// codeNetwork: such a step talks to nobody. A relay is the model's, and hosts are refused to everything that is exposed.
func codeNetwork(_ Plan, s Step, report reporter) {
	if s.ExposedTo(PullRequestCode) && (s.Net.Relay != "" || s.Service()) {
		report(s.Name, "it runs pull request code and has a relay, or serves")
	}
}

// codeAfterServices: a service that is up, or comes up later on the same machine, is one that the code could wait for.
func codeAfterServices(p Plan, report reporter) {
	for i, s := range p.Steps {
		if !s.ExposedTo(PullRequestCode) {
			continue
		}
		for _, later := range p.Steps[i+1:] {
			if later.Net.Relay != "" {
				report(s.Name, "it runs pull request code before %s has ended, which %s uses", later.Net.Relay, later.Name)
			}
		}
	}
}

// codeSupervisor: what a supervisor needs for itself (a run's key, the way to a program) has no place in the step.
func codeSupervisor(_ Plan, s Step, report reporter) {
	if !s.ExposedTo(PullRequestCode) {
		return
	}
	for _, in := range s.In {
		if in.Path == SupervisorDir || strings.HasPrefix(in.Path, SupervisorDir+"/") {
			report(s.Name, "it runs pull request code and mounts %s for its supervisor", in.Ref)
		}
	}
}

// codeHandsOn: code that wrote its own result would be believed if anything read it. So nothing does: such a step stops a
// run, or has no effect.
func codeHandsOn(p Plan, report reporter) {
	for _, s := range p.Steps {
		for _, in := range s.In {
			if maker, _, ok := p.maker(in.Ref); ok && maker.ExposedTo(PullRequestCode) {
				report(s.Name, "it mounts %s, of a step that runs pull request code", in.Ref)
			}
		}
	}
}

// codePackages: the packages that the code runs with come from the default branch's files alone. From a pull request's they
// would be addresses and programs that it chose, brought by a step with network.
func codePackages(p Plan, s Step, report reporter) {
	if !s.ExposedTo(PullRequestCode) {
		return
	}
	for _, in := range s.In {
		maker, o, ok := p.maker(in.Ref)
		if !ok || o.Kind != KindTools {
			continue
		}
		for _, from := range maker.In {
			if p.kind(from.Ref) != KindPackages {
				report(s.Name, "it runs pull request code with %s, which is made from %s", in.Ref, from.Ref)
			}
		}
	}
}
