package pipeline

import (
	"path"
	"slices"
	"strings"
)

// verdictMaker: a verdict is made in the job that uses it, by a step that is not exposed and that
// looks at this run's event.
func verdictMaker(p Plan, report reporter) {
	for _, in := range p.Inputs {
		if in.Kind == KindVerdict {
			report("", "input %s: a verdict is never taken from outside the job", in.Ref)
		}
	}
	for _, s := range p.Steps {
		for _, o := range s.Out {
			if o.Kind != KindVerdict {
				continue
			}
			if len(s.Exposed) > 0 || !p.mounts(s, KindEvent) {
				report(s.Name, "it makes a verdict; want a step that is not exposed and mounts this run's event")
			}
		}
	}
}

// runSource: only the caller says which run this is, by which event and under which policy. A step that asks GitHub whether
// to act, or posts the review status, knows the run: re-runs and other triggers are a gate's to refuse.
func runSource(p Plan, s Step, report reporter) {
	for _, o := range s.Out {
		if slices.Contains([]Kind{KindRun, KindEvent, KindPolicy}, o.Kind) {
			report(s.Name, "it makes a %s, which only the caller brings", o.Kind)
		}
	}
	judges := slices.ContainsFunc(s.Out, func(o Output) bool { return o.Kind == KindVerdict }) && len(s.Secrets) > 0
	if (judges || s.Effect == EffectStatus) && !p.mounts(s, KindRun) {
		report(s.Name, "it judges with a token and does not mount this run's identity")
	}
}

// identitySource: whoever acts for a repository, or asks the test bot, knows for which one from the
// event or from a gate of this job.
func identitySource(p Plan, s Step, report reporter) {
	acts := s.Effect != EffectNone || slices.ContainsFunc(s.Secrets, func(g Grant) bool { return g.Secret != SecretModel })
	if acts && !p.mounts(s, KindEvent) && !p.mounts(s, KindVerdict) {
		report(s.Name, "it acts for a repository and mounts neither this run's event nor a verdict")
	}
}

// effectUngated: a push needs a verdict that was made in this plan; the review status is a gate's own.
func effectUngated(p Plan, s Step, report reporter) {
	if s.Effect == EffectPush && !p.mounts(s, KindVerdict) && p.mounts(s, KindEvent) {
		report(s.Name, "it pushes without the verdict of a gate of this job")
	}
}

// worldCached: what reads or changes the world is never answered from a cache. An install is pinned by
// its lockfile, which is part of the step.
func worldCached(_ Plan, s Step, report reporter) {
	world := s.Effect != EffectNone || slices.ContainsFunc(s.Net.Hosts, func(h HostKey) bool { return h != HostNPM })
	if world && len(s.Secrets) == 0 && !s.Fresh {
		report(s.Name, "it reads or changes the world and may be cached")
	}
}

func unknownValue(_ Plan, s Step, report reporter) {
	unknown := func(what, v string) { report(s.Name, "unknown %s %q", what, v) }
	if s.Image != ImageWorker && s.Image != ImageNode {
		unknown("image", string(s.Image))
	}
	if !slices.Contains([]string{JobGate, JobFix, JobRecheck, JobPush, JobReviewGate}, s.Job) {
		unknown("job", s.Job)
	}
	if !slices.Contains([]Effect{EffectNone, EffectPush, EffectStatus}, s.Effect) {
		unknown("effect", string(s.Effect))
	}
	for _, e := range s.Exposed {
		if !slices.Contains(Exposures(), e) {
			unknown("exposure", string(e))
		}
	}
	for _, g := range s.Secrets {
		if !slices.Contains(Secrets(), g.Secret) {
			unknown("secret", string(g.Secret))
		}
	}
	for _, h := range s.Net.Hosts {
		if !slices.Contains([]HostKey{HostGitHubAPI, HostGitHubGit, HostModel, HostBot, HostBotArtifacts, HostNPM}, h) {
			unknown("host", string(h))
		}
	}
	for _, o := range s.Out {
		if !slices.Contains(kinds(), o.Kind) {
			unknown("kind", string(o.Kind))
		}
	}
	for _, in := range s.In {
		if in.Access != ReadOnly && in.Access != Copy {
			unknown("access", string(in.Access))
		}
	}
}

