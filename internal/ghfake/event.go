package ghfake

import (
	"encoding/json"
	"fmt"
)

// StatusEvent is the webhook payload of a commit status: it names a sender and no creator, as GitHub's does.
func (r *Repository) StatusEvent(x Status) []byte {
	r.srv.mu.Lock()
	defer r.srv.mu.Unlock()
	s, st := r.srv, r.st()
	o := s.status(st, x)
	branches := []any{}
	for ref, id := range st.Refs {
		if len(branches) < 10 && id == x.SHA && len(ref) > len("refs/heads/") && ref[:len("refs/heads/")] == "refs/heads/" {
			branches = append(branches, obj{"name": ref[len("refs/heads/"):], "commit": obj{"sha": id}, "protected": false})
		}
	}
	return payload(obj{"id": x.ID, "sha": x.SHA, "name": st.fullName(), "avatar_url": o["avatar_url"], "target_url": o["target_url"], "context": x.Context,
		"description": o["description"], "state": x.State, "commit": obj{"sha": x.SHA}, "branches": branches, "created_at": o["created_at"], "updated_at": o["updated_at"],
		"repository": s.full(st), "sender": s.user(x.Creator)})
}

// Event is the webhook payload of a pull_request or pull_request_target event with that action.
func (p *PullRequest) Event(action string, sender User) []byte {
	var raw []byte
	p.with(func(st *repoState, rec *Pull) {
		s := p.repo.srv
		c := &call{srv: s, repo: st, handle: p.repo}
		raw = payload(obj{"action": action, "number": rec.Number, "pull_request": c.renderPullWhole(rec, false, 1), "repository": s.full(st), "sender": s.user(sender)})
	})
	return raw
}

// MergeGroupEvent is the webhook payload of a merge queue's group: its commit stands on a branch whose name ends with the
// number of the last pull request and the base's commit.
func (r *Repository) MergeGroupEvent(head string, number int, sender User) []byte {
	r.srv.mu.Lock()
	defer r.srv.mu.Unlock()
	st := r.st()
	base := st.Refs["refs/heads/"+st.DefaultBranch]
	return payload(obj{"action": "checks_requested", "repository": r.srv.full(st), "sender": r.srv.user(sender),
		"merge_group": obj{"head_sha": head, "head_ref": fmt.Sprintf("refs/heads/gh-readonly-queue/%s/pr-%d-%s", st.DefaultBranch, number, base), "base_sha": base,
			"base_ref": "refs/heads/" + st.DefaultBranch, "head_commit": obj{"id": head}}})
}

func payload(o obj) []byte {
	raw, err := json.MarshalIndent(o, "", "  ")
	if err != nil {
		panic("ghfake: a payload is plain data and must marshal: " + err.Error())
	}
	return raw
}
