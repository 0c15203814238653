package ghfake

import "fmt"

// pull renders a pull request as listings do. lagging shows the head before the last push.
func (c *call) renderPull(p *Pull, lagging bool) obj {
	s, r := c.srv, c.repo
	api := fmt.Sprintf("%s/repos/%s/pulls/%d", s.public, r.fullName(), p.Number)
	issue := fmt.Sprintf("%s/repos/%s/issues/%d", s.public, r.fullName(), p.Number)
	page := fmt.Sprintf("%s/%s/pull/%d", s.public, r.fullName(), p.Number)
	head := p.HeadSHA
	if lagging {
		head = p.OldHeadSHA
	}
	statuses := s.public + "/repos/" + r.fullName() + "/statuses/" + head
	labels := []any{}
	for _, id := range p.Labels {
		labels = append(labels, s.label(r, r.labelByID(id)))
	}
	o := obj{"id": p.ID, "node_id": nodeID("PullRequest", p.ID), "number": p.Number, "state": p.State, "locked": false, "draft": p.Draft,
		"title": p.Title, "body": orNull(p.Body), "user": s.user(p.Author), "labels": labels, "assignee": nil, "assignees": []any{},
		"requested_reviewers": []any{}, "requested_teams": []any{}, "milestone": nil, "created_at": stamp(p.CreatedAt),
		"updated_at": stamp(p.UpdatedAt), "closed_at": stamp(p.ClosedAt), "merged_at": stamp(p.MergedAt), "merge_commit_sha": orNull(p.MergeCommit),
		"author_association": "OWNER", "auto_merge": nil, "url": api, "html_url": page, "diff_url": page + ".diff", "patch_url": page + ".patch",
		"issue_url": issue, "commits_url": api + "/commits", "review_comments_url": api + "/comments", "review_comment_url": api + "/comments{/number}",
		"comments_url": issue + "/comments", "statuses_url": statuses,
		"head": c.side(p.HeadRepoID, p.HeadRepo, p.HeadRef, head, p.Author), "base": c.side(r.ID, r.fullName(), p.BaseRef, r.Refs["refs/heads/"+p.BaseRef], s.owner(r))}
	href := func(u string) obj { return obj{"href": u} }
	o["_links"] = obj{"self": href(api), "html": href(page), "issue": href(issue), "comments": href(issue + "/comments"), "review_comments": href(api + "/comments"),
		"review_comment": href(api + "/comments{/number}"), "commits": href(api + "/commits"), "statuses": href(statuses)}
	return o
}

// side renders the head or the base. A deleted fork has no repository and an unknown account.
func (c *call) side(id int64, full, ref, sha string, u User) obj {
	o := obj{"label": full + ":" + ref, "ref": ref, "sha": sha, "user": c.srv.user(u), "repo": nil}
	switch {
	case id == c.repo.ID:
		o["repo"] = c.srv.full(c.repo)
		o["user"] = c.srv.user(c.srv.owner(c.repo))
	case id != 0:
		fork := *c.repo
		fork.ID, fork.OldNames = id, nil
		fork.Owner, fork.Name = splitName(full)
		o["repo"] = c.srv.full(&fork)
		o["repo"].(obj)["fork"] = true
	}
	return o
}

// renderPullWhole adds what only GET pulls/{number} gives.
func (c *call) renderPullWhole(p *Pull, lagging bool, commits int) obj {
	o := c.renderPull(p, lagging)
	for name, v := range (obj{"merged": p.Merged, "mergeable": true, "mergeable_state": "clean", "merged_by": nil, "rebaseable": nil,
		"comments": len(p.Comments), "review_comments": 0, "maintainer_can_modify": false, "commits": commits, "additions": 1, "deletions": 0, "changed_files": 1}) {
		o[name] = v
	}
	return o
}
