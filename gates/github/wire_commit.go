package github

import (
	"time"

	"selffix/gates"
)

type wireSignature struct {
	Name  *string    `json:"name"`
	Email *string    `json:"email"`
	Date  *time.Time `json:"date"`
}

type wireObject struct {
	SHA *string `json:"sha"`
}

type wireCommit struct {
	SHA    *string `json:"sha"`
	Commit *struct {
		Author    *wireSignature `json:"author"`
		Committer *wireSignature `json:"committer"`
		Message   *string        `json:"message"`
		Tree      *wireObject    `json:"tree"`
	} `json:"commit"`
	Author    *wireUser     `json:"author"`
	Committer *wireUser     `json:"committer"`
	Parents   *[]wireObject `json:"parents"`
}

// convert reads a commit. Accounts are null where an address is linked to none, which is normal for robots:
// the raw identities decide then, so they must be there.
func (w wireCommit) convert() (gates.Commit, string, error) {
	var none gates.Commit
	if w.SHA == nil || !gates.IsSHA(*w.SHA) || w.Commit == nil || w.Parents == nil {
		return none, "", lacks("a commit lacks its id, its content or its parents")
	}
	in := w.Commit
	if in.Author == nil || in.Committer == nil || in.Message == nil || in.Tree == nil || in.Tree.SHA == nil || !gates.IsSHA(*in.Tree.SHA) {
		return none, "", lacks("a commit lacks its author, committer, message or tree")
	}
	if !dated(in.Author.Date) || !dated(in.Committer.Date) || !filled(in.Author.Name, in.Author.Email, in.Committer.Name, in.Committer.Email) {
		return none, "", lacks("a commit lacks a name, an address or a date")
	}
	c := gates.Commit{
		SHA: *w.SHA, Tree: *in.Tree.SHA, Message: *in.Message,
		AuthorName: *in.Author.Name, AuthorEmail: *in.Author.Email, AuthorDate: *in.Author.Date,
		Committer: *in.Committer.Name, CommitterMail: *in.Committer.Email, CommitterDate: *in.Committer.Date,
	}
	for _, p := range *w.Parents {
		if p.SHA == nil || !gates.IsSHA(*p.SHA) {
			return none, "", lacks("a commit's parent lacks its id")
		}
		c.Parents = append(c.Parents, *p.SHA)
	}
	var err error
	if c.AuthorID, err = w.Author.linked(); err != nil {
		return none, "", err
	}
	if c.CommitterID, err = w.Committer.linked(); err != nil {
		return none, "", err
	}
	return c, c.SHA, nil
}

// linked is the account that GitHub links to an address. GitHub also sends an empty object where there is none.
func (u *wireUser) linked() (int64, error) {
	if u != nil && u.ID == nil && u.Login == nil {
		return 0, nil
	}
	return u.id()
}
