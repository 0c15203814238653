package github

import (
	"context"
	"fmt"
	"net/url"

	"selffix/gates"
)

// PullRequest reads a pull request's own record.
func (c *Client) PullRequest(ctx context.Context, number int) (gates.PullRequest, error) {
	raw, w, err := get[wirePull](ctx, c, c.at(fmt.Sprintf("pulls/%d", number)), "", nil)
	if err != nil {
		return gates.PullRequest{}, err
	}
	pr, err := raw.whole()
	if err != nil {
		return gates.PullRequest{}, named(&call{want: *w}, err)
	}
	if pr.Number != number || pr.BaseRepoID != c.layer.id {
		return gates.PullRequest{}, fail(w.route, ErrField, "expected the pull request that was asked for, in this repository")
	}
	return pr, nil
}

// openPulls lists every open pull request.
func (c *Client) openPulls(ctx context.Context) ([]gates.PullRequest, error) {
	return list(ctx, c, listing{path: c.at("pulls"), query: url.Values{"state": {"open"}}}, wirePull.convert)
}

// commitPulls lists the pull requests that contain a commit, whatever their state.
func (c *Client) commitPulls(ctx context.Context, sha string) ([]gates.PullRequest, error) {
	return list(ctx, c, listing{path: c.at("commits/" + sha + "/pulls")}, wirePull.convert)
}

// pullCommits lists the commits of a pull request, of which GitHub shows 250 at most.
func (c *Client) pullCommits(ctx context.Context, number int) ([]gates.Commit, error) {
	return list(ctx, c, listing{path: c.at(fmt.Sprintf("pulls/%d/commits", number))}, wireCommit.convert)
}

// Statuses lists every status of a commit, each with its creator.
func (c *Client) Statuses(ctx context.Context, sha string) ([]gates.Status, error) {
	return list(ctx, c, listing{path: c.at("commits/" + sha + "/statuses")}, wireStatus.convert)
}

// everyStatus lists the statuses of a commit in pages of two sizes and returns what either shows: a number of them that forbids
// is not made smaller by one listing that was cut.
func (c *Client) everyStatus(ctx context.Context, sha string) ([]gates.Status, error) {
	var all []gates.Status
	known := map[int64]bool{}
	for _, per := range []int{perPage, otherPer} {
		pass, err := list(ctx, c, listing{path: c.at("commits/" + sha + "/statuses"), per: per}, wireStatus.convert)
		if err != nil {
			return nil, err
		}
		for _, s := range pass {
			if !known[s.ID] {
				all = append(all, s)
			}
			known[s.ID] = true
		}
	}
	return all, nil
}

// latestStatuses lists the id of the newest status of each context. That route has no creators, so it proves
// nothing about anybody; it shows what a listing that was cut at its newest end lacks.
func (c *Client) latestStatuses(ctx context.Context, sha string) (map[string]int64, error) {
	type combined struct {
		SHA      *string       `json:"sha"`
		Total    *int          `json:"total_count"`
		Statuses *[]wireStatus `json:"statuses"`
	}
	found := map[string]int64{}
	n, total := 0, -1
	l := listing{path: c.at("commits/" + sha + "/status"), kind: '{'}
	err := pages(ctx, c, l, func(page combined) (int, bool, error) {
		if page.SHA == nil || *page.SHA != sha || page.Total == nil || page.Statuses == nil {
			return 0, false, lacks("expected the combined status of the commit that was asked for, with its total")
		}
		for _, w := range *page.Statuses {
			s, _, err := w.convert()
			if err != nil {
				return 0, false, err
			}
			found[s.Context] = max(found[s.Context], s.ID)
		}
		n, total = n+len(*page.Statuses), *page.Total
		return len(*page.Statuses), false, nil
	})
	if err == nil && n != total {
		return nil, fail("GET /"+l.path, ErrTruncated, "%d of %d contexts were listed", n, total)
	}
	return found, err
}

// statuses reads the statuses of a commit from both routes: the newest of each context must be in the listing.
func (c *Client) statuses(ctx context.Context, sha string) ([]gates.Status, error) {
	all, err := c.Statuses(ctx, sha)
	if err != nil {
		return nil, err
	}
	newest, err := c.latestStatuses(ctx, sha)
	if err != nil {
		return nil, err
	}
	ids := map[int64]bool{}
	for _, s := range all {
		ids[s.ID] = true
	}
	for _, id := range newest {
		if !ids[id] {
			return nil, fail("GET /"+c.at("commits/"+sha+"/statuses"), ErrTruncated, "the listing lacks a status that the combined status shows")
		}
	}
	return all, nil
}

// comments counts the comments of a pull request, and those of self-fix among them.
func (c *Client) comments(ctx context.Context, number int, robot int64) (gates.Comments, error) {
	var n gates.Comments
	_, err := list(ctx, c, listing{path: c.at(fmt.Sprintf("issues/%d/comments", number))}, func(w wireComment) (bool, int64, error) {
		self, err := w.self(robot)
		n.All++
		if self {
			n.Own++
		}
		if !has(w.ID) {
			return false, 0, lacks("a comment lacks its id")
		}
		return self, *w.ID, err
	})
	return n, err
}

// labels lists the labels of a pull request.
func (c *Client) labels(ctx context.Context, number int) ([]string, error) {
	return list(ctx, c, listing{path: c.at(fmt.Sprintf("issues/%d/labels", number))}, func(w wireLabel) (string, string, error) {
		if !filled(w.Name) {
			return "", "", lacks("a label lacks its name")
		}
		return *w.Name, *w.Name, nil
	})
}
