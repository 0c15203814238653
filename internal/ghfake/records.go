package ghfake

import (
	"fmt"
	"strings"
	"time"
)

// maxStatuses is how many statuses GitHub keeps for one commit and context; one more is refused with 422.
const maxStatuses = 1000

// PostStatus records a status of by on a commit. It is the builder's way past the limit on their number.
func (r *Repository) PostStatus(by User, sha, context, state string) Status {
	var out Status
	r.with(func(st *repoState) {
		out = r.srv.addStatus(st, Status{SHA: sha, Context: context, State: state, Creator: by})
	})
	return out
}

// Statuses lists the statuses of a commit with that context, oldest first.
func (r *Repository) Statuses(sha, context string) []Status {
	var out []Status
	r.with(func(st *repoState) {
		for _, x := range st.Statuses {
			if x.SHA == sha && strings.EqualFold(x.Context, context) {
				out = append(out, x)
			}
		}
	})
	return out
}

func (s *Server) addStatus(st *repoState, x Status) Status {
	x.ID, x.CreatedAt = s.st.nextID(), s.Clock.Now()
	for id, a := range s.apps {
		if x.AppID == 0 && x.Creator.ID != 0 && a.Bot.ID == x.Creator.ID {
			x.AppID = id
		}
	}
	x.UpdatedAt = x.CreatedAt
	st.Statuses = append(st.Statuses, x)
	return x
}

// AddRun records a workflow run and gives back its id. Id, attempt, branch, commit, status and created_at are filled in where
// zero; the number is the run's place among those of its workflow by created_at, as GitHub counts them.
func (r *Repository) AddRun(run Run) int64 {
	r.with(func(st *repoState) {
		fillRun(r.srv, st, &run)
		st.number(&run)
		st.Runs = append(st.Runs, &run)
	})
	return run.ID
}

// number puts a run in its place: those that began later move up by one, as if it had been there all along.
func (r *repoState) number(run *Run) {
	w := r.workflow(nil, run.Path) // fillRun made it
	w.LastRun++
	run.Number = w.LastRun
	for _, other := range r.Runs {
		if other.Path == run.Path && other.CreatedAt.After(run.CreatedAt) {
			run.Number = min(run.Number, other.Number)
			other.Number++
		}
	}
}

func fillRun(s *Server, st *repoState, run *Run) {
	if run.ID == 0 {
		run.ID = s.st.nextID()
	}
	if run.Attempt == 0 {
		run.Attempt = 1
	}
	if run.CreatedAt.IsZero() {
		run.CreatedAt = s.Clock.Now()
	}
	if run.HeadBranch == "" {
		run.HeadBranch = st.DefaultBranch
	}
	if run.HeadSHA == "" {
		run.HeadSHA = st.Refs["refs/heads/"+st.DefaultBranch]
	}
	if run.Status == "" {
		run.Status = "completed"
	}
	st.workflow(s, run.Path)
	for i := range run.Jobs {
		fillJob(s, &run.Jobs[i], run.CreatedAt, run.Attempt)
	}
}

func fillJob(s *Server, j *Job, created time.Time, attempt int) {
	if j.ID == 0 {
		j.ID = s.st.nextID()
	}
	if j.Attempt == 0 {
		j.Attempt = attempt
	}
	if j.CreatedAt.IsZero() {
		j.CreatedAt = created
	}
	if j.Status == "" {
		j.Status = "completed"
	}
	if j.Status == "completed" && j.CompletedAt.IsZero() {
		j.CompletedAt = j.CreatedAt
	}
}

// workflow finds the record of a workflow file, or makes one.
func (r *repoState) workflow(s *Server, path string) *Workflow {
	for i := range r.Workflows {
		if r.Workflows[i].Path == path {
			return &r.Workflows[i]
		}
	}
	r.Workflows = append(r.Workflows, Workflow{ID: s.st.nextID(), Path: path, Name: strings.TrimSuffix(path[strings.LastIndex(path, "/")+1:], ".yml")})
	return &r.Workflows[len(r.Workflows)-1]
}

