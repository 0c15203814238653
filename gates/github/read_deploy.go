package github

import (
	"context"
	"fmt"
	"net/url"
	"time"

	"selffix/gates"
)

type wireDeployment struct {
	ID          *int64     `json:"id"`
	SHA         *string    `json:"sha"`
	Environment *string    `json:"environment"`
	CreatedAt   *time.Time `json:"created_at"`
}

func (w wireDeployment) convert() (gates.Deployment, int64, error) {
	if !has(w.ID) || !gates.IsSHA(text(w.SHA)) || !filled(w.Environment) || !dated(w.CreatedAt) {
		return gates.Deployment{}, 0, lacks("a deployment lacks its id, commit, environment or time")
	}
	return gates.Deployment{ID: *w.ID, SHA: *w.SHA, Environment: *w.Environment, CreatedAt: *w.CreatedAt}, *w.ID, nil
}

type wireDeploymentStatus struct {
	ID             *int64     `json:"id"`
	State          *string    `json:"state"`
	EnvironmentURL *string    `json:"environment_url"`
	CreatedAt      *time.Time `json:"created_at"`
}

// deployment reads the newest deployment of a commit to an environment, and the state and address that its newest
// status gives it. It lists twice, since a newer deployment forbids what an older one allows. The zero Deployment
// means that there is none.
func (c *Client) deployment(ctx context.Context, sha, environment string) (gates.Deployment, error) {
	var newest gates.Deployment
	for _, per := range []int{perPage, otherPer} {
		l := listing{path: c.at("deployments"), query: url.Values{"sha": {sha}, "environment": {environment}}, per: per}
		all, err := list(ctx, c, l, wireDeployment.convert)
		if err != nil {
			return gates.Deployment{}, err
		}
		for _, d := range all {
			if d.SHA != sha || d.Environment != environment {
				return gates.Deployment{}, fail("GET /"+l.path, ErrField, "expected deployments of the commit and environment that were asked for")
			}
			if d.CreatedAt.After(newest.CreatedAt) || d.CreatedAt.Equal(newest.CreatedAt) && d.ID > newest.ID {
				newest = d
			}
		}
	}
	if newest.ID == 0 {
		return newest, nil
	}
	return c.deploymentState(ctx, newest)
}

func (c *Client) deploymentState(ctx context.Context, d gates.Deployment) (gates.Deployment, error) {
	var newest wireDeploymentStatus
	l := listing{path: c.at(fmt.Sprintf("deployments/%d/statuses", d.ID))}
	_, err := list(ctx, c, l, func(w wireDeploymentStatus) (struct{}, int64, error) {
		if !has(w.ID) || !filled(w.State) || !dated(w.CreatedAt) {
			return struct{}{}, 0, lacks("a deployment status lacks its id, state or time")
		}
		if newest.ID == nil || w.CreatedAt.After(*newest.CreatedAt) || w.CreatedAt.Equal(*newest.CreatedAt) && *w.ID > *newest.ID {
			newest = w
		}
		return struct{}{}, *w.ID, nil
	})
	if err != nil {
		return gates.Deployment{}, err
	}
	d.State, d.URL = text(newest.State), text(newest.EnvironmentURL)
	return d, nil
}
