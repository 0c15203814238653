package pipeline

import "slices"

// exposedNetwork: a step that reads or runs hostile material has no host to send anything to. The
// model proxy is the named exception and is held to a rule of its own.
func exposedNetwork(_ Plan, s Step, report reporter) {
	if len(s.Exposed) > 0 && !s.Service() && len(s.Net.Hosts) > 0 {
		report(s.Name, "it is exposed to %s and may reach %s", s.Exposed[0], s.Net.Hosts[0])
	}
}

// relayTarget: a relay leads to a service of the same plan that stands before the step, and excludes hosts.
func relayTarget(p Plan, s Step, report reporter) {
	if s.Net.Relay == "" {
		return
	}
	t, ok := p.Step(s.Net.Relay)
	if !ok || !t.Service() {
		report(s.Name, "it relays to %q, which is no service of the plan", s.Net.Relay)
	}
}

// serviceException: the one service is the model proxy. It may be exposed to text that passes through,
// may reach the model's host, and holds the model token.
func serviceException(_ Plan, s Step, report reporter) {
	if !s.Service() {
		return
	}
	text := slices.Equal(s.Exposed, []Exposure{UntrustedText})
	host := slices.Equal(s.Net.Hosts, []HostKey{HostModel})
	secret := len(s.Secrets) == 1 && s.Secrets[0].Secret == SecretModel
	if !text || !host || !secret || s.Effect != EffectNone {
		report(s.Name, "a service is the model proxy: exposed to untrusted text only, with the model token and the model's host only")
	}
}

// rawBytesMaker: only the named steps bring hostile bytes from the network.
func rawBytesMaker(_ Plan, s Step, report reporter) {
	if len(s.Net.Hosts) == 0 || slices.Contains([]StepName{"fetch", "recheck-fetch", "evidence-fetch"}, s.Name) {
		return
	}
	for _, o := range s.Out {
		if o.Kind == KindObjects || o.Kind == KindReport {
			report(s.Name, "it brings a %s from the network, which only fetch, recheck-fetch and evidence-fetch may", o.Kind)
		}
	}
}

// ceilings bound each kind of file whatever a plan says; a folder is bounded by folderCeiling.
func ceilings() map[Kind]int64 {
	return map[Kind]int64{
		KindVerdict: verdictBytes, KindBundle: bundleBytes, KindPatch: patchBytes, KindCandidate: MaxCandidateBytes,
		KindResult: jsonBytes, KindPack: packBytes, KindJSON: jsonBytes,
	}
}

func outputUnbounded(_ Plan, s Step, report reporter) {
	for _, o := range s.Out {
		limit, ok := ceilings()[o.Kind]
		switch {
		case o.MaxBytes <= 0:
			report(s.Name, "output %s has no bound in bytes", o.Name)
		case o.Dir && (o.MaxFiles <= 0 || o.MaxFiles > treeFiles || o.MaxBytes > gib):
			report(s.Name, "output %s: want a folder of at most %d files and %d bytes", o.Name, treeFiles, gib)
		case !o.Dir && ok && o.MaxBytes > limit:
			report(s.Name, "output %s: want a %s of at most %d bytes", o.Name, o.Kind, limit)
		}
	}
}

// folderFromExposed: an exposed step hands on files of a strict schema; the tree and its objects are
// the two folders that the loop cannot do without.
func folderFromExposed(_ Plan, s Step, report reporter) {
	for _, o := range s.Out {
		if o.Dir && len(s.Exposed) > 0 && o.Kind != KindTree && o.Kind != KindObjects {
			report(s.Name, "it is exposed and hands on a folder of kind %s", o.Kind)
		}
	}
}

// unexposedReadsExposed: ids and one pack are all that leaves the exposed half.
func unexposedReadsExposed(p Plan, s Step, report reporter) {
	if len(s.Exposed) > 0 {
		return
	}
	for _, in := range s.In {
		maker, o, ok := p.maker(in.Ref)
		if ok && len(maker.Exposed) > 0 && o.Kind != KindResult && o.Kind != KindPack {
			report(s.Name, "it is not exposed and mounts %s, which an exposed step made", in.Ref)
		}
	}
}

// crossingKinds is what a job may be given: what the event and the default branch hold, what a person
// gives, and the four files that cross from job to job. Never a tree, a verdict or a program.
func crossingKinds() []Kind {
	return []Kind{
		KindPolicy, KindEvent, KindRun, KindLockfile, KindPackages, KindRunKey, KindObjects, KindReport,
		KindCandidate, KindPatch, KindResult, KindPack,
	}
}

func jobCrossing(p Plan, report reporter) {
	for _, in := range p.Inputs {
		// A verdict is invariant 6's.
		if in.Kind != KindVerdict && !slices.Contains(crossingKinds(), in.Kind) {
			report("", "input %s: a %q does not cross from job to job", in.Ref, in.Kind)
		}
		if in.MaxBytes <= 0 || (in.Dir && in.MaxFiles <= 0) {
			report("", "input %s has no bound", in.Ref)
		}
	}
}
