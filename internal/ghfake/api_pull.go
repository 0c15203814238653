package ghfake

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"strings"
)

// maxPullCommits is where GitHub cuts the list of a pull request's commits, oldest first, whatever the page.
const maxPullCommits = 250

func listPulls(c *call) reply {
	state := cmp.Or(c.query("state"), "open")
	var found []*Pull
	for _, p := range slices.Backward(c.repo.Pulls) { // created, newest first
		owner, _ := splitName(p.HeadRepo)
		if (state != "all" && p.State != state) || differs(c.query("base"), p.BaseRef) || differs(c.query("head"), owner+":"+p.HeadRef) {
			continue
		}
		found = append(found, p)
	}
	if c.query("direction") == "asc" {
		slices.Reverse(found)
	}
	items := []any{}
	lag := c.lagging()
	for _, p := range found {
		items = append(items, c.renderPull(p, lag))
	}
	return c.list(items)
}

// lagging reports whether this read still shows pull requests before the last push, and counts it.
func (c *call) lagging() bool {
	if c.repo.PullLag > 0 {
		c.srv.change()
		c.repo.PullLag--
		return true
	}
	return c.repo.PullLag < 0
}

// commitsOf lists what the pull request brings, as GitHub orders it, not yet capped.
func (c *call) commitsOf(p *Pull, lagging bool) ([]string, error) {
	head := p.HeadSHA
	if lagging {
		head = p.OldHeadSHA
	}
	base := c.repo.Refs["refs/heads/"+p.BaseRef]
	if p.Merged { // the base holds the head by now: compare with what it was
		raw, _, err := c.handle.git.commit(p.MergeCommit)
		if err != nil || len(raw.parents) == 0 {
			return nil, err
		}
		base = raw.parents[0]
	}
	if base == "" {
		return nil, nil
	}
	return c.handle.git.between(base, head)
}

func getPull(c *call) reply {
	p := c.pull()
	if p == nil {
		return notFound()
	}
	lag := c.lagging()
	list, err := c.commitsOf(p, lag)
	if err != nil {
		return broken(err)
	}
	return ok(c.renderPullWhole(p, lag, len(list)))
}

func listPullCommits(c *call) reply {
	p := c.pull()
	if p == nil {
		return notFound()
	}
	list, err := c.commitsOf(p, c.lagging())
	if err != nil {
		return broken(err)
	}
	items := []any{}
	for _, id := range list[:min(len(list), maxPullCommits)] {
		raw, _, err := c.handle.git.commit(id)
		if err != nil {
			return broken(err)
		}
		items = append(items, lazy(func() any { return c.srv.commit(c.repo, raw) }))
	}
	return c.list(items)
}

// listCommitPulls lists the pull requests that contain a commit: the merged one that brought it if it is on
// the default branch, else open and merged ones. Heads of forks are not indexed, as on GitHub.
func listCommitPulls(c *call) reply {
	id, out, found := c.resolve(c.req.PathValue("ref"))
	if !found {
		return out
	}
	onDefault := c.handle.git.contains(c.repo.Refs["refs/heads/"+c.repo.DefaultBranch], id)
	items := []any{}
	lag := c.lagging()
	for _, p := range c.repo.Pulls {
		if p.HeadRepoID != c.repo.ID || (onDefault && !p.Merged) || (p.State == "closed" && !p.Merged) {
			continue
		}
		list, err := c.commitsOf(p, false)
		if err != nil {
			return broken(err)
		}
		if slices.Contains(list, id) {
			items = append(items, c.renderPull(p, lag))
		}
	}
	return c.list(items)
}

// mergePull refuses what GitHub's branch rules refuse: a head that moved, and a required check that is not success.
func mergePull(c *call) reply {
	var in struct {
		SHA string `json:"sha"`
	}
	if len(c.body) > 0 && !c.decode(&in) {
		return c.out
	}
	p := c.pull()
	if p == nil {
		return notFound()
	}
	if p.State != "open" {
		return failure(http.StatusMethodNotAllowed, "Pull Request is not mergeable")
	}
	if differs(in.SHA, p.HeadSHA) {
		return failure(http.StatusConflict, "Head branch was modified. Review and try the merge again.")
	}
	if missing := c.repo.unmet(p.BaseRef, p.HeadSHA); missing != "" {
		return failure(http.StatusMethodNotAllowed, fmt.Sprintf("Required status check %q is expected.", missing))
	}
	id, err := c.handle.merge(p, c.token.User, c.srv.Clock.Now())
	if err != nil {
		return broken(err)
	}
	return ok(obj{"sha": id, "merged": true, "message": "Pull Request successfully merged"})
}

// unmet names a check that a branch requires and the commit does not have as success of the pinned app.
func (r *repoState) unmet(branch, sha string) string {
	required := slices.Clone(r.Protection[branch].Checks)
	for _, rule := range r.Rules {
		if rule.Branch == branch {
			required = append(required, rule.Checks...)
		}
	}
	latest := r.latest(sha)
	for _, need := range required {
		met := slices.ContainsFunc(latest, func(x Status) bool {
			return strings.EqualFold(x.Context, need.Context) && x.State == "success" && (need.AppID <= 0 || x.AppID == need.AppID)
		})
		if !met {
			return need.Context
		}
	}
	return ""
}
