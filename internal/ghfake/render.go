package ghfake

import (
	"encoding/base64"
	"fmt"
	"strings"
	"time"
)

// stamp writes a time as the API does; the zero time is null.
func stamp(t time.Time) any {
	if t.IsZero() {
		return nil
	}
	return t.UTC().Format(time.RFC3339)
}

// orNull is s, or null when it is empty.
func orNull(s string) any {
	if s == "" {
		return nil
	}
	return s
}

func nodeID(kind string, id int64) string {
	return base64.StdEncoding.EncodeToString(fmt.Appendf(nil, "0%d:%s%d", len(kind), kind, id))
}

// links sets the *_url members that GitHub derives from an object's own address.
func links(o obj, base string, names string) obj {
	for name := range strings.FieldsSeq(names) {
		o[name+"_url"] = base + "/" + name
	}
	return o
}

const (
	userLinks = "followers following gists starred subscriptions organizations repos events received_events"
	repoLinks = "archive assignees blobs branches collaborators comments commits compare contents contributors deployments " +
		"downloads events forks git_commits git_refs git_tags hooks issue_comment issue_events issues keys labels languages " +
		"merges milestones notifications pulls releases stargazers statuses subscribers subscription tags teams trees"
)

// user renders an account; the zero account is null.
func (s *Server) user(u User) any {
	if u.ID == 0 {
		return nil
	}
	if now, ok := s.st.Users[u.ID]; ok {
		u = now // an account shows its present login everywhere
	}
	base := s.public + "/users/" + u.Login
	return links(obj{"login": u.Login, "id": u.ID, "node_id": nodeID("User", u.ID), "type": u.Type, "site_admin": false,
		"avatar_url": s.public + "/avatars/u/" + fmt.Sprint(u.ID), "gravatar_id": "", "url": base, "html_url": s.public + "/" + u.Login}, base, userLinks)
}

// app renders the app that acted for somebody; 0 is null.
func (s *Server) app(id int64) any {
	a, ok := s.apps[id]
	if !ok {
		return nil
	}
	return s.integration(a)
}

func (s *Server) integration(a App) obj {
	owner := a.Bot
	if a.ID == ActionsAppID {
		owner = User{ID: 9919, Login: "github", Type: "Organization"}
	}
	return obj{"id": a.ID, "slug": a.Slug, "node_id": nodeID("App", a.ID), "owner": s.user(owner), "name": a.Slug, "description": "",
		"external_url": s.public + "/apps/" + a.Slug, "html_url": s.public + "/apps/" + a.Slug, "created_at": "2020-01-01T00:00:00Z",
		"updated_at": "2020-01-01T00:00:00Z", "permissions": a.Permissions, "events": []any{}}
}

// minimal renders a repository as it stands inside other records.
func (s *Server) minimal(r *repoState) obj {
	base := s.public + "/repos/" + r.fullName()
	return links(obj{"id": r.ID, "node_id": nodeID("Repository", r.ID), "name": r.Name, "full_name": r.fullName(), "private": r.Private,
		"owner": s.user(s.owner(r)), "html_url": s.public + "/" + r.fullName(), "description": nil, "fork": false, "url": base}, base, repoLinks)
}

func (s *Server) owner(r *repoState) User {
	for _, u := range s.st.Users {
		if strings.EqualFold(u.Login, r.Owner) {
			return u
		}
	}
	return User{ID: 1, Login: r.Owner, Type: "User"}
}

// full renders a repository as GET repos/{owner}/{repo} does.
func (s *Server) full(r *repoState) obj {
	o := s.minimal(r)
	page := s.public + "/" + r.fullName()
	for name, v := range (obj{"default_branch": r.DefaultBranch, "visibility": "public", "clone_url": page + ".git", "git_url": page + ".git",
		"ssh_url": "git@127.0.0.1:" + r.fullName() + ".git", "svn_url": page, "mirror_url": nil, "homepage": nil, "language": nil, "license": nil,
		"forks": 0, "forks_count": 0, "stargazers_count": 0, "watchers": 0, "watchers_count": 0, "open_issues": 0, "open_issues_count": 0,
		"network_count": 0, "subscribers_count": 0, "size": 0, "has_issues": true, "has_projects": false, "has_wiki": false, "has_pages": false,
		"has_discussions": false, "has_downloads": false, "archived": false, "disabled": false, "topics": []any{}, "is_template": false,
		"created_at": stamp(r.CreatedAt), "updated_at": stamp(r.CreatedAt), "pushed_at": stamp(r.CreatedAt)}) {
		o[name] = v
	}
	if r.Private {
		o["visibility"] = "private"
	}
	return o
}

