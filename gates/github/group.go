package github

import (
	"context"
	"net/url"
	"strings"

	"selffix/gates"
)

// MergeGroup judges each pull request of a merge group and posts the review status on the group's commit. The
// event runs the merge queue's copy of the workflow, so no app key is ever there; the caller has made sure
// that the policy accepts the workflow's own token.
func (r *Reviewer) MergeGroup(ctx context.Context, e gates.ReviewEvent) gates.Verdict {
	if v := gates.PrefilterReview(e, r.Policy); v != nil {
		return *v
	}
	last, base, ok := gates.QueueEntry(e.GroupRef, r.Policy)
	record := &gates.Review{RepositoryID: e.RepositoryID, PullRequests: []int{last}, Commit: e.Head, Status: "none"}
	if !ok || base != e.GroupBase {
		return gates.GroupFailed("the queue's branch does not name a pull request and the commit that the event names", nil)
	}
	posted, err := r.post(ctx, e.Head, Pending, record)
	if err != nil {
		return gates.PendingFailed(err.Error(), record)
	}
	reading, cancel := context.WithTimeout(ctx, readTime)
	defer cancel()
	numbers, err := r.chain(reading, last, base)
	if err != nil {
		return gates.GroupFailed(err.Error(), record)
	}
	record.PullRequests = numbers
	verdicts := make([]gates.Verdict, len(numbers))
	shared := gates.ReviewFacts{Repository: e.Repository, ID: e.RepositoryID, Group: true}
	r.readReview(reading, &shared)
	for i, n := range numbers {
		f := shared
		f.PullRequest = n
		r.readHead(reading, &f)
		verdicts[i] = gates.DecideReview(f, r.Policy)
	}
	statuses, err := r.Read.Statuses(reading, e.Head)
	own := seen(r.Read, "GET /"+r.Read.at("commits/"+e.Head+"/statuses"), statuses, err)
	return r.conclude(ctx, gates.DecideGroup(numbers, verdicts, posted, own, r.Policy), record)
}

// chain finds the pull requests of the group: the last one, and each entry of the queue below it, down to the
// head of the default branch. A queue that lets failed entries pass looks at the last one's status alone.
func (r *Reviewer) chain(ctx context.Context, last int, base string) ([]int, error) {
	head, err := r.Read.Ref(ctx, r.Policy.Branches.Default)
	if err != nil {
		return nil, err
	}
	numbers := []int{last}
	if base == head {
		return numbers, nil
	}
	entries, err := r.Read.queue(ctx, r.Policy.Branches.Default)
	if err != nil {
		return nil, err
	}
	for range len(entries) {
		ref, ok := entries[base]
		if !ok {
			break
		}
		n, below, ok := gates.QueueEntry(ref, r.Policy)
		if !ok {
			break
		}
		numbers, base = append(numbers, n), below
		if base == head {
			return numbers, nil
		}
	}
	return nil, fail("merge queue", ErrTruncated, "the queue's branches do not lead from the group down to the default branch")
}

// queue maps the commit of each branch of the merge queue to its full name.
func (c *Client) queue(ctx context.Context, branch string) (map[string]string, error) {
	type ref struct {
		Ref    *string     `json:"ref"`
		Object *wireObject `json:"object"`
	}
	prefix := gates.QueuePrefix(branch)
	path := "git/matching-refs/" + escapeRef(strings.TrimPrefix(prefix, "refs/"))
	out := map[string]string{}
	l := listing{path: c.at(path), label: c.at("git/matching-refs/heads/{queue}"), query: url.Values{}}
	err := pages(ctx, c, l, func(page []ref) (int, bool, error) {
		for _, r := range page {
			if !strings.HasPrefix(text(r.Ref), prefix) || r.Object == nil || !gates.IsSHA(text(r.Object.SHA)) {
				return 0, false, lacks("a branch of the merge queue lacks its name or commit")
			}
			out[*r.Object.SHA] = *r.Ref
		}
		return len(page), false, nil
	})
	return out, err
}
