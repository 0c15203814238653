package github

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"selffix/gates"
)

type wireEvent struct {
	ID        *int64     `json:"id"`
	Event     *string    `json:"event"`
	Actor     *wireUser  `json:"actor"`
	Label     *wireLabel `json:"label"`
	App       *wireApp   `json:"performed_via_github_app"`
	CreatedAt *time.Time `json:"created_at"`
}

type wireApp struct {
	ID *int64 `json:"id"`
}

// labelEvent reads a labeled or unlabeled event; ok is false for every other one. GitHub leaves the label out of
// an unlabeled event when the label itself was deleted.
func (w wireEvent) labelEvent() (e gates.LabelEvent, ok bool, _ error) {
	kind := text(w.Event)
	if kind == "" {
		return e, false, lacks("an event lacks its kind")
	}
	if kind != "labeled" && kind != "unlabeled" {
		return e, false, nil
	}
	if !has(w.ID) || !dated(w.CreatedAt) {
		return e, false, lacks("a label event lacks its id or time")
	}
	e = gates.LabelEvent{ID: *w.ID, Labeled: kind == "labeled", ByApp: w.App != nil, At: *w.CreatedAt}
	if w.Label != nil {
		e.Label = text(w.Label.Name)
	}
	var err error
	e.ActorID, _, e.ActorType, err = w.Actor.account()
	return e, true, err
}

// labelEvents lists the label events of a pull request.
func (c *Client) labelEvents(ctx context.Context, number int) ([]gates.LabelEvent, error) {
	out := []gates.LabelEvent{}
	_, err := list(ctx, c, listing{path: c.at(fmt.Sprintf("issues/%d/events", number))}, func(w wireEvent) (struct{}, int64, error) {
		if !has(w.ID) {
			return struct{}{}, 0, lacks("an event lacks its id")
		}
		e, ok, err := w.labelEvent()
		if ok {
			out = append(out, e)
		}
		return struct{}{}, *w.ID, err
	})
	return out, err
}

type wireComment struct {
	ID        *int64     `json:"id"`
	User      *wireUser  `json:"user"`
	Body      *string    `json:"body"`
	CreatedAt *time.Time `json:"created_at"`
}

// self reports whether the comment is self-fix's: its mark at the beginning, by the robot's account or by one that
// GitHub no longer names.
func (w wireComment) self(robot int64) (bool, error) {
	author, err := w.User.id()
	if err != nil {
		return false, err
	}
	if w.Body == nil || !dated(w.CreatedAt) {
		return false, lacks("a comment lacks its text or time")
	}
	return (author == robot || author == 0) && strings.HasPrefix(*w.Body, gates.CommentMark), nil
}

type wireTimeline struct {
	wireEvent
	User *wireUser `json:"user"`
	Body *string   `json:"body"`
}

// timeline reads the parts of the timeline that matter. Committed events have no id, actor or time of GitHub's, and
// their order is not documented, so they are left alone.
func (c *Client) timeline(ctx context.Context, number int, robot int64) (gates.Timeline, error) {
	var out gates.Timeline
	l := listing{path: c.at(fmt.Sprintf("issues/%d/timeline", number))}
	type entry struct { // events, comments and reviews have ids of their own each
		kind string
		id   int64
	}
	seen := map[entry]bool{}
	err := pages(ctx, c, l, func(page []wireTimeline) (int, bool, error) {
		for _, w := range page {
			if err := w.into(&out, robot); err != nil {
				return 0, false, err
			}
			if w.ID == nil {
				continue // a commit
			}
			key := entry{text(w.Event), *w.ID}
			if seen[key] {
				return 0, false, fail("", ErrTruncated, "an entry was listed twice: the listing changed while it was read")
			}
			seen[key] = true
		}
		return len(page), false, nil
	})
	return out, err
}

func (w wireTimeline) into(out *gates.Timeline, robot int64) error {
	e, ok, err := w.labelEvent()
	if err != nil {
		return err
	}
	if ok {
		out.Labels = append(out.Labels, e)
		return nil
	}
	switch *w.Event {
	case "head_ref_force_pushed", "head_ref_restored":
		if !dated(w.CreatedAt) {
			return lacks("a forced push lacks its time")
		}
		out.ForcePushes = append(out.ForcePushes, *w.CreatedAt)
	case "commented":
		out.Comments++
		self, err := wireComment{ID: w.ID, User: w.User, Body: w.Body, CreatedAt: w.CreatedAt}.self(robot)
		if err != nil {
			return err
		}
		if self {
			out.SelfComments = append(out.SelfComments, *w.CreatedAt)
		}
	}
	return nil
}

type wireActivity struct {
	ID        *int64     `json:"id"`
	Before    *string    `json:"before"`
	After     *string    `json:"after"`
	Ref       *string    `json:"ref"`
	Timestamp *time.Time `json:"timestamp"`
	Actor     *wireUser  `json:"actor"`
}

// activity lists the changes of a branch by GitHub's clock. A full last page is read again in pages of another size, where
// another one must follow it.
func (c *Client) activity(ctx context.Context, branch string) ([]gates.Activity, error) {
	found, err := c.activityPass(ctx, branch, perPage)
	if errors.Is(err, ErrTruncated) {
		found, err = c.activityPass(ctx, branch, otherPer)
	}
	return found, err
}

func (c *Client) activityPass(ctx context.Context, branch string, per int) ([]gates.Activity, error) {
	l := listing{path: c.at("activity"), query: url.Values{"ref": {"refs/heads/" + branch}}, cursor: true, per: per}
	return list(ctx, c, l, func(w wireActivity) (gates.Activity, int64, error) {
		if !has(w.ID) || !gates.IsSHA(text(w.Before)) || !gates.IsSHA(text(w.After)) || !dated(w.Timestamp) {
			return gates.Activity{}, 0, lacks("an activity lacks its id, commits or time")
		}
		if text(w.Ref) != "refs/heads/"+branch {
			return gates.Activity{}, 0, lacks("an activity is of another branch")
		}
		actor, err := w.Actor.id()
		return gates.Activity{ID: *w.ID, Before: *w.Before, After: *w.After, ActorID: actor, At: *w.Timestamp}, *w.ID, err
	})
}