func limitZero(_ Plan, s Step, report reporter) {
	l := s.Limits
	if l.Timeout <= 0 || l.OutputBytes <= 0 || l.MemoryBytes <= 0 || l.Processes <= 0 {
		report(s.Name, "a limit is zero")
	}
}

// stepNames: the name is the worker's argument and a folder's name.
func stepNames(p Plan, report reporter) {
	if len(p.Steps) == 0 || p.Name == "" {
		report("", "a plan has a name and steps")
	}
	seen := make(map[StepName]bool)
	for _, s := range p.Steps {
		if s.Name == "" || strings.Trim(string(s.Name), "abcdefghijklmnopqrstuvwxyz-") != "" || s.Doc == "" {
			report(s.Name, "want a name of lower-case letters and dashes, and a sentence that says what the step does")
		}
		if !slices.Equal(s.Args, []string{"step", string(s.Name)}) {
			report(s.Name, "want the arguments step %s", s.Name)
		}
		if seen[s.Name] {
			report(s.Name, "it stands twice")
		}
		seen[s.Name] = true
	}
}

// refUnmade: every input is brought by the caller or made by a step before.
func refUnmade(p Plan, report reporter) {
	made := make(map[Ref]bool)
	for _, in := range p.Inputs {
		if !strings.HasPrefix(string(in.Ref), "in.") || made[in.Ref] {
			report("", "input %q: want a name of its own that begins with in.", in.Ref)
		}
		made[in.Ref] = true
	}
	for _, s := range p.Steps {
		for _, in := range s.In {
			if !made[in.Ref] {
				report(s.Name, "input %s is made by no step before it", in.Ref)
			}
		}
		for _, o := range s.Out {
			made[s.Ref(o.Name)] = true
		}
	}
}

// pathPlace: the few folders inside a step, so that no mount hides a secret, a program or another mount.
func pathPlace(_ Plan, s Step, report reporter) {
	var taken []string
	for _, in := range s.In {
		if !below(in.Path, InDir, CheckoutDir, ToolsDir, SupervisorDir) {
			report(s.Name, "input path %q is outside the folders for inputs", in.Path)
		}
		if slices.Contains(taken, in.Path) {
			report(s.Name, "two inputs at %q", in.Path)
		}
		taken = append(taken, in.Path)
	}
	for _, o := range s.Out {
		copied := slices.ContainsFunc(s.In, func(in Input) bool { return in.Path == o.Path && in.Access == Copy })
		if !below(o.Path, OutDir, CheckoutDir) || (slices.Contains(taken, o.Path) && !copied) {
			report(s.Name, "output path %q is outside the folders for outputs, or taken", o.Path)
		}
	}
}

// below reports whether p is clean, absolute, and at or below one of the folders.
func below(p string, folders ...string) bool {
	if path.Clean(p) != p {
		return false
	}
	return slices.ContainsFunc(folders, func(f string) bool { return p == f || strings.HasPrefix(p, f+"/") })
}

// kinds lists every kind.
func kinds() []Kind {
	return []Kind{
		KindPolicy, KindEvent, KindRun, KindVerdict, KindReport, KindBundle, KindObjects, KindTree, KindTools,
		KindPatch, KindCandidate, KindResult, KindPack, KindJSON, KindLockfile, KindPackages, KindRunKey,
	}
}

// maker returns the step and output that make ref; ok is false for what the caller brings.
func (p Plan) maker(ref Ref) (s Step, o Output, ok bool) {
	for _, s := range p.Steps {
		for _, o := range s.Out {
			if s.Ref(o.Name) == ref {
				return s, o, true
			}
		}
	}
	return Step{}, Output{}, false
}

// kind is the kind of an artifact, "" if nothing makes it.
func (p Plan) kind(ref Ref) Kind {
	for _, in := range p.Inputs {
		if in.Ref == ref {
			return in.Kind
		}
	}
	_, o, _ := p.maker(ref)
	return o.Kind
}

// mounts reports whether the step mounts an artifact of kind k.
func (p Plan) mounts(s Step, k Kind) bool {
	return slices.ContainsFunc(s.In, func(in Input) bool { return p.kind(in.Ref) == k })
}
