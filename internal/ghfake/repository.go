package ghfake

import (
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// zeroID is what git and GitHub write for "no commit".
const zeroID = "0000000000000000000000000000000000000000"

// Repository is a handle on one repository. It stays valid over [Server.Restore].
type Repository struct {
	srv *Server
	id  int64
	git *gitDir
}

// RepositoryOptions describes a repository to add.
type RepositoryOptions struct {
	ID            int64  // 0: the next free one
	FullName      string // "owner/name"
	DefaultBranch string // "": main
	Private       bool
	Owner         User              // who makes the first commit; zero: an account made from the name
	Files         map[string]string // of the first commit
}

// AddRepository makes a repository with one commit on its default branch.
func (s *Server) AddRepository(o RepositoryOptions) (*Repository, error) {
	owner, name, ok := strings.Cut(o.FullName, "/")
	if !ok || owner == "" || name == "" || strings.Contains(name, "/") {
		return nil, fmt.Errorf("ghfake: repository %q: want owner/name", o.FullName)
	}
	if o.DefaultBranch == "" {
		o.DefaultBranch = "main"
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if o.ID == 0 {
		o.ID = s.st.nextID()
	}
	if o.Owner.ID == 0 {
		o.Owner = User{ID: s.st.nextID(), Login: owner, Type: "User"}
	}
	s.st.Users[o.Owner.ID] = o.Owner
	git, err := newGitDir(filepath.Join(s.dir, fmt.Sprintf("%d.git", o.ID)), o.DefaultBranch)
	if err != nil {
		return nil, err
	}
	st := &repoState{ID: o.ID, Owner: owner, Name: name, DefaultBranch: o.DefaultBranch, Private: o.Private,
		CreatedAt: s.Clock.Now(), Refs: map[string]string{}, Protection: map[string]Protection{}}
	s.st.Repos = append(s.st.Repos, st)
	s.gits[o.ID] = git
	r := &Repository{srv: s, id: o.ID, git: git}
	_, err = r.push(o.Owner, o.DefaultBranch, []Commit{{Message: "First commit", Files: o.Files}})
	return r, err
}

// ID is the repository's id.
func (r *Repository) ID() int64 { return r.id }

// CloneURL is where git finds the repository.
func (r *Repository) CloneURL() string {
	r.srv.mu.Lock()
	defer r.srv.mu.Unlock()
	return r.srv.URL + "/" + r.st().fullName() + ".git"
}

// Dir is the bare repository itself, for looking at what arrived.
func (r *Repository) Dir() string { return r.git.path }

// st is the repository's memory; the server's lock is held.
func (r *Repository) st() *repoState { return r.srv.st.repoByID(r.id) }

// with runs f on the repository's memory under the lock.
func (r *Repository) with(f func(*repoState)) {
	r.srv.mu.Lock()
	defer r.srv.mu.Unlock()
	r.srv.change()
	f(r.st())
}

// Push makes commits on branch as by, the way a push would: pull requests move, activity is recorded. It
// gives back their ids.
func (r *Repository) Push(by User, branch string, commits ...Commit) ([]string, error) {
	r.srv.mu.Lock()
	defer r.srv.mu.Unlock()
	return r.push(by, branch, commits)
}

func (r *Repository) push(by User, branch string, commits []Commit) ([]string, error) {
	st := r.st()
	if len(commits) == 0 {
		return nil, errors.New("ghfake: a push needs a commit")
	}
	ref := "refs/heads/" + branch
	tip := st.Refs[ref]
	if tip == "" {
		tip = st.Refs["refs/heads/"+st.DefaultBranch]
	}
	ids, err := r.git.write(ref, tip, by, r.srv.Clock.Now(), commits)
	if err != nil {
		return nil, err
	}
	if len(ids) != len(commits) {
		return nil, fmt.Errorf("ghfake: git made %d of %d commits", len(ids), len(commits))
	}
	return ids, r.moved(by, ref)
}

// SetBranch points branch at commit, as a force push does; "" deletes the branch.
func (r *Repository) SetBranch(by User, branch, commit string) error {
	r.srv.mu.Lock()
	defer r.srv.mu.Unlock()
	ref := "refs/heads/" + branch
	script := "update " + ref + " " + commit + "\n"
	if commit == "" {
		script = "delete " + ref + "\n"
	}
	if _, err := r.git.run([]byte(script), "update-ref", "--stdin"); err != nil {
		return err
	}
	return r.moved(by, ref)
}

// Head is the commit that branch names; "" if there is no such branch.
func (r *Repository) Head(branch string) string {
	var id string
	r.with(func(st *repoState) { id = st.Refs["refs/heads/"+branch] })
	return id
}

// File is the content of path at a commit; ok is false if it is not there.
func (r *Repository) File(commit, path string) (content string, ok bool, err error) {
	o, ok, err := r.git.object(commit + ":" + path)
	if err != nil || !ok || o.kind != "blob" {
		return "", false, err
	}
	return string(o.data), true, nil
}

// Rename gives the repository another name. The old one answers 301 from now on, 307 where something would change.
func (r *Repository) Rename(name string) {
	r.with(func(st *repoState) {
		st.OldNames = append(st.OldNames, st.fullName())
		st.Name = name
	})
}

// LagPulls lets the next n reads of any pull request show its head before the last push; below 0: all reads.
func (r *Repository) LagPulls(n int) { r.with(func(st *repoState) { st.PullLag = n }) }

// moved compares the named refs with what was known, as GitHub's post-receive does: pull requests follow
// their branch, and the movement is recorded with the server's clock. The lock is held.
func (r *Repository) moved(by User, refs ...string) error {
	r.srv.change()
	st := r.st()
	now, err := r.git.refs()
	if err != nil {
		return err
	}
	for _, ref := range refs {
		before, after := st.Refs[ref], now[ref]
		if before == after {
			continue
		}
		if after == "" {
			delete(st.Refs, ref)
		}
		if after != "" {
			st.Refs[ref] = after
		}
		branch, isBranch := strings.CutPrefix(ref, "refs/heads/")
		if !isBranch {
			continue
		}
		kind := r.record(by, ref, before, after)
		r.movePulls(by, branch, before, after, kind)
	}
	return r.keepPullRefs()
}

// record adds an activity and gives back its type.
func (r *Repository) record(by User, ref, before, after string) string {
	st := r.st()
	a := Activity{ID: r.srv.st.nextID(), Before: before, After: after, Ref: ref, Type: "push", Actor: by, Timestamp: r.srv.Clock.Now()}
	switch {
	case before == "":
		a.Before, a.Type = zeroID, "branch_creation"
	case after == "":
		a.After, a.Type = zeroID, "branch_deletion"
	case !r.git.contains(after, before):
		a.Type = "force_push"
	}
	st.Activity = append(st.Activity, a)
	return a.Type
}

func (r *Repository) movePulls(by User, branch, before, after, kind string) {
	st, now := r.st(), r.srv.Clock.Now()
	for _, p := range st.Pulls {
		if p.State != "open" || p.HeadRepoID != st.ID || p.HeadRef != branch || after == p.HeadSHA {
			continue
		}
		if after == "" {
			p.State, p.ClosedAt = "closed", now
			p.Events = append(p.Events, r.srv.event("closed", by, now))
			continue
		}
		p.OldHeadSHA, p.HeadSHA, p.UpdatedAt = p.HeadSHA, after, now
		if kind == "force_push" {
			e := r.srv.event("head_ref_force_pushed", by, now)
			e.CommitID, e.Before = after, before
			p.Events = append(p.Events, e)
		}
	}
}

// keepPullRefs writes refs/pull/N/head, which GitHub keeps for every pull request, closed ones too.
func (r *Repository) keepPullRefs() error {
	st := r.st()
	var script strings.Builder
	for _, p := range st.Pulls {
		ref := fmt.Sprintf("refs/pull/%d/head", p.Number)
		if st.Refs[ref] != p.HeadSHA {
			fmt.Fprintf(&script, "update %s %s\n", ref, p.HeadSHA)
			st.Refs[ref] = p.HeadSHA
		}
	}
	if script.Len() == 0 {
		return nil
	}
	_, err := r.git.run([]byte(script.String()), "update-ref", "--stdin")
	return err
}

// protectedRefs writes the list that the hook reads. The lock is held.
func (r *Repository) protectedRefs() error {
	st := r.st()
	var refs []string
	for _, branch := range slices.Sorted(maps.Keys(st.Protection)) {
		if st.Protection[branch].RefusePush != "" {
			refs = append(refs, "refs/heads/"+branch)
		}
	}
	return r.git.protect(refs)
}

// event is a new record of an issue's history. The lock is held.
func (s *Server) event(name string, by User, at time.Time) IssueEvent {
	return IssueEvent{ID: s.st.nextID(), Event: name, Actor: by, CreatedAt: at}
}
