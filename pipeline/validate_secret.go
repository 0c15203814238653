package pipeline

import (
	"slices"
	"strings"
)

// secretMeetsCode counts the power to change the world as a secret: it is one.
func secretMeetsCode(_ Plan, s Step, report reporter) {
	if len(s.Secrets) == 0 && s.Effect == EffectNone {
		return
	}
	for _, e := range []Exposure{Model, PullRequestCode} {
		if s.ExposedTo(e) {
			report(s.Name, "it holds a secret and is exposed to: %s", e)
		}
	}
}

// exposureUndeclared keeps invariant 1 from being evaded by leaving an exposure out: it follows from
// what a step mounts and from whom it talks to.
func exposureUndeclared(p Plan, s Step, report reporter) {
	for _, in := range s.In {
		switch p.kind(in.Ref) {
		case KindTree, KindPatch, KindObjects, KindCandidate:
			if !s.ExposedTo(PullRequestData) && !s.ExposedTo(PullRequestCode) {
				report(s.Name, "it mounts %s and does not say that it is exposed to pull request data", in.Ref)
			}
		case KindReport, KindBundle:
			if !s.ExposedTo(UntrustedText) {
				report(s.Name, "it mounts %s and does not say that it is exposed to untrusted text", in.Ref)
			}
		}
	}
	if s.Net.Relay != "" && !s.ExposedTo(Model) {
		report(s.Name, "it talks to %s and does not say that it is exposed to a model", s.Net.Relay)
	}
}

// writeKinds is all that a step which can push or post may mount.
func writeKinds() []Kind {
	return []Kind{KindPolicy, KindEvent, KindRun, KindVerdict, KindResult, KindPack}
}

func (s Step) writes() bool {
	return s.Effect != EffectNone || slices.ContainsFunc(s.Secrets, func(g Grant) bool { return g.Secret.Writes() })
}

func writeSecretMounts(p Plan, s Step, report reporter) {
	if !s.writes() {
		return
	}
	for _, in := range s.In {
		k := p.kind(in.Ref)
		if k != "" && !slices.Contains(writeKinds(), k) {
			report(s.Name, "it can write to the world and mounts %s, a %s", in.Ref, k)
		}
	}
}

func writeSecretExposed(_ Plan, s Step, report reporter) {
	if s.writes() && len(s.Exposed) > 0 && !s.ExposedTo(Model) && !s.ExposedTo(PullRequestCode) {
		report(s.Name, "it can write to the world and is exposed to: %s", s.Exposed[0])
	}
}

func secretShared(p Plan, report reporter) {
	holder := make(map[SecretName]StepName)
	for _, s := range p.Steps {
		seen := make(map[SecretName]bool)
		for _, g := range s.Secrets {
			if seen[g.Secret] {
				report(s.Name, "%s is mounted twice", g.Secret)
			}
			seen[g.Secret] = true
			if first, ok := holder[g.Secret]; ok && first != s.Name && g.Secret != SecretGitHubRead {
				report(s.Name, "%s is granted to %s already", g.Secret, first)
			}
			holder[g.Secret] = s.Name
		}
	}
}

func secretPlace(_ Plan, s Step, report reporter) {
	for _, g := range s.Secrets {
		if want := SecretDir + "/" + string(g.Secret); g.Path != want {
			report(s.Name, "%s is mounted at %q, want %q", g.Secret, g.Path, want)
		}
	}
}

// secretNamed keeps secrets out of what is logged and cached: an argument or a variable is a constant
// of the plan, and none may even point at a secret's file.
func secretNamed(_ Plan, s Step, report reporter) {
	for _, a := range s.Args {
		if strings.Contains(a, SecretDir) {
			report(s.Name, "an argument names a secret's file")
		}
	}
	for k, v := range s.Env {
		if strings.Contains(v, SecretDir) {
			report(s.Name, "the variable %s names a secret's file", k)
		}
	}
}

func secretCached(_ Plan, s Step, report reporter) {
	if len(s.Secrets) > 0 && !s.Fresh {
		report(s.Name, "it holds a secret and may be cached")
	}
}