// status renders a commit status. The combined listing leaves the creator out, as GitHub's does.
func (s *Server) status(r *repoState, x Status) obj {
	return obj{"url": s.public + "/repos/" + r.fullName() + "/statuses/" + x.SHA, "avatar_url": s.public + "/avatars/u/" + fmt.Sprint(x.Creator.ID), "id": x.ID,
		"node_id": nodeID("StatusContext", x.ID), "state": x.State, "description": orNull(x.Description), "target_url": orNull(x.Target),
		"context": x.Context, "created_at": stamp(x.CreatedAt), "updated_at": stamp(x.UpdatedAt)}
}

func (s *Server) label(r *repoState, l Label) obj {
	return obj{"id": l.ID, "node_id": nodeID("Label", l.ID), "name": l.Name, "color": l.Color, "default": false, "description": "",
		"url": s.public + "/repos/" + r.fullName() + "/labels/" + l.Name}
}

// issueEvent renders a record of the history. One whose label was deleted has no label member at all.
func (s *Server) issueEvent(r *repoState, e IssueEvent) obj {
	o := obj{"id": e.ID, "node_id": nodeID("Event", e.ID), "url": fmt.Sprintf("%s/repos/%s/issues/events/%d", s.public, r.fullName(), e.ID),
		"actor": s.user(e.Actor), "event": e.Event, "commit_id": orNull(e.CommitID), "commit_url": nil, "created_at": stamp(e.CreatedAt),
		"performed_via_github_app": s.app(e.AppID)}
	if e.CommitID != "" {
		o["commit_url"] = s.public + "/repos/" + r.fullName() + "/commits/" + e.CommitID
	}
	if e.Label != "" {
		o["label"] = obj{"name": e.Label, "color": e.Color}
	}
	return o
}

func (s *Server) comment(r *repoState, p *Pull, c Comment) obj {
	base := s.public + "/repos/" + r.fullName()
	return obj{"id": c.ID, "node_id": nodeID("IssueComment", c.ID), "url": fmt.Sprintf("%s/issues/comments/%d", base, c.ID),
		"html_url":  fmt.Sprintf("%s/%s/pull/%d#issuecomment-%d", s.public, r.fullName(), p.Number, c.ID),
		"issue_url": fmt.Sprintf("%s/issues/%d", base, p.Number), "user": s.user(c.Author), "body": c.Body, "created_at": stamp(c.CreatedAt),
		"updated_at": stamp(c.CreatedAt), "author_association": "NONE", "performed_via_github_app": s.app(c.AppID)}
}

// person renders a name in a commit.
func gitPerson(p Person) obj {
	return obj{"name": p.Name, "email": p.Email, "date": stamp(p.Date)}
}

// linked is the account that a commit's address belongs to; null when it belongs to nobody, as for most bots.
func (s *Server) linked(p Person) any {
	for _, u := range s.st.Users {
		if strings.EqualFold(p.Email, u.Email()) {
			return s.user(u)
		}
	}
	return nil
}

func unsigned() obj {
	return obj{"verified": false, "reason": "unsigned", "signature": nil, "payload": nil, "verified_at": nil}
}

// commit renders a commit of the listing and of commits/{ref}.
func (s *Server) commit(r *repoState, c rawCommit) obj {
	base := s.public + "/repos/" + r.fullName()
	parents := []any{}
	for _, p := range c.parents {
		parents = append(parents, obj{"sha": p, "url": base + "/commits/" + p, "html_url": s.public + "/" + r.fullName() + "/commit/" + p})
	}
	return obj{"sha": c.id, "node_id": "C_" + c.id, "url": base + "/commits/" + c.id, "html_url": s.public + "/" + r.fullName() + "/commit/" + c.id,
		"comments_url": base + "/commits/" + c.id + "/comments",
		"commit": obj{"author": gitPerson(c.author), "committer": gitPerson(c.committer), "message": strings.TrimSuffix(c.message, "\n"), "comment_count": 0,
			"tree": obj{"sha": c.tree, "url": base + "/git/trees/" + c.tree}, "url": base + "/git/commits/" + c.id, "verification": unsigned()},
		"author": s.linked(c.author), "committer": s.linked(c.committer), "parents": parents}
}
