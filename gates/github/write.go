package github

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"selffix/gates"
	"selffix/pipeline/policy"
)

// State is a review status that self-fix posts. Its description is fixed: nothing that a stranger wrote ever
// stands in one.
type State string

// The states.
const (
	Pending State = "pending"
	Success State = "success"
)

func (s State) description() string {
	if s == Success {
		return "self-fix: nothing here waits for a review"
	}
	return "self-fix: waiting for the maintainer's review label"
}

// PostReview posts the policy's review status on a commit. A post is never repeated by itself: GitHub may have
// carried out one whose answer was lost.
func (c *Client) PostReview(ctx context.Context, sha string, s State, p policy.Policy) (gates.Posted, error) {
	if !gates.IsSHA(sha) || s != Pending && s != Success || p.Review.Context == "" {
		return gates.Posted{}, fail("POST statuses", ErrConfig, "expected a full commit id, a state and a context")
	}
	body := map[string]string{"state": string(s), "context": p.Review.Context, "description": s.description()}
	k := &call{method: http.MethodPost, path: c.at("statuses/" + sha), body: body, want: want{status: http.StatusCreated}}
	var w wireStatus
	if err := c.do(ctx, k, &w); err != nil {
		return gates.Posted{}, err
	}
	made, _, err := w.convert()
	if err != nil {
		return gates.Posted{}, named(k, err)
	}
	if made.State != string(s) || made.Context != p.Review.Context {
		return gates.Posted{}, fail(k.want.route, ErrField, "expected the status that was posted")
	}
	return gates.Posted{ID: made.ID, Commit: sha}, nil
}

// PostComment posts a comment on a pull request. The body must begin with [gates.CommentMark], by which later
// gates know it.
func (c *Client) PostComment(ctx context.Context, number int, body string) (id int64, _ error) {
	if number <= 0 || len(body) <= len(gates.CommentMark) || body[:len(gates.CommentMark)] != gates.CommentMark {
		return 0, fail("POST comments", ErrConfig, "expected a pull request and a text that begins with the mark of self-fix")
	}
	k := &call{method: http.MethodPost, path: c.at(fmt.Sprintf("issues/%d/comments", number)), body: map[string]string{"body": body}, want: want{status: http.StatusCreated}}
	var w struct {
		ID        *int64     `json:"id"`
		CreatedAt *time.Time `json:"created_at"`
	}
	if err := c.do(ctx, k, &w); err != nil {
		return 0, err
	}
	if !has(w.ID) || !dated(w.CreatedAt) {
		return 0, fail(k.want.route, ErrField, "the comment that was made lacks its id or time")
	}
	return *w.ID, nil
}
