package ghfake

import (
	"maps"
	"slices"
)

// copyState is a deep copy: nothing that a later change touches is shared with the original.
func copyState(s *state) *state {
	out := *s
	out.Users = maps.Clone(s.Users)
	out.Repos = each(s.Repos, copyRepo)
	return &out
}

func copyRepo(r repoState) repoState {
	r.OldNames, r.Secrets, r.Collaborators = slices.Clone(r.OldNames), slices.Clone(r.Secrets), slices.Clone(r.Collaborators)
	r.Refs = maps.Clone(r.Refs)
	r.Statuses, r.Labels, r.Activity = slices.Clone(r.Statuses), slices.Clone(r.Labels), slices.Clone(r.Activity)
	r.Workflows = slices.Clone(r.Workflows)
	r.Pulls = each(r.Pulls, func(p Pull) Pull {
		p.Labels, p.Events, p.Comments = slices.Clone(p.Labels), slices.Clone(p.Events), slices.Clone(p.Comments)
		return p
	})
	r.Runs = each(r.Runs, func(run Run) Run {
		run.PullRequests, run.Jobs = slices.Clone(run.PullRequests), slices.Clone(run.Jobs)
		return run
	})
	r.Deployments = each(r.Deployments, func(d Deployment) Deployment {
		d.Statuses = slices.Clone(d.Statuses)
		return d
	})
	r.Rules = slices.Clone(r.Rules)
	for i := range r.Rules {
		r.Rules[i].Checks = slices.Clone(r.Rules[i].Checks)
	}
	r.Environments = slices.Clone(r.Environments)
	for i, e := range r.Environments {
		r.Environments[i].Branches, r.Environments[i].Secrets = slices.Clone(e.Branches), slices.Clone(e.Secrets)
		r.Environments[i].Variables = slices.Clone(e.Variables)
	}
	r.Protection = maps.Clone(r.Protection)
	for branch, p := range r.Protection {
		p.Checks = slices.Clone(p.Checks)
		r.Protection[branch] = p
	}
	return r
}

// each copies the values behind a list of pointers.
func each[T any](list []*T, f func(T) T) []*T {
	var out []*T
	for _, p := range list {
		v := f(*p)
		out = append(out, &v)
	}
	return out
}
