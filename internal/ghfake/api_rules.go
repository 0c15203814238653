package ghfake

import (
	"fmt"
	"net/http"
)

func (c *call) branch() (string, string) {
	name := c.req.PathValue("branch")
	return name, c.repo.Refs["refs/heads/"+name]
}

func getBranch(c *call) reply {
	name, head := c.branch()
	if head == "" {
		return failure(http.StatusNotFound, "Branch not found")
	}
	raw, _, err := c.handle.git.commit(head)
	if err != nil {
		return broken(err)
	}
	p, protected := c.repo.Protection[name]
	protected = protected || len(c.repo.rulesOf(name)) > 0
	api := c.srv.public + "/repos/" + c.repo.fullName() + "/branches/" + name
	page := c.srv.public + "/" + c.repo.fullName() + "/tree/" + name
	contexts, checks := checksOf(p.Checks)
	return ok(obj{"name": name, "commit": c.srv.commit(c.repo, raw), "protected": protected, "protection_url": api + "/protection",
		"_links":     obj{"self": api, "html": page},
		"protection": obj{"enabled": protected, "required_status_checks": obj{"enforcement_level": "non_admins", "contexts": contexts, "checks": checks}}})
}

func checksOf(list []RequiredCheck) (contexts, checks []any) {
	contexts, checks = []any{}, []any{}
	for _, x := range list {
		contexts = append(contexts, x.Context)
		checks = append(checks, obj{"context": x.Context, "app_id": appOrNull(x.AppID)})
	}
	return contexts, checks
}

func appOrNull(id int64) any {
	if id == 0 {
		return nil
	}
	return id
}

func (c *call) requiredChecks(name string, p Protection) obj {
	contexts, checks := checksOf(p.Checks)
	api := c.srv.public + "/repos/" + c.repo.fullName() + "/branches/" + name + "/protection/required_status_checks"
	return obj{"url": api, "strict": false, "contexts": contexts, "contexts_url": api + "/contexts", "checks": checks}
}

func getProtection(c *call) reply {
	name, _ := c.branch()
	p, found := c.repo.Protection[name]
	if !found {
		return failure(http.StatusNotFound, "Branch not protected")
	}
	api := c.srv.public + "/repos/" + c.repo.fullName() + "/branches/" + name + "/protection"
	o := obj{"url": api, "enforce_admins": obj{"url": api + "/enforce_admins", "enabled": p.EnforceAdmins != ""}}
	for _, key := range []string{"required_linear_history", "allow_force_pushes", "allow_deletions", "block_creations", "required_conversation_resolution", "lock_branch", "allow_fork_syncing"} {
		o[key] = obj{"enabled": false}
	}
	if p.Owners != "" {
		o["required_pull_request_reviews"] = obj{"url": api + "/required_pull_request_reviews", "dismiss_stale_reviews": false, "require_code_owner_reviews": true}
	}
	if len(p.Checks) > 0 {
		o["required_status_checks"] = c.requiredChecks(name, p)
	}
	return ok(o)
}

func getRequiredChecks(c *call) reply {
	name, _ := c.branch()
	p, found := c.repo.Protection[name]
	if !found || len(p.Checks) == 0 {
		return failure(http.StatusNotFound, "Required status checks not enabled")
	}
	return ok(c.requiredChecks(name, p))
}

func (r *repoState) rulesOf(branch string) []Rule {
	var list []Rule
	for _, rule := range r.Rules {
		if rule.Branch == branch {
			list = append(list, rule)
		}
	}
	return list
}

// listRules gives the rules that rulesets put on a branch; an unpinned check has no integration_id at all.
func listRules(c *call) reply {
	name, _ := c.branch()
	items := []any{}
	for i, rule := range c.repo.rulesOf(name) {
		if rule.Queue != "" {
			items = append(items, obj{"type": "merge_queue", "ruleset_source_type": "Repository", "ruleset_source": c.repo.fullName(), "ruleset_id": i + 1})
			continue
		}
		if rule.Review != "" {
			items = append(items, rule.reviewRule(c.repo.fullName(), i+1))
			continue
		}
		checks := []any{}
		for _, x := range rule.Checks {
			o := obj{"context": x.Context}
			if x.AppID != 0 {
				o["integration_id"] = x.AppID
			}
			checks = append(checks, o)
		}
		items = append(items, obj{"type": "required_status_checks", "ruleset_source_type": "Repository", "ruleset_source": c.repo.fullName(), "ruleset_id": i + 1,
			"parameters": obj{"strict_required_status_checks_policy": false, "required_status_checks": checks}})
	}
	return c.list(items)
}

func (c *call) renderEnvironment(e Environment) obj {
	o := obj{"id": e.ID, "node_id": nodeID("Environment", e.ID), "name": e.Name, "url": c.srv.public + "/repos/" + c.repo.fullName() + "/environments/" + e.Name,
		"html_url": c.srv.public + "/" + c.repo.fullName() + "/deployments/activity_log?environments_filter=" + e.Name, "created_at": stamp(c.repo.CreatedAt),
		"updated_at": stamp(c.repo.CreatedAt), "protection_rules": []any{}, "deployment_branch_policy": nil}
	if e.Policy != "" {
		o["deployment_branch_policy"] = obj{"protected_branches": e.Policy == "protected", "custom_branch_policies": e.Policy == "custom"}
		o["protection_rules"] = []any{obj{"id": e.ID, "node_id": nodeID("Gate", e.ID), "type": "branch_policy"}}
	}
	return o
}

func listEnvironments(c *call) reply {
	items := []any{}
	for _, e := range c.repo.Environments {
		items = append(items, c.renderEnvironment(e))
	}
	return c.wrapped("environments", items, len(items))
}

func (c *call) environment() (Environment, bool) {
	for _, e := range c.repo.Environments {
		if e.Name == c.req.PathValue("environment") {
			return e, true
		}
	}
	return Environment{}, false
}

func getEnvironment(c *call) reply {
	e, found := c.environment()
	if !found {
		return notFound()
	}
	return ok(c.renderEnvironment(e))
}

func listBranchPolicies(c *call) reply {
	e, found := c.environment()
	if !found {
		return notFound()
	}
	items := []any{}
	for i, pattern := range e.Branches {
		items = append(items, obj{"id": i + 1, "node_id": nodeID("GateBranchPolicy", int64(i+1)), "name": pattern, "type": "branch"})
	}
	return c.wrapped("branch_policies", items, len(items))
}

func (c *call) secrets(names []string) reply {
	items := []any{}
	for _, name := range names {
		items = append(items, obj{"name": name, "created_at": stamp(c.repo.CreatedAt), "updated_at": stamp(c.repo.CreatedAt)})
	}
	return c.wrapped("secrets", items, len(items))
}

func listEnvironmentSecrets(c *call) reply {
	e, found := c.environment()
	if !found {
		return notFound()
	}
	return c.secrets(e.Secrets)
}

func listSecrets(c *call) reply { return c.secrets(c.repo.Secrets) }

// AddSecret names a secret of the repository that every workflow of every branch can read. Values are never kept here.
func (r *Repository) AddSecret(name string) {
	r.with(func(st *repoState) { st.Secrets = append(st.Secrets, name) })
}

func installationURL(base string, id int64) string {
	return fmt.Sprintf("%s/app/installations/%d", base, id)
}
