package github

import (
	"context"
	"errors"
	"net/url"
)

// Environment is a deployment environment. Only names are read of its secrets and variables.
type Environment struct {
	Name     string
	Branches []string // the patterns of branches that may use it
	Limited  bool     // Branches limits it; false: every branch may use it
	// Protected: every protected branch may use it. That is not one branch.
	Protected bool
	Secrets   []string
	Variables []string
}

// isNotFound reports whether GitHub said that there is no such thing.
func isNotFound(err error) bool { return errors.Is(err, ErrNotFound) }

// Environment reads an environment. [ErrNotFound] means that there is none, or that the token may not see it.
func (c *Client) Environment(ctx context.Context, name string) (Environment, error) {
	type record struct {
		Name   *string `json:"name"`
		Policy *struct {
			Protected *bool `json:"protected_branches"`
			Custom    *bool `json:"custom_branch_policies"`
		} `json:"deployment_branch_policy"`
	}
	path := c.at("environments/" + url.PathEscape(name))
	label := c.at("environments/{environment}")
	r, w, err := get[record](ctx, c, path, label, nil)
	if err != nil {
		return Environment{}, err
	}
	if text(r.Name) != name {
		return Environment{}, fail(w.route, ErrField, "expected the environment that was asked for")
	}
	e := Environment{Name: name}
	if p := r.Policy; p != nil {
		if p.Protected == nil || p.Custom == nil || *p.Protected == *p.Custom {
			return Environment{}, fail(w.route, ErrField, "expected either protected branches or custom patterns")
		}
		e.Limited, e.Protected = *p.Custom, *p.Protected
	}
	if e.Limited {
		if e.Branches, err = c.named(ctx, listing{path: path + "/deployment-branch-policies", label: label + "/deployment-branch-policies", kind: '{'}, "branch_policies"); err != nil {
			return Environment{}, err
		}
	}
	if e.Secrets, err = c.named(ctx, listing{path: path + "/secrets", label: label + "/secrets", kind: '{'}, "secrets"); err != nil {
		return Environment{}, err
	}
	e.Variables, err = c.named(ctx, listing{path: path + "/variables", label: label + "/variables", kind: '{'}, "variables")
	return e, err
}

// RepositorySecrets names the secrets that every workflow of every branch can read.
func (c *Client) RepositorySecrets(ctx context.Context) ([]string, error) {
	return c.named(ctx, listing{path: c.at("actions/secrets"), kind: '{'}, "secrets")
}

// named lists the names in a listing with a total, which must be complete.
func (c *Client) named(ctx context.Context, l listing, key string) ([]string, error) {
	type entry struct {
		Name *string `json:"name"`
	}
	type record struct {
		Total     *int     `json:"total_count"`
		Policies  *[]entry `json:"branch_policies"`
		Secrets   *[]entry `json:"secrets"`
		Variables *[]entry `json:"variables"`
	}
	out, total := []string{}, 0
	err := pages(ctx, c, l, func(page record) (int, bool, error) {
		list := map[string]*[]entry{"branch_policies": page.Policies, "secrets": page.Secrets, "variables": page.Variables}[key]
		if page.Total == nil || list == nil {
			return 0, false, lacks("expected total_count and " + key)
		}
		total = *page.Total
		for _, e := range *list {
			if !filled(e.Name) {
				return 0, false, lacks("an entry lacks its name")
			}
			out = append(out, *e.Name)
		}
		return len(*list), false, nil
	})
	if err != nil {
		return nil, err
	}
	if len(out) != total {
		return nil, fail("GET /"+l.name(), ErrTruncated, "%d of %d entries were listed", len(out), total)
	}
	return out, nil
}

// Collaborator is an account that may write, or label.
type Collaborator struct {
	ID    int64
	Login string
	Write bool // may push branches; false: triage, which may label
}

// Collaborators lists who may label, and among them who may push a branch. It needs push access.
func (c *Client) Collaborators(ctx context.Context) ([]Collaborator, error) {
	type record struct {
		ID          *int64  `json:"id"`
		Login       *string `json:"login"`
		Permissions *struct {
			Push *bool `json:"push"`
		} `json:"permissions"`
	}
	l := listing{path: c.at("collaborators"), query: url.Values{"permission": {"triage"}}}
	return list(ctx, c, l, func(r record) (Collaborator, int64, error) {
		if !has(r.ID) || !filled(r.Login) || r.Permissions == nil || r.Permissions.Push == nil {
			return Collaborator{}, 0, lacks("a collaborator lacks id, login or permissions")
		}
		return Collaborator{*r.ID, *r.Login, *r.Permissions.Push}, *r.ID, nil
	})
}
