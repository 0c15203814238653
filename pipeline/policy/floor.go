package policy

import (
	"fmt"
	"slices"
	"strings"
)

// TestFolders are the folders of tests, their mocks and snapshots, in lower case: no patch touches a file below one, at
// any depth, and no root lies in one.
func TestFolders() []string {
	return []string{
		"__tests__", "__test__", "__mocks__", "__snapshots__", "__fixtures__", "__e2e__",
		"tests", "test", "testing", "mocks", "e2e", "cypress", "playwright",
	}
}

// JobNames are the jobs of the workflows that init writes. A check run is named after its job, so a review status of one of
// these names could be satisfied by the job alone.
func JobNames() []string {
	return []string{"gate", "fix", "recheck", "push", "review-gate", "merge-group", "self-test"}
}

// floor judges what no single key tells: keys that must agree with each other.
func (r *reader) floor() {
	r.accounts()
	r.branches()
	r.review()
	r.loopback()
	r.overlaps()
	r.verify()
}

// accounts keeps the three identities apart: a robot that is also the maintainer would label its own commits.
func (r *reader) accounts() {
	p := &r.policy
	accounts := []struct {
		path, login string
		id          int64
	}{
		{"maintainer", p.Maintainer.Login, p.Maintainer.ID},
		{"bot", p.Bot.Login, p.Bot.ID},
		{"robot", p.Robot.Login, p.Robot.ID},
	}
	for i, a := range accounts {
		for _, b := range accounts[:i] {
			if a.id > 0 && a.id == b.id {
				r.fault(r.placeOr(a.path+".id"), a.path+".id", ErrFloor, "want an account of its own, got the id of %s", b.path)
			}
			if a.login != "" && strings.EqualFold(a.login, b.login) {
				r.fault(r.placeOr(a.path+".login"), a.path+".login", ErrFloor, "want an account of its own, got the login of %s", b.path)
			}
		}
	}
}

// branches keeps the branches that everybody works on out of the loop's reach.
func (r *reader) branches() {
	b := r.policy.Branches
	if b.Default == "" || b.Never == nil {
		return
	}
	for _, must := range slices.Compact([]string{b.Default, "main"}) {
		if !slices.Contains(b.Never, must) { // byte for byte, as git compares branches
			r.fault(r.placeOr("branches.never"), "branches.never", ErrFloor, "want %s among them, which is never pushed to", quote(must))
		}
	}
}

func (r *reader) review() {
	v := r.policy.Review
	_, read := r.places["review"]
	switch {
	case !read:
	case v.AppID == 0 && !v.AcceptBranchWriters && !r.faulty("review."):
		r.fault(r.placeOr("review"), "review", ErrFloor, "want app_id, the app that posts the review status, or accept_branch_writers: true, by which whoever can push a branch can forge it")
	case v.AppID > 0 && v.AcceptBranchWriters:
		r.fault(r.placeOr("review.accept_branch_writers"), "review.accept_branch_writers", ErrFloor, "want either app_id or this, got both")
	}
	if v.Context == "" {
		return
	}
	at := r.placeOr("review.context")
	if strings.EqualFold(v.Context, r.policy.Bot.Context) {
		r.fault(at, "review.context", ErrFloor, "want another name than bot.context")
	}
	for _, job := range JobNames() {
		if strings.EqualFold(v.Context, job) || strings.HasPrefix(strings.ToLower(v.Context), job+" ") {
			r.fault(at, "review.context", ErrFloor, "want another name than the job %q, which would satisfy the required check by its name alone", job)
		}
	}
}

// faulty reports whether a key that begins so was already found wrong.
func (r *reader) faulty(prefix string) bool {
	for _, f := range r.faults {
		if strings.HasPrefix(f.Key, prefix) {
			return true
		}
	}
	return false
}

// loopback allows the sandbox's hosts in a sandbox only.
func (r *reader) loopback() {
	if r.policy.Sandbox {
		return
	}
	h := r.policy.Hosts
	for _, host := range []struct{ key, base string }{
		{"github_api", h.GitHubAPI}, {"github_git", h.GitHubGit}, {"model", h.Model}, {"bot", h.Bot}, {"bot_artifacts", h.BotArtifacts},
	} {
		if Loopback(host.base) {
			r.fault(r.placeOr("hosts."+host.key), "hosts."+host.key, ErrFloor, "want https:// outside a sandbox, got %s; a loopback host needs sandbox: true", quote(host.base))
		}
	}
}

// overlaps refuses a root in a folder of security modules: it would allow nothing, so it is a mistake.
func (r *reader) overlaps() {
	for i, root := range r.policy.Paths.Roots {
		for _, folder := range r.policy.Paths.SecurityFolders {
			if within(root, folder) {
				key := fmt.Sprintf("paths.roots[%d]", i)
				r.fault(r.placeOr(key), key, ErrFloor, "want a folder outside security_folders, got one inside %s", quote(folder))
			}
		}
	}
}

// within reports whether path is folder or lies below it, compared without case.
func within(path, folder string) bool {
	path, folder = strings.ToLower(path), strings.ToLower(folder)
	return path == folder || strings.HasPrefix(path, folder+"/")
}
