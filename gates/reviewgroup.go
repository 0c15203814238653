package gates

import (
	"strconv"
	"strings"

	"selffix/internal/lazyregexp"
	"selffix/pipeline/policy"
)

// QueuePrefix begins every branch of the merge queue of a default branch.
func QueuePrefix(branch string) string { return "refs/heads/gh-readonly-queue/" + branch + "/" }

var queueForm = lazyregexp.New(`^pr-([1-9][0-9]{0,8})-([0-9a-f]{40})$`)

// QueueEntry reads the name of a branch of the merge queue: the pull request that it adds, and the commit below.
func QueueEntry(ref string, p policy.Policy) (number int, base string, ok bool) {
	name, ok := strings.CutPrefix(ref, QueuePrefix(p.Branches.Default))
	m := queueForm.FindStringSubmatch(name)
	if !ok || m == nil {
		return 0, "", false
	}
	number, _ = strconv.Atoi(m[1])
	return number, m[2], true
}

// PrefilterReview judges the event alone, before any request: nil means that the status is to be posted.
func PrefilterReview(e ReviewEvent, p policy.Policy) *Verdict {
	f := ReviewFacts{Repository: e.Repository, ID: e.RepositoryID, PullRequest: e.PullRequest}
	if e.Name == "merge_group" {
		f.PullRequest = 1 // the group's numbers are found later
	}
	f.Policy = Read[PolicyRecord]{Seen: true, Value: PolicyRecord{SHA256: p.Digest}} // not yet read, so not judged here
	s := first(
		func() *stop { return reviewSettings(f, p) },
		func() *stop { return reviewEventForm(e, p) },
	)
	if s == nil {
		return nil
	}
	return &Verdict{Decision: s.decision, Rule: s.rule, Reason: s.reason, Facts: []Fact{}}
}

func reviewEventForm(e ReviewEvent, p policy.Policy) *stop {
	switch {
	case e.Name != "pull_request_target" && e.Name != "merge_group":
		return undecided(reviewEvent, "the event is neither pull_request_target nor merge_group")
	case !IsRepository(e.Repository) || !IsSHA(e.Head):
		return undecided(reviewEvent, "the event lacks its repository or a full commit id")
	case e.DefaultBranch != p.Branches.Default:
		return nothing(reviewEvent, "the repository's default branch is not the policy's")
	case e.Name == "pull_request_target":
		return nil
	case !p.Review.AcceptBranchWriters:
		return nothing(reviewPoster, "a merge group's run has no app key, and the policy accepts the status from the review app alone")
	case e.GroupBaseRef != headsPrefix+p.Branches.Default || !IsSHA(e.GroupBase):
		return nothing(reviewBase, "the merge group does not go to the default branch")
	}
	return nil
}

// DecideGroup joins the verdicts of a group's pull requests: all must allow.
func DecideGroup(numbers []int, verdicts []Verdict, posted Read[Posted], statuses Read[[]Status], p policy.Policy) Verdict {
	var all []Fact
	worst := Verdict{Decision: Act, Rule: reviewLabelled, Reason: "each pull request of the merge group may merge"}
	for i, v := range verdicts {
		all = append(all, Fact{Name: "pull request " + strconv.Itoa(numbers[i]), Value: string(v.Decision) + " " + v.Rule})
		all = append(all, v.Facts...)
		if v.Decision == Act || worst.Decision == Undecided {
			continue
		}
		worst.Decision, worst.Rule = v.Decision, reviewGroupOpen
		worst.Reason = "pull request " + strconv.Itoa(numbers[i]) + ": " + v.Reason
	}
	if len(verdicts) == 0 || len(verdicts) != len(numbers) {
		worst.Decision, worst.Rule, worst.Reason = Undecided, reviewGroup, "the merge group names no pull request"
	}
	worst.Facts = all
	if worst.Decision != Act {
		return worst
	}
	f := ReviewFacts{Pending: posted, Statuses: statuses}
	f.Pull.Value.HeadSHA = posted.Value.Commit
	if s := reviewStatuses(f, p); s != nil {
		worst.Decision, worst.Rule, worst.Reason = s.decision, s.rule, s.reason
	}
	return worst
}

// PendingFailed is the verdict where "pending" could not be posted. What is wrong comes from gates/github, in static words.
func PendingFailed(what string, r *Review) Verdict {
	return Verdict{Decision: Undecided, Rule: reviewPending, Facts: []Fact{}, Review: r,
		Reason: "pending could not be posted, so an older success may still stand and the merge may be open: " + what}
}

// SuccessFailed is the verdict where it is not known whether "success" was posted.
func SuccessFailed(what string, closed bool, facts []Fact, r *Review) Verdict {
	v := Verdict{Decision: Undecided, Rule: reviewSuccess, Facts: facts, Review: r,
		Reason: "it is not known whether success was posted; pending was posted over it: " + what}
	if !closed {
		v.Reason = "it is not known whether success was posted, and pending could not be posted over it, so the merge may be open: " + what
	}
	return v
}

// GroupFailed is the verdict where the merge group could not be understood.
func GroupFailed(what string, r *Review) Verdict {
	return Verdict{Decision: Undecided, Rule: reviewGroup, Reason: what, Facts: []Fact{}, Review: r}
}
