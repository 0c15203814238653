package ghfake

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// PullOptions describes a pull request to open.
type PullOptions struct {
	Author     User
	Branch     string // head branch: made from Commits, or already there
	Base       string // "": the default branch
	Title      string
	Body       string
	Commits    []Commit
	ForkID     int64  // of the fork that the head lives in; 0: this repository
	ForkName   string // owner/name of that fork
	BranchedAt string // the commit that the first of Commits follows; "": the tip of Base
}

// PullRequest is a handle on one pull request. It stays valid over [Server.Restore].
type PullRequest struct {
	repo   *Repository
	Number int
}

// OpenPull pushes the commits and opens a pull request for them. The head of a fork's pull request is kept
// in this repository's object store, as GitHub does, but under no branch of it.
func (r *Repository) OpenPull(o PullOptions) (*PullRequest, error) {
	r.srv.mu.Lock()
	defer r.srv.mu.Unlock()
	st := r.st()
	if o.Base == "" {
		o.Base = st.DefaultBranch
	}
	head, err := r.pullHead(o)
	if err != nil {
		return nil, err
	}
	now := r.srv.Clock.Now()
	r.srv.change()
	st.LastNumber++
	p := &Pull{ID: r.srv.st.nextID(), Number: st.LastNumber, Title: o.Title, Body: o.Body, State: "open",
		Author: o.Author, HeadRef: o.Branch, HeadSHA: head, OldHeadSHA: head, HeadRepoID: st.ID, HeadRepo: st.fullName(),
		BaseRef: o.Base, CreatedAt: now, UpdatedAt: now}
	if o.ForkID != 0 {
		p.HeadRepoID, p.HeadRepo = o.ForkID, o.ForkName
	}
	st.Pulls = append(st.Pulls, p)
	return &PullRequest{repo: r, Number: p.Number}, r.keepPullRefs()
}

func (r *Repository) pullHead(o PullOptions) (string, error) {
	st := r.st()
	if len(o.Commits) == 0 {
		head := st.Refs["refs/heads/"+o.Branch]
		if head == "" {
			return "", fmt.Errorf("ghfake: pull request of branch %q: neither the branch nor a commit for it", o.Branch)
		}
		return head, nil
	}
	if o.BranchedAt != "" {
		o.Commits[0].Parent = o.BranchedAt
	}
	if o.ForkID == 0 {
		ids, err := r.push(o.Author, o.Branch, o.Commits)
		if err != nil {
			return "", err
		}
		return ids[len(ids)-1], nil
	}
	ids, err := r.git.write(fmt.Sprintf("refs/forks/%d/%s", o.ForkID, o.Branch), st.Refs["refs/heads/"+o.Base], o.Author, r.srv.Clock.Now(), o.Commits)
	if err != nil {
		return "", err
	}
	return ids[len(ids)-1], nil
}

// Record is a copy of what GitHub remembers of the pull request.
func (p *PullRequest) Record() Pull {
	var out Pull
	p.with(func(_ *repoState, rec *Pull) {
		out = *rec
		out.Events, out.Comments, out.Labels = slices.Clone(rec.Events), slices.Clone(rec.Comments), slices.Clone(rec.Labels)
	})
	return out
}

// Head is the commit that the record names.
func (p *PullRequest) Head() string { return p.Record().HeadSHA }

// Edit changes the record directly: the title, the base, the author, a deleted fork.
func (p *PullRequest) Edit(f func(*Pull)) { p.with(func(_ *repoState, rec *Pull) { f(rec) }) }

func (p *PullRequest) with(f func(*repoState, *Pull)) {
	p.repo.with(func(st *repoState) { f(st, st.pull(p.Number)) })
}

// Push adds commits on the pull request's branch.
func (p *PullRequest) Push(by User, commits ...Commit) ([]string, error) {
	return p.repo.Push(by, p.Record().HeadRef, commits...)
}

// Close closes the pull request without a merge.
func (p *PullRequest) Close(by User) {
	p.with(func(_ *repoState, rec *Pull) {
		now := p.repo.srv.Clock.Now()
		rec.State, rec.ClosedAt, rec.UpdatedAt = "closed", now, now
		rec.Events = append(rec.Events, p.repo.srv.event("closed", by, now))
	})
}

// Label adds a label as by; the repository gets the label if it has none of that name.
func (p *PullRequest) Label(by User, name string) { p.label(Token{User: by}, name) }

// LabelThroughApp adds a label as by, through an app that acts for the account.
func (p *PullRequest) LabelThroughApp(by User, app int64, name string) {
	p.label(Token{User: by, AppID: app}, name)
}

func (p *PullRequest) label(t Token, name string) {
	p.with(func(st *repoState, rec *Pull) { p.repo.srv.addLabel(st, rec, t, name) })
}

