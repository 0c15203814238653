package gates

import (
	"slices"
	"strings"
	"time"

	"selffix/pipeline/policy"
)

// reviewLabel judges the label of a marked pull request.
func reviewLabel(f ReviewFacts, p policy.Policy) *stop {
	listed, _ := f.Listed()
	for _, labels := range [][]string{f.Labels.Value, listed.Labels, f.Pull.Value.Labels} {
		if !slices.Contains(labels, p.Review.Label) {
			return nothing(reviewNoLabel, "the review label is not on pull request %d", f.PullRequest)
		}
	}
	last, s := f.lastLabel(f.Events.Value, p.Review.Label)
	if s != nil {
		return s
	}
	again, s := f.lastLabel(f.Timeline.Value.Labels, p.Review.Label)
	if s != nil {
		return s
	}
	if last != again {
		return undecided(reviewDisagree, "events and timeline disagree about the last change of the label")
	}
	switch {
	case !last.Labeled:
		return nothing(reviewRemoved, "the last record of the label is its removal, at %s", stamp(last.At))
	case last.Label != p.Review.Label:
		return nothing(reviewNoLabel, "the label that was added was spelled differently")
	case last.ActorID <= 0 || last.ActorID != p.Maintainer.ID || last.ActorType != "User" || last.ByApp:
		return nothing(reviewActor, "the label was added by account %d, not by the maintainer in person", last.ActorID)
	}
	return reviewTime(f, p, last.At)
}

// lastLabel finds the last change of the label by (time, id); the position in a list means nothing. A removal
// without a name may have been this label's. Names are compared as GitHub keeps them unique, whatever their case.
func (f ReviewFacts) lastLabel(events []LabelEvent, label string) (LabelEvent, *stop) {
	var last LabelEvent
	for _, e := range events {
		if e.ID <= 0 || !f.Clock.records(e.At) {
			return last, undecided(reviewUnread, "a label event lacks its id or time")
		}
		ours := strings.EqualFold(e.Label, label) || e.Label == "" && !e.Labeled
		if !ours {
			continue
		}
		if e.At.After(last.At) || e.At.Equal(last.At) && e.ID > last.ID {
			last = e
		}
	}
	if last.ID == 0 {
		return last, undecided(reviewDisagree, "the label is on the pull request and no event says who added it")
	}
	return last, nil
}

// reviewTime demands that the label is later than everything it must cover.
func reviewTime(f ReviewFacts, p policy.Policy, label time.Time) *stop {
	newest := time.Time{}
	for _, c := range f.Commits.Value {
		if IsRobot(c, p) {
			newest = latest(newest, c.AuthorDate, c.CommitterDate)
		}
	}
	for _, a := range f.Activity.Value {
		if a.ActorID <= 0 || robotID(a.ActorID, p) {
			newest = latest(newest, a.At)
		}
	}
	newest = latest(append(f.Timeline.Value.SelfComments, newest)...)
	if newest.After(f.Clock.Last.Add(ahead)) {
		return nothing(reviewFuture, "a robot commit is dated %s, ahead of GitHub's clock", stamp(newest))
	}
	if !label.After(newest) {
		return nothing(reviewOlder, "the label of %s is not later than the newest robot commit of %s", stamp(label), stamp(newest))
	}
	arrived, ok := f.arrival(p)
	if !ok {
		return undecided(reviewClockless, "GitHub records neither a push of the current head nor a status of ours on it")
	}
	if !label.After(arrived) {
		return nothing(reviewArrival, "the label of %s is not later than the arrival of the current head at %s", stamp(label), stamp(arrived))
	}
	return nil
}

// Settled is the newest commit that a label must be later than: the head, or what lies below the
// maintainer's own empty commits on top, which change nothing that was reviewed.
func Settled(list []Commit, head string, p policy.Policy) string {
	byID := make(map[string]Commit, len(list))
	for _, c := range list {
		byID[c.SHA] = c
	}
	for range list {
		c, ok := byID[head]
		if !ok || len(c.Parents) != 1 || IsRobot(c, p) {
			return head
		}
		parent, ok := byID[c.Parents[0]]
		maintainers := p.Maintainer.ID > 0 && c.AuthorID == p.Maintainer.ID && c.CommitterID == p.Maintainer.ID
		if !ok || !maintainers || c.Tree != parent.Tree {
			return head
		}
		head = parent.SHA
	}
	return head
}

// Arrived reports when GitHub recorded that the branch came to name sha; the newest time counts, since a commit
// can leave a branch and come back.
func Arrived(list []Activity, sha string) (time.Time, bool) {
	var at time.Time
	for _, a := range list {
		if a.After == sha && a.At.After(at) {
			at = a.At
		}
	}
	return at, !at.IsZero()
}

// arrival is the server time before which a label says nothing about the settled head: the newest record of
// its push, or else our oldest status on it, which was posted after it came; and any forced push, since that
// can bring an old commit back under a status that it already had.
func (f ReviewFacts) arrival(p policy.Policy) (time.Time, bool) {
	settled := Settled(f.Commits.Value, f.Pull.Value.HeadSHA, p)
	at, ok := Arrived(f.Activity.Value, settled)
	if !ok {
		at, ok = oldestOwn(f.Settled, f.owner(), p)
	}
	return latest(append(f.Timeline.Value.ForcePushes, at)...), ok
}

func oldestOwn(r Read[[]Status], owner int64, p policy.Policy) (time.Time, bool) {
	var at time.Time
	for _, s := range r.Value {
		if !r.Seen || owner <= 0 || s.CreatorID != owner || s.Context != p.Review.Context || s.CreatedAt.IsZero() {
			continue
		}
		if at.IsZero() || s.CreatedAt.Before(at) {
			at = s.CreatedAt
		}
	}
	return at, !at.IsZero()
}
