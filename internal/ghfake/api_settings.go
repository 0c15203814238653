package ghfake

import "maps"

// Collaborator is an account with access to a repository. Role is "read", "triage", "write", "maintain" or "admin".
type Collaborator struct {
	User User
	Role string
}

// WorkflowDefaults is what a workflow gets that says nothing. The zero value is GitHub's own default: read.
type WorkflowDefaults struct {
	Permissions string // "read" or "write"; "" is read
	Approve     string // "approve": workflows may approve pull requests
}

// AddCollaborator gives an account a role.
func (r *Repository) AddCollaborator(c Collaborator) {
	r.with(func(st *repoState) { st.Collaborators = append(st.Collaborators, c) })
}

// SetWorkflowDefaults sets what workflows get that say nothing.
func (r *Repository) SetWorkflowDefaults(d WorkflowDefaults) {
	r.with(func(st *repoState) { st.WorkflowDefaults = d })
}

// RequireReview adds a ruleset that requires a pull request, and with owners "code owners" a review of theirs.
func (r *Repository) RequireReview(branch, owners string) {
	r.with(func(st *repoState) {
		st.Rules = append(st.Rules, Rule{Branch: branch, Review: "required", Owners: owners})
	})
}

// RequireQueue adds a ruleset by which pull requests are merged through a queue.
func (r *Repository) RequireQueue(branch string) {
	r.with(func(st *repoState) { st.Rules = append(st.Rules, Rule{Branch: branch, Queue: "required"}) })
}

// EditEnvironment changes the environment called name, if there is one.
func (r *Repository) EditEnvironment(name string, f func(*Environment)) {
	r.with(func(st *repoState) {
		for i := range st.Environments {
			if st.Environments[i].Name == name {
				f(&st.Environments[i])
			}
		}
	})
}

func getWorkflowDefaults(c *call) reply {
	d := c.repo.WorkflowDefaults
	if d.Permissions == "" {
		d.Permissions = "read"
	}
	return ok(obj{"default_workflow_permissions": d.Permissions, "can_approve_pull_request_reviews": d.Approve == "approve"})
}

// ranks orders the roles. GitHub's answer says "push" for what people call write.
func ranks() map[string]int {
	return map[string]int{"read": 1, "triage": 2, "write": 3, "maintain": 4, "admin": 5}
}

// listCollaborators lists those that have at least the permission asked for.
func listCollaborators(c *call) reply {
	least := map[string]int{"": 1, "pull": 1, "triage": 2, "push": 3, "maintain": 4, "admin": 5}[c.query("permission")]
	items := []any{}
	for _, one := range c.repo.Collaborators {
		rank := ranks()[one.Role]
		if rank < least {
			continue
		}
		o := maps.Clone(c.srv.user(one.User).(obj))
		o["role_name"] = one.Role
		o["permissions"] = obj{"pull": true, "triage": rank > 1, "push": rank > 2, "maintain": rank > 3, "admin": rank > 4}
		items = append(items, o)
	}
	return c.list(items)
}

func listEnvironmentVariables(c *call) reply {
	e, found := c.environment()
	if !found {
		return notFound()
	}
	items := []any{}
	for _, name := range e.Variables {
		items = append(items, obj{"name": name, "value": "set", "created_at": stamp(c.repo.CreatedAt), "updated_at": stamp(c.repo.CreatedAt)})
	}
	return c.wrapped("variables", items, len(items))
}

// reviewRule is how a ruleset says that pull requests are required.
func (r Rule) reviewRule(source string, id int) obj {
	return obj{"type": "pull_request", "ruleset_source_type": "Repository", "ruleset_source": source, "ruleset_id": id,
		"parameters": obj{"dismiss_stale_reviews_on_push": false, "require_code_owner_review": r.Owners != "", "require_last_push_approval": false,
			"required_approving_review_count": 1, "required_review_thread_resolution": false}}
}
