package gates

import (
	"strings"

	"selffix/pipeline/policy"
)

// owner is the account that our own status was posted by, from the listing, by the id that this run got; in
// a merge group, where nothing was posted on the head, the account of workflows.
func (f ReviewFacts) owner() int64 {
	if f.Group {
		return actionsBotID
	}
	for _, s := range f.Statuses.Value {
		if f.Pending.Seen && f.Pending.Value.ID > 0 && s.ID == f.Pending.Value.ID {
			return s.CreatorID
		}
	}
	return 0
}

// reviewStatuses demands the witness of the listing, and that a success could still be taken back.
func reviewStatuses(f ReviewFacts, p policy.Policy) *stop {
	if f.Group {
		return nil
	}
	if s := need(reviewPending, "the pending status", f.Pending); s != nil {
		return s
	}
	if f.Pending.Value.Commit != f.Pull.Value.HeadSHA {
		return undecided(reviewMoved, "the head moved after pending was posted")
	}
	if s := need(reviewUnread, "the head's statuses", f.Statuses); s != nil {
		return s
	}
	for _, s := range f.Statuses.Value {
		if s.ID <= 0 || s.CreatedAt.IsZero() || s.Context == "" {
			return undecided(reviewUnread, "a status lacks its id, context or time")
		}
	}
	if f.owner() <= 0 {
		return undecided(reviewOwnPending, "the listing of statuses lacks the pending that this run posted")
	}
	if n := OfContext(f.Statuses.Value, p.Review.Context); n >= MaxReviewStatuses {
		return nothing(reviewBound, "%d review statuses stand on the commit; from %d on a success could not be taken back", n, MaxReviewStatuses)
	}
	return nil
}

// OfContext counts the statuses of a context in any case: GitHub takes contexts as equal whatever their case.
func OfContext(list []Status, context string) int {
	n := 0
	for _, s := range list {
		if strings.EqualFold(s.Context, context) {
			n++
		}
	}
	return n
}

// forged counts successes of our context, in any case, that our account did not post. They are overwritten by
// what is posted next; people are told.
func forged(list []Status, owner int64, p policy.Policy) int {
	n := 0
	for _, s := range list {
		if !strings.EqualFold(s.Context, p.Review.Context) || s.State != "success" {
			continue
		}
		if s.Context != p.Review.Context || owner > 0 && s.CreatorID != owner {
			n++
		}
	}
	return n
}
