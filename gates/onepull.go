package gates

import (
	"slices"
	"strings"

	"selffix/internal/lazyregexp"
	"selffix/pipeline/policy"
)

const headsPrefix = "refs/heads/"

// branchForm is the alphabet in which a branch name means the same to git, to a URL and to a log.
var branchForm = lazyregexp.New(`^[A-Za-z0-9_][A-Za-z0-9._/+#@-]{0,199}$`)

// PlainBranch reports whether name is a branch that self-fix works on: GitHub allows far more, but then an
// argument, a path or an output has to be escaped somewhere.
func PlainBranch(name string) bool {
	if !branchForm.MatchString(name) || strings.Contains(name, "..") || strings.Contains(name, "//") ||
		strings.Contains(name, "@{") || strings.HasSuffix(name, "/") || strings.HasSuffix(name, ".") {
		return false
	}
	for part := range strings.SplitSeq(name, "/") {
		if strings.HasPrefix(part, ".") || strings.HasSuffix(part, ".lock") {
			return false
		}
	}
	return true
}

// Candidate names the one open pull request whose head is the event's commit. ok is false where there is none, or more than
// one, or where the sources disagree: Decide then says which.
func Candidate(f Facts) (number int, ok bool) {
	number, s := candidate(f)
	return number, s == nil
}

// candidate is the first half of gate 2, over the union of both listings.
func candidate(f Facts) (int, *stop) {
	if s := need(ruleUnread, "the commit's pull requests", f.ByCommit); s != nil {
		return 0, s
	}
	if s := need(ruleUnread, "the open pull requests", f.Open); s != nil {
		return 0, s
	}
	byCommit, s := headedBy(f.ByCommit.Value, f.Event)
	if s != nil {
		return 0, s
	}
	open, s := headedBy(f.Open.Value, f.Event)
	if s != nil {
		return 0, s
	}
	union := map[int]bool{}
	for n, own := range byCommit {
		union[n] = own
	}
	for n, own := range open {
		union[n] = own || union[n]
	}
	if len(union) != 1 {
		return 0, nothing(ruleOnePull, "%d open pull requests have this commit as their head", len(union))
	}
	for n, own := range union {
		_, a := byCommit[n]
		_, b := open[n]
		if own && a != b {
			return 0, undecided(ruleSources, "the listing by commit and the listing of open pull requests disagree about %d", n)
		}
		return n, nil
	}
	return 0, nil
}

// headedBy returns the open pull requests of list whose head is the event's commit, and whether each lies in
// the event's repository.
func headedBy(list []PullRequest, e Event) (map[int]bool, *stop) {
	found := map[int]bool{}
	for _, pr := range list {
		if pr.Number <= 0 || !IsSHA(pr.HeadSHA) || pr.State == "" {
			return nil, undecided(ruleRecords, "a listed pull request lacks its number, state or head")
		}
		if pr.State == "open" && pr.HeadSHA == e.SHA {
			found[pr.Number] = pr.HeadRepoID > 0 && pr.HeadRepoID == e.RepositoryID
		}
	}
	return found, nil
}

// onePull is gate 2.
func onePull(f Facts, p policy.Policy) *stop {
	number, s := candidate(f)
	if s != nil {
		return s
	}
	if s := need(ruleUnread, "the pull request", f.Pull); s != nil {
		return s
	}
	pr := f.Pull.Value
	switch {
	case pr.Number != number:
		return undecided(ruleRecords, "the pull request that was read is not %d", number)
	case pr.AuthorID <= 0 || pr.BaseRepoID <= 0 || pr.HeadRef == "" || pr.BaseRef == "" || !f.Clock.records(pr.CreatedAt):
		return undecided(ruleRecords, "the pull request lacks an id, a branch or its time")
	case pr.State != "open" || pr.Merged:
		return nothing(ruleOwnBranch, "pull request %d is not open", number)
	case pr.BaseRepoID != f.Event.RepositoryID:
		return undecided(ruleRecords, "pull request %d is recorded in another repository", number)
	case pr.HeadRepoID <= 0 || pr.HeadRepoID != f.Event.RepositoryID:
		return nothing(ruleOwnBranch, "the branch of pull request %d is not in this repository", number)
	case pr.DefaultBranch != p.Branches.Default || pr.BaseRef != p.Branches.Default:
		return nothing(ruleBase, "pull request %d does not go to the default branch", number)
	case pr.HeadRef == "main" || pr.HeadRef == p.Branches.Default || slices.Contains(p.Branches.Never, pr.HeadRef):
		return nothing(ruleBranch, "the branch of pull request %d is never pushed to", number)
	case !PlainBranch(pr.HeadRef):
		return nothing(ruleBranch, "the branch of pull request %d has a name outside the plain alphabet", number)
	case pr.AuthorID != p.Maintainer.ID || !asciiFold(pr.Author, p.Maintainer.Login) || pr.AuthorType != "User":
		return nothing(ruleAuthor, "the author of pull request %d is not the maintainer", number)
	case pr.HeadSHA != f.Event.SHA:
		return nothing(ruleMoved, "the head of pull request %d has moved from the tested commit", number)
	}
	for _, listed := range slices.Concat(f.ByCommit.Value, f.Open.Value) {
		if listed.Number == number && !listed.samePlace(pr) {
			return undecided(ruleSources, "a listing and the record of pull request %d disagree about its author, base or branch", number)
		}
	}
	if s := need(ruleUnread, "the head branch's ref", f.Head); s != nil {
		return s
	}
	if f.Head.Value != pr.HeadSHA {
		return undecided(ruleRef, "the branch and the record of pull request %d name different commits", number)
	}
	return nil
}

// samePlace reports whether two reads name the same author, base and branch: who may be pushed to, and into what, never rests
// on one answer alone.
func (pr PullRequest) samePlace(o PullRequest) bool {
	return pr.AuthorID == o.AuthorID && pr.BaseRef == o.BaseRef && pr.HeadRef == o.HeadRef && pr.HeadRepoID == o.HeadRepoID
}

// asciiFold compares logins as GitHub does. Unicode folding would let U+212A stand for a "k".
func asciiFold(a, b string) bool {
	if len(a) != len(b) || a == "" {
		return false
	}
	for i := range len(a) {
		if lower(a[i]) != lower(b[i]) || a[i] >= 0x80 {
			return false
		}
	}
	return true
}

func lower(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}
