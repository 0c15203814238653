package github

import (
	"encoding/json"

	"selffix/gates"
	"selffix/internal/strictjson"
)

// MaxEventBytes bounds a webhook payload, which GitHub caps at 25 MB.
const MaxEventBytes = 25 << 20

type wireEventRepo struct {
	ID            *int64  `json:"id"`
	FullName      *string `json:"full_name"`
	DefaultBranch *string `json:"default_branch"`
}

func (r *wireEventRepo) read() (name string, id int64, branch string, err error) {
	if r == nil || !has(r.ID) || !filled(r.FullName, r.DefaultBranch) || !gates.IsRepository(*r.FullName) {
		return "", 0, "", fail("event", ErrField, "expected a repository with its id, its owner/name and its default branch")
	}
	return *r.FullName, *r.ID, *r.DefaultBranch, nil
}

// decodeEvent reads a payload as strictly as an answer: it may have been written by an earlier step.
func decodeEvent(data []byte, v any) error {
	if len(data) > MaxEventBytes {
		return fail("event", ErrBody, "expected at most %d bytes", MaxEventBytes)
	}
	if err := strictjson.Scan(data, strictjson.Object, append(free(), "client_payload", "inputs")...); err != nil {
		return malformed("event", err)
	}
	if err := json.Unmarshal(data, v); err != nil {
		return fail("event", ErrBody, "a field has an unexpected type")
	}
	return nil
}

// StatusEvent reads the payload of a "status" event.
func StatusEvent(data []byte) (gates.Event, error) {
	var w struct {
		ID         *int64         `json:"id"`
		SHA        *string        `json:"sha"`
		Context    *string        `json:"context"`
		State      *string        `json:"state"`
		Sender     *wireUser      `json:"sender"`
		Repository *wireEventRepo `json:"repository"`
	}
	if err := decodeEvent(data, &w); err != nil {
		return gates.Event{}, err
	}
	if !has(w.ID) || !gates.IsSHA(text(w.SHA)) || !filled(w.Context, w.State) || w.Sender == nil || !has(w.Sender.ID) {
		return gates.Event{}, fail("event", ErrField, "expected a status with its id, commit, context, state and sender")
	}
	e := gates.Event{Name: "status", StatusID: *w.ID, SHA: *w.SHA, Context: *w.Context, State: *w.State, SenderID: *w.Sender.ID}
	var err error
	if e.Repository, e.RepositoryID, e.DefaultBranch, err = w.Repository.read(); err != nil {
		return gates.Event{}, err
	}
	return e, nil
}

// ReviewEvent reads the payload of a "pull_request_target" or "merge_group" event. A re-run gets the payload of
// the first run again, so no label of it is read, and its head is only where pending is posted first.
func ReviewEvent(name string, data []byte) (gates.ReviewEvent, error) {
	var w struct {
		Number *int `json:"number"`
		Pull   *struct {
			Number *int        `json:"number"`
			Head   *wireObject `json:"head"`
		} `json:"pull_request"`
		Group *struct {
			HeadSHA *string `json:"head_sha"`
			HeadRef *string `json:"head_ref"`
			BaseSHA *string `json:"base_sha"`
			BaseRef *string `json:"base_ref"`
		} `json:"merge_group"`
		Repository *wireEventRepo `json:"repository"`
	}
	if err := decodeEvent(data, &w); err != nil {
		return gates.ReviewEvent{}, err
	}
	e := gates.ReviewEvent{Name: name}
	var err error
	if e.Repository, e.RepositoryID, e.DefaultBranch, err = w.Repository.read(); err != nil {
		return gates.ReviewEvent{}, err
	}
	switch {
	case name == "pull_request_target" && w.Pull != nil && w.Pull.Head != nil && w.Pull.Number != nil:
		e.PullRequest, e.Head = *w.Pull.Number, text(w.Pull.Head.SHA)
		if w.Number == nil || *w.Number != e.PullRequest || e.PullRequest <= 0 {
			return gates.ReviewEvent{}, fail("event", ErrField, "expected one number of one pull request")
		}
	case name == "merge_group" && w.Group != nil:
		e.Head, e.GroupRef, e.GroupBase, e.GroupBaseRef = text(w.Group.HeadSHA), text(w.Group.HeadRef), text(w.Group.BaseSHA), text(w.Group.BaseRef)
	default:
		return gates.ReviewEvent{}, fail("event", ErrField, "expected pull_request_target with a pull request, or merge_group with a merge group")
	}
	if !gates.IsSHA(e.Head) {
		return gates.ReviewEvent{}, fail("event", ErrField, "expected the full id of the commit that carries the status")
	}
	return e, nil
}
