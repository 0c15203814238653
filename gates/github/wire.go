package github

import (
	"time"

	"selffix/gates"
)

// The records below are GitHub's, cut down to what is read. Every field is a pointer, so that a missing one is
// not taken for a zero; the convert methods refuse it, or say why its absence means something.

type wireUser struct {
	ID    *int64  `json:"id"`
	Login *string `json:"login"`
	Type  *string `json:"type"`
}

// account reads a nullable account: a deleted one is null, which is id 0 and matches nobody.
func (u *wireUser) account() (id int64, login, kind string, err error) {
	if u == nil {
		return 0, "", "", nil
	}
	if u.ID == nil || *u.ID <= 0 || u.Login == nil || u.Type == nil {
		return 0, "", "", lacks("an account lacks its id, login or type")
	}
	return *u.ID, *u.Login, *u.Type, nil
}

// id is the account's id alone.
func (u *wireUser) id() (int64, error) {
	id, _, _, err := u.account()
	return id, err
}

type wireStatus struct {
	ID        *int64     `json:"id"`
	Context   *string    `json:"context"`
	State     *string    `json:"state"`
	Creator   *wireUser  `json:"creator"`
	CreatedAt *time.Time `json:"created_at"`
}

func (w wireStatus) convert() (gates.Status, int64, error) {
	if !has(w.ID) || !filled(w.Context, w.State) || !dated(w.CreatedAt) {
		return gates.Status{}, 0, lacks("a status lacks its id, context, state or time")
	}
	creator, err := w.Creator.id()
	return gates.Status{ID: *w.ID, Context: *w.Context, State: *w.State, CreatorID: creator, CreatedAt: *w.CreatedAt}, *w.ID, err
}

type wireRepo struct {
	ID            *int64  `json:"id"`
	DefaultBranch *string `json:"default_branch"`
}

type wireBranch struct {
	Ref  *string   `json:"ref"`
	SHA  *string   `json:"sha"`
	Repo *wireRepo `json:"repo"`
}

type wireLabel struct {
	Name *string `json:"name"`
}

type wirePull struct {
	Number    *int         `json:"number"`
	State     *string      `json:"state"`
	Merged    *bool        `json:"merged"`
	User      *wireUser    `json:"user"`
	Head      *wireBranch  `json:"head"`
	Base      *wireBranch  `json:"base"`
	Labels    *[]wireLabel `json:"labels"`
	CreatedAt *time.Time   `json:"created_at"`
	Commits   *int         `json:"commits"`
	Comments  *int         `json:"comments"`
}

// convert reads a pull request of a list, which has no numbers of commits and comments.
func (w wirePull) convert() (gates.PullRequest, int, error) {
	var none gates.PullRequest
	if w.Number == nil || *w.Number <= 0 || !filled(w.State) || !dated(w.CreatedAt) || w.Head == nil || w.Base == nil || w.Labels == nil {
		return none, 0, lacks("a pull request lacks its number, state, time, labels, head or base")
	}
	if !filled(w.Head.Ref, w.Head.SHA, w.Base.Ref) || w.Base.Repo == nil || !has(w.Base.Repo.ID) || !filled(w.Base.Repo.DefaultBranch) {
		return none, 0, lacks("a pull request lacks a branch, a commit or its repository")
	}
	if !gates.IsSHA(*w.Head.SHA) {
		return none, 0, lacks("a pull request's head is not a full commit id")
	}
	pr := gates.PullRequest{
		Number: *w.Number, State: *w.State, HeadRef: *w.Head.Ref, HeadSHA: *w.Head.SHA, BaseRef: *w.Base.Ref,
		BaseRepoID: *w.Base.Repo.ID, DefaultBranch: *w.Base.Repo.DefaultBranch, CreatedAt: *w.CreatedAt,
	}
	if w.Head.Repo != nil { // null: the fork was deleted
		if !has(w.Head.Repo.ID) {
			return none, 0, lacks("a pull request's head repository lacks its id")
		}
		pr.HeadRepoID = *w.Head.Repo.ID
	}
	var err error
	if pr.AuthorID, pr.Author, pr.AuthorType, err = w.User.account(); err != nil {
		return none, 0, err
	}
	for _, l := range *w.Labels {
		if !filled(l.Name) {
			return none, 0, lacks("a label lacks its name")
		}
		pr.Labels = append(pr.Labels, *l.Name)
	}
	return pr, pr.Number, nil
}

// whole reads a pull request's own record.
func (w wirePull) whole() (gates.PullRequest, error) {
	pr, _, err := w.convert()
	if err != nil {
		return pr, err
	}
	if w.Merged == nil || w.Commits == nil || w.Comments == nil || *w.Commits < 0 || *w.Comments < 0 {
		return pr, lacks("the pull request does not say whether it is merged, or lacks its numbers of commits and comments")
	}
	pr.Merged, pr.Commits, pr.Comments = *w.Merged, *w.Commits, *w.Comments
	return pr, nil
}

func lacks(what string) error { return fail("", ErrField, "%s", what) }

func has(p *int64) bool { return p != nil && *p > 0 }

func dated(p *time.Time) bool { return p != nil && !p.IsZero() }

func filled(ps ...*string) bool {
	for _, p := range ps {
		if p == nil || *p == "" {
			return false
		}
	}
	return true
}

func text(p *string) string {
	if p == nil {
		return ""
	}
	return *p
}
