package ghfake

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
)

func listStatuses(c *call) reply {
	id, out, found := c.resolve(c.req.PathValue("ref"))
	if !found {
		return out
	}
	items := []any{}
	for _, x := range c.repo.newest(id) {
		items = append(items, lazy(func() any {
			o := c.srv.status(c.repo, x)
			o["creator"] = c.srv.user(x.Creator)
			return o
		}))
	}
	return c.list(items)
}

// newest lists the statuses of a commit, newest first.
func (r *repoState) newest(sha string) []Status {
	var list []Status
	for _, x := range slices.Backward(r.Statuses) {
		if x.SHA == sha {
			list = append(list, x)
		}
	}
	return list
}

// combinedStatus gives the newest status of each context, without creators.
func combinedStatus(c *call) reply {
	id, out, found := c.resolve(c.req.PathValue("ref"))
	if !found {
		return out
	}
	latest := c.repo.latest(id)
	items := []any{}
	for _, x := range latest {
		items = append(items, c.srv.status(c.repo, x))
	}
	total := len(latest)
	if c.fault != nil && c.fault.Total != nil {
		total = c.fault.Total(total)
	}
	part, header := c.page(items)
	base := c.srv.public + "/repos/" + c.repo.fullName() + "/commits/" + id
	return reply{status: http.StatusOK, header: header, body: obj{"state": combine(latest), "sha": id, "total_count": total, "statuses": part,
		"repository": c.srv.minimal(c.repo), "commit_url": base, "url": base + "/status"}}
}

// latest is the newest status of each context of a commit; contexts are compared without case.
func (r *repoState) latest(sha string) []Status {
	var list []Status
	seen := map[string]bool{}
	for _, x := range r.newest(sha) {
		if key := strings.ToLower(x.Context); !seen[key] {
			seen[key] = true
			list = append(list, x)
		}
	}
	return list
}

func combine(list []Status) string {
	state := "success"
	for _, x := range list {
		if x.State == "failure" || x.State == "error" {
			return "failure"
		}
		if x.State == "pending" {
			state = "pending"
		}
	}
	if len(list) == 0 {
		return "pending"
	}
	return state
}

func createStatus(c *call) reply {
	var in struct {
		State       string `json:"state"`
		Context     string `json:"context"`
		Description string `json:"description"`
		TargetURL   string `json:"target_url"`
	}
	if !c.decode(&in) {
		return c.out
	}
	id, out, found := c.resolve(c.req.PathValue("sha"))
	if !found {
		return out
	}
	if in.Context == "" {
		in.Context = "default"
	}
	if !slices.Contains([]string{"error", "failure", "pending", "success"}, in.State) {
		return invalid("Status", "custom", "State is not included in the list")
	}
	if len(in.Description) > 140 {
		return invalid("Status", "custom", "Description is too long (maximum is 140 characters)")
	}
	count := 0
	for _, x := range c.repo.Statuses {
		if x.SHA == id && strings.EqualFold(x.Context, in.Context) {
			count++
		}
	}
	if count >= maxStatuses {
		return invalid("Status", "custom", "This SHA and context has reached the maximum number of statuses.")
	}
	x := c.srv.addStatus(c.repo, Status{SHA: id, Context: in.Context, State: in.State, Description: in.Description, Target: in.TargetURL, Creator: c.token.User, AppID: c.token.AppID})
	o := c.srv.status(c.repo, x)
	o["creator"] = c.srv.user(x.Creator)
	return reply{status: http.StatusCreated, body: o, header: http.Header{"Location": {o["url"].(string)}}}
}

func listDeployments(c *call) reply {
	items := []any{}
	for _, d := range slices.Backward(c.repo.Deployments) {
		if differs(c.query("sha"), d.SHA) || differs(c.query("ref"), d.Ref) || differs(c.query("environment"), d.Environment) {
			continue
		}
		api := fmt.Sprintf("%s/repos/%s/deployments/%d", c.srv.public, c.repo.fullName(), d.ID)
		items = append(items, obj{"id": d.ID, "node_id": nodeID("Deployment", d.ID), "url": api, "sha": d.SHA, "ref": d.Ref, "task": "deploy", "payload": obj{},
			"environment": d.Environment, "original_environment": d.Environment, "description": nil, "creator": c.srv.user(d.Creator), "created_at": stamp(d.CreatedAt),
			"updated_at": stamp(d.CreatedAt), "statuses_url": api + "/statuses", "repository_url": c.srv.public + "/repos/" + c.repo.fullName(),
			"transient_environment": true, "production_environment": false, "performed_via_github_app": c.srv.app(d.AppID)})
	}
	return c.list(items)
}

// differs reports whether a query value is given and is another than have.
func differs(want, have string) bool { return want != "" && want != have }

func listDeploymentStatuses(c *call) reply {
	for _, d := range c.repo.Deployments {
		if d.ID != c.number("deployment") {
			continue
		}
		api := fmt.Sprintf("%s/repos/%s/deployments/%d", c.srv.public, c.repo.fullName(), d.ID)
		items := []any{}
		for _, x := range slices.Backward(d.Statuses) {
			items = append(items, obj{"id": x.ID, "node_id": nodeID("DeploymentStatus", x.ID), "url": fmt.Sprintf("%s/statuses/%d", api, x.ID), "state": x.State,
				"creator": c.srv.user(x.Creator), "description": "", "environment": d.Environment, "environment_url": x.EnvironmentURL, "log_url": "",
				"target_url": x.EnvironmentURL, "created_at": stamp(x.CreatedAt), "updated_at": stamp(x.CreatedAt), "deployment_url": api,
				"repository_url": c.srv.public + "/repos/" + c.repo.fullName(), "performed_via_github_app": c.srv.app(d.AppID)})
		}
		return c.list(items)
	}
	return notFound()
}