// Unlabel takes a label off as by.
func (p *PullRequest) Unlabel(by User, name string) {
	p.with(func(st *repoState, rec *Pull) { p.repo.srv.removeLabel(st, rec, Token{User: by}, name) })
}

// Comment adds a comment.
func (p *PullRequest) Comment(by User, body string) {
	p.with(func(_ *repoState, rec *Pull) { p.repo.srv.addComment(rec, Token{User: by}, body) })
}

// AddEvent adds any record to the history; a zero id and time are filled in.
func (p *PullRequest) AddEvent(e IssueEvent) {
	p.with(func(_ *repoState, rec *Pull) {
		if e.ID == 0 {
			e.ID = p.repo.srv.st.nextID()
		}
		if e.CreatedAt.IsZero() {
			e.CreatedAt = p.repo.srv.Clock.Now()
		}
		rec.Events = append(rec.Events, e)
	})
}

// RenameLabel renames a label. Records of the past keep the old name, as GitHub's do.
func (r *Repository) RenameLabel(from, to string) {
	r.with(func(st *repoState) {
		for i := range st.Labels {
			if strings.EqualFold(st.Labels[i].Name, from) {
				st.Labels[i].Name = to
			}
		}
	})
}

// DeleteLabel deletes a label of the repository. Every pull request that had it gets an "unlabeled" record
// that names no label.
func (r *Repository) DeleteLabel(by User, name string) {
	r.with(func(st *repoState) {
		l := st.label(name)
		if l == nil {
			return
		}
		id := l.ID
		st.Labels = slices.DeleteFunc(st.Labels, func(l Label) bool { return l.ID == id })
		for _, p := range st.Pulls {
			if i := slices.Index(p.Labels, id); i >= 0 {
				p.Labels = slices.Delete(p.Labels, i, i+1)
				p.Events = append(p.Events, r.srv.event("unlabeled", by, r.srv.Clock.Now()))
			}
		}
	})
}

func (r *repoState) label(name string) *Label {
	for i := range r.Labels {
		if strings.EqualFold(r.Labels[i].Name, name) {
			return &r.Labels[i]
		}
	}
	return nil
}

func (r *repoState) labelByID(id int64) Label {
	for _, l := range r.Labels {
		if l.ID == id {
			return l
		}
	}
	return Label{}
}

func (s *Server) addLabel(st *repoState, p *Pull, t Token, name string) {
	l := st.label(name)
	if l == nil {
		st.Labels = append(st.Labels, Label{ID: s.st.nextID(), Name: name, Color: "ededed"})
		l = &st.Labels[len(st.Labels)-1]
	}
	if slices.Contains(p.Labels, l.ID) {
		return
	}
	p.Labels = append(p.Labels, l.ID)
	s.labelEvent(p, t, "labeled", *l)
}

func (s *Server) removeLabel(st *repoState, p *Pull, t Token, name string) bool {
	l := st.label(name)
	if l == nil || !slices.Contains(p.Labels, l.ID) {
		return false
	}
	p.Labels = slices.DeleteFunc(p.Labels, func(id int64) bool { return id == l.ID })
	s.labelEvent(p, t, "unlabeled", *l)
	return true
}

func (s *Server) labelEvent(p *Pull, t Token, kind string, l Label) {
	e := s.event(kind, t.User, s.Clock.Now())
	e.Label, e.Color, e.AppID = l.Name, l.Color, t.AppID
	p.Events = append(p.Events, e)
	p.UpdatedAt = e.CreatedAt
}

func (s *Server) addComment(p *Pull, t Token, body string) Comment {
	c := Comment{ID: s.st.nextID(), Author: t.User, Body: body, AppID: t.AppID, CreatedAt: s.Clock.Now()}
	p.Comments = append(p.Comments, c)
	return c
}

// merge joins the head into the base the way the merge button does. The lock is held.
func (r *Repository) merge(p *Pull, by User, now time.Time) (string, error) {
	base := "refs/heads/" + p.BaseRef
	tree, ok, err := r.git.commit(p.HeadSHA)
	if err != nil || !ok {
		return "", fmt.Errorf("ghfake: head of pull request %d: %w", p.Number, err)
	}
	out, err := r.git.run(nil, "-c", "user.name="+by.Login, "-c", "user.email="+by.Email(), "commit-tree", tree.tree,
		"-p", r.st().Refs[base], "-p", p.HeadSHA, "-m", fmt.Sprintf("Merge pull request #%d", p.Number))
	if err != nil {
		return "", err
	}
	id := strings.TrimSpace(string(out))
	if _, err := r.git.run([]byte("update "+base+" "+id+"\n"), "update-ref", "--stdin"); err != nil {
		return "", err
	}
	p.State, p.Merged, p.MergedAt, p.ClosedAt, p.MergeCommit = "closed", true, now, now, id
	return id, r.moved(by, base)
}
