package ghfake

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
)

func listEvents(c *call) reply {
	p := c.pull()
	if p == nil {
		return notFound()
	}
	items := []any{}
	for _, e := range p.Events {
		items = append(items, lazy(func() any { return c.srv.issueEvent(c.repo, e) }))
	}
	return c.list(items)
}

// listTimeline adds commits and comments to the events, by the time that each claims; a commit's record has neither
// created_at nor actor. A change of the base stands in the events alone.
func listTimeline(c *call) reply {
	p := c.pull()
	if p == nil {
		return notFound()
	}
	type entry struct {
		at   time.Time
		item lazy
	}
	var list []entry
	commits, err := c.commitsOf(p, false)
	if err != nil {
		return broken(err)
	}
	for _, id := range commits[:min(len(commits), maxPullCommits)] {
		raw, _, err := c.handle.git.commit(id)
		if err != nil {
			return broken(err)
		}
		list = append(list, entry{raw.committer.Date, func() any {
			o := c.gitCommit(raw)
			o["event"] = "committed"
			return o
		}})
	}
	for _, e := range p.Events {
		if e.Event != "base_ref_changed" {
			list = append(list, entry{e.CreatedAt, func() any { return c.srv.issueEvent(c.repo, e) }})
		}
	}
	for _, x := range p.Comments {
		list = append(list, entry{x.CreatedAt, func() any {
			o := c.srv.comment(c.repo, p, x)
			o["event"], o["actor"] = "commented", o["user"]
			return o
		}})
	}
	slices.SortStableFunc(list, func(a, b entry) int { return a.at.Compare(b.at) })
	items := []any{}
	for _, e := range list {
		items = append(items, e.item)
	}
	return c.list(items)
}

func (c *call) labelsOf(p *Pull) []any {
	items := []any{}
	for _, id := range p.Labels {
		items = append(items, c.srv.label(c.repo, c.repo.labelByID(id)))
	}
	return items
}

func listLabels(c *call) reply {
	p := c.pull()
	if p == nil {
		return notFound()
	}
	return c.list(c.labelsOf(p))
}

func addLabels(c *call) reply {
	var in struct {
		Labels []string `json:"labels"`
	}
	p := c.pull()
	if p == nil {
		return notFound()
	}
	if !c.decode(&in) {
		return c.out
	}
	for _, name := range in.Labels {
		c.srv.addLabel(c.repo, p, c.token, name)
	}
	return ok(c.labelsOf(p))
}

func deleteLabel(c *call) reply {
	p := c.pull()
	if p == nil || !c.srv.removeLabel(c.repo, p, c.token, c.req.PathValue("name")) {
		return failure(http.StatusNotFound, "Label does not exist")
	}
	return ok(c.labelsOf(p))
}

func getLabel(c *call) reply {
	l := c.repo.label(c.req.PathValue("name"))
	if l == nil {
		return notFound()
	}
	return ok(c.srv.label(c.repo, *l))
}

func listComments(c *call) reply {
	p := c.pull()
	if p == nil {
		return notFound()
	}
	items := []any{}
	for _, x := range p.Comments {
		items = append(items, c.srv.comment(c.repo, p, x))
	}
	return c.list(items)
}

func createComment(c *call) reply {
	var in struct {
		Body string `json:"body"`
	}
	p := c.pull()
	if p == nil {
		return notFound()
	}
	if !c.decode(&in) {
		return c.out
	}
	if strings.TrimSpace(in.Body) == "" || len(in.Body) > 65536 {
		return invalid("IssueComment", "missing_field", "body")
	}
	o := c.srv.comment(c.repo, p, c.srv.addComment(p, c.token, in.Body))
	return reply{status: http.StatusCreated, body: o, header: http.Header{"Location": {o["url"].(string)}}}
}

// listActivity is paged by a cursor: newest first, and a Link with after= and no page number.
func listActivity(c *call) reply {
	var list []Activity
	for _, a := range slices.Backward(c.repo.Activity) {
		ref := c.query("ref")
		if (ref != "" && a.Ref != ref && a.Ref != "refs/heads/"+ref) || differs(c.query("activity_type"), a.Type) {
			continue
		}
		list = append(list, a)
	}
	if after := c.query("after"); after != "" {
		i := slices.IndexFunc(list, func(a Activity) bool { return cursor(a.ID) == after })
		if i < 0 {
			return failure(http.StatusUnprocessableEntity, "Invalid cursor")
		}
		list = list[i+1:]
	}
	header := http.Header{}
	if per := c.perPage(); len(list) > per {
		list = list[:per]
		header.Set("Link", "<"+c.pageURL("after", cursor(list[per-1].ID))+`>; rel="next"`)
	}
	items := []any{}
	for _, a := range list {
		items = append(items, obj{"id": a.ID, "node_id": nodeID("Activity", a.ID), "before": a.Before, "after": a.After, "ref": a.Ref,
			"timestamp": stamp(a.Timestamp), "activity_type": a.Type, "actor": c.srv.user(a.Actor)})
	}
	items = c.distorted(pageOf(c.req), items)
	return reply{status: http.StatusOK, body: items, header: header}
}

func cursor(id int64) string { return url.QueryEscape(nodeID("cursor", id)) }
