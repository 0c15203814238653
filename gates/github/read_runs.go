package github

import (
	"context"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"time"

	"selffix/gates"
)

type wireRun struct {
	ID         *int64     `json:"id"`
	Number     *int       `json:"run_number"`
	Attempt    *int       `json:"run_attempt"`
	Event      *string    `json:"event"`
	HeadBranch *string    `json:"head_branch"`
	Title      *string    `json:"display_title"`
	Status     *string    `json:"status"`
	Conclusion *string    `json:"conclusion"`
	CreatedAt  *time.Time `json:"created_at"`
	UpdatedAt  *time.Time `json:"updated_at"`
}

type wireRuns struct {
	Total *int       `json:"total_count"`
	Runs  *[]wireRun `json:"workflow_runs"`
}

func (w wireRun) convert() (gates.WorkflowRun, error) {
	if !has(w.ID) || w.Attempt == nil || *w.Attempt <= 0 || !filled(w.Event, w.Status) || !dated(w.CreatedAt) || w.Number == nil || *w.Number <= 0 {
		return gates.WorkflowRun{}, lacks("a run lacks its id, number, attempt, event, status or time")
	}
	r := gates.WorkflowRun{
		ID: *w.ID, Number: *w.Number, Attempt: *w.Attempt, Event: *w.Event, HeadBranch: text(w.HeadBranch), Title: text(w.Title),
		Status: *w.Status, Conclusion: text(w.Conclusion), CreatedAt: *w.CreatedAt,
	}
	if w.UpdatedAt != nil {
		r.UpdatedAt = *w.UpdatedAt
	}
	return r, nil
}

// scan says which runs are read.
type scan struct {
	workflow string // file name
	cutoff   time.Time
	own      int64
}

// runs lists the workflow's runs down to the first one older than the cutoff. It asks without filters, since
// GitHub cuts a filtered listing at 1,000 without a word, and twice, since a listing that forbids is the
// union of what was seen.
func (c *Client) runs(ctx context.Context, s scan) ([]gates.WorkflowRun, error) {
	all := map[int64]gates.WorkflowRun{}
	for _, per := range []int{perPage, otherPer} {
		pass, err := c.runsPass(ctx, s, per)
		if err != nil {
			return nil, err
		}
		for id, r := range pass {
			if have, ok := all[id]; ok {
				r = stricter(have, r)
			}
			all[id] = r
		}
	}
	if err := s.numbered(c, all); err != nil {
		return nil, err
	}
	out := slices.Collect(maps.Values(all))
	slices.SortFunc(out, func(a, b gates.WorkflowRun) int { return int(b.ID - a.ID) })
	return out, nil
}

// stricter keeps the record that counts for more: the later attempt, and not the skipped one.
func stricter(a, b gates.WorkflowRun) gates.WorkflowRun {
	if a.Attempt > b.Attempt || a.Attempt == b.Attempt && b.Skipped() {
		return a
	}
	return b
}

func (s scan) listing(c *Client) listing {
	return listing{path: c.at("actions/workflows/" + url.PathEscape(s.workflow) + "/runs"), kind: '{', full: true}
}

// runsPass walks the listing once. New runs push older ones to the next page, so an entry may come twice; entries
// that go missing show in a total that does not fit, or falls.
func (c *Client) runsPass(ctx context.Context, s scan, per int) (map[int64]gates.WorkflowRun, error) {
	l := s.listing(c)
	l.per = per
	found := map[int64]gates.WorkflowRun{}
	total, ended := -1, true
	var last time.Time
	err := pages(ctx, c, l, func(page wireRuns) (int, bool, error) {
		if page.Total == nil || page.Runs == nil || *page.Total < 0 {
			return 0, false, lacks("expected total_count and workflow_runs")
		}
		if *page.Total < total {
			return 0, false, fail("", ErrTruncated, "runs were deleted while they were listed")
		}
		if total < 0 {
			total = *page.Total
		}
		for _, w := range *page.Runs {
			r, err := w.convert()
			if err != nil {
				return 0, false, err
			}
			if !last.IsZero() && r.CreatedAt.After(last) {
				return 0, false, fail("", ErrTruncated, "the runs are not listed newest first")
			}
			last = r.CreatedAt
			found[r.ID] = r
		}
		ended = last.IsZero() || !last.Before(s.cutoff)
		return len(*page.Runs), !ended, nil
	})
	if err != nil {
		return nil, err
	}
	if ended && len(found) != total {
		return nil, fail("GET /"+l.path, ErrTruncated, "%d of %d runs were listed", len(found), total)
	}
	if _, ok := found[s.own]; !ok {
		return nil, fail("GET /"+l.path, ErrTruncated, "the listing lacks this run: it is old, or of another workflow file")
	}
	return found, nil
}

// numbered demands that no run is missing. GitHub numbers the runs of a workflow one after the other, so a gap is
// a run that somebody deleted or that the listing left out: an attempt that cannot be counted.
func (s scan) numbered(c *Client, all map[int64]gates.WorkflowRun) error {
	numbers := map[int]bool{}
	newest, oldest, reached := 0, 0, false
	for _, r := range all {
		numbers[r.Number] = true
		newest = max(newest, r.Number)
		if oldest == 0 || r.Number < oldest {
			oldest = r.Number
		}
		reached = reached || r.CreatedAt.Before(s.cutoff) || r.Number == 1
	}
	missing := newest - oldest + 1 - len(numbers)
	if missing > 0 || len(numbers) != len(all) || !reached {
		return fail("GET /"+s.listing(c).path, ErrTruncated, "runs %d to %d of the workflow are not all listed: attempts that were deleted cannot be counted", oldest, newest)
	}
	return nil
}

type wireJob struct {
	ID         *int64     `json:"id"`
	RunAttempt *int       `json:"run_attempt"`
	Name       *string    `json:"name"`
	Status     *string    `json:"status"`
	Conclusion *string    `json:"conclusion"`
	StartedAt  *time.Time `json:"started_at"`
}

// jobs lists the jobs of all attempts of a run; the default listing hides earlier attempts.
func (c *Client) jobs(ctx context.Context, run int64) ([]gates.Job, error) {
	type wireJobs struct {
		Total *int       `json:"total_count"`
		Jobs  *[]wireJob `json:"jobs"`
	}
	l := listing{path: c.at(fmt.Sprintf("actions/runs/%d/jobs", run)), query: url.Values{"filter": {"all"}}, kind: '{'}
	out, total := []gates.Job{}, -1
	seen := map[int64]bool{}
	err := pages(ctx, c, l, func(page wireJobs) (int, bool, error) {
		if page.Total == nil || page.Jobs == nil {
			return 0, false, lacks("expected total_count and jobs")
		}
		total = *page.Total
		for _, w := range *page.Jobs {
			if !has(w.ID) || seen[*w.ID] || w.Name == nil || !filled(w.Status) {
				return 0, false, lacks("a job lacks its id, name or status, or was listed twice")
			}
			seen[*w.ID] = true
			j := gates.Job{ID: *w.ID, Name: *w.Name, Status: *w.Status, Conclusion: text(w.Conclusion)}
			if w.RunAttempt != nil {
				j.RunAttempt = *w.RunAttempt
			}
			if w.StartedAt != nil {
				j.StartedAt = *w.StartedAt
			}
			out = append(out, j)
		}
		return len(*page.Jobs), false, nil
	})
	if err != nil {
		return nil, err
	}
	if len(out) != total {
		return nil, fail("GET /"+l.path, ErrTruncated, "%d of %d jobs were listed", len(out), total)
	}
	return out, nil
}