// EditRun changes a run in place: its status, conclusion and jobs.
func (r *Repository) EditRun(id int64, f func(*Run)) {
	r.with(func(st *repoState) {
		if run := st.run(id); run != nil {
			f(run)
			fillRun(r.srv, st, run)
		}
	})
}

// Rerun starts another attempt of a run: created_at stays, run_started_at moves, earlier attempts' jobs are
// kept and hidden by filter=latest. Jobs that are not started again keep their place in the new attempt.
func (r *Repository) Rerun(id int64, jobs ...Job) {
	r.with(func(st *repoState) {
		run := st.run(id)
		if run == nil {
			return
		}
		now := r.srv.Clock.Now()
		run.Attempt++
		run.StartedAt, run.Status, run.Conclusion = now, "in_progress", ""
		for _, j := range jobs {
			fillJob(r.srv, &j, now, run.Attempt)
			run.Jobs = append(run.Jobs, j)
		}
	})
}

// DeleteRun removes a run from every listing, as anybody with write access may.
func (r *Repository) DeleteRun(id int64) {
	r.with(func(st *repoState) {
		for i, run := range st.Runs {
			if run.ID == id {
				st.Runs = append(st.Runs[:i:i], st.Runs[i+1:]...)
				return
			}
		}
	})
}

// AddDeployment records a deployment whose newest state is success with that URL, and gives back its id.
func (r *Repository) AddDeployment(by User, sha, environment, url string) int64 {
	var id int64
	r.with(func(st *repoState) {
		now := r.srv.Clock.Now()
		d := &Deployment{ID: r.srv.st.nextID(), SHA: sha, Ref: sha, Environment: environment, Creator: by, CreatedAt: now}
		d.Statuses = []DeploymentStatus{{ID: r.srv.st.nextID(), State: "success", EnvironmentURL: url, Creator: by, CreatedAt: now}}
		st.Deployments = append(st.Deployments, d)
		id = d.ID
	})
	return id
}

// AddDeploymentStatus adds a newer state to a deployment.
func (r *Repository) AddDeploymentStatus(id int64, by User, state, url string) {
	r.with(func(st *repoState) {
		for _, d := range st.Deployments {
			if d.ID == id {
				d.Statuses = append(d.Statuses, DeploymentStatus{ID: r.srv.st.nextID(), State: state, EnvironmentURL: url,
					Creator: by, CreatedAt: r.srv.Clock.Now()})
			}
		}
	})
}

// RequireChecks adds a ruleset that requires checks on branch.
func (r *Repository) RequireChecks(branch string, checks ...RequiredCheck) {
	r.with(func(st *repoState) { st.Rules = append(st.Rules, Rule{Branch: branch, Checks: checks}) })
}

// ClearRules takes every ruleset away.
func (r *Repository) ClearRules() { r.with(func(st *repoState) { st.Rules = nil }) }

// Protect sets the classic protection of branch.
func (r *Repository) Protect(branch string, p Protection) error {
	r.srv.mu.Lock()
	defer r.srv.mu.Unlock()
	r.srv.change()
	r.st().Protection[branch] = p
	return r.protectedRefs()
}

// AddEnvironment records a deployment environment.
func (r *Repository) AddEnvironment(e Environment) {
	r.with(func(st *repoState) {
		e.ID = r.srv.st.nextID()
		st.Environments = append(st.Environments, e)
	})
}

// AddActivity records a movement of a ref that git did not make here. A zero id and time are filled in.
func (r *Repository) AddActivity(a Activity) {
	r.with(func(st *repoState) {
		if a.ID == 0 {
			a.ID = r.srv.st.nextID()
		}
		if a.Timestamp.IsZero() {
			a.Timestamp = r.srv.Clock.Now()
		}
		st.Activity = append(st.Activity, a)
	})
}

// FixJob is the name that the workflow gives the job that repairs pull request number.
func FixJob(number int) string { return fmt.Sprintf("fix pr-%d", number) }
