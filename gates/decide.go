package gates

import (
	"strconv"

	"selffix/pipeline/policy"
)

// Decide evaluates the four gates, the branch rule and the handover for evidence, in that order of cost,
// and stops at the first that does not hold. With facts still unread it says Undecided, so a reader may call
// it after each read to learn whether reading on is worthwhile: a Nothing never turns into another answer
// by reading more.
func Decide(f Facts, p policy.Policy) Verdict {
	var target Target
	s := judge(f, p, &target.Evidence)
	v := Verdict{Facts: f.list(p)}
	if s != nil {
		v.Decision, v.Rule, v.Reason = s.decision, s.rule, s.reason
		return v
	}
	pull := f.Pull.Value
	target.RepositoryID, target.Repository = f.Event.RepositoryID, f.Event.Repository
	target.PullRequest, target.Ref = pull.Number, headsPrefix+pull.HeadRef
	target.TestedCommit, target.PolicySHA256 = f.Event.SHA, p.Digest
	target.RunID, target.RunAttempt = f.Run.ID, f.Run.Attempt
	if err := target.Check(); err != nil {
		v.Decision, v.Rule, v.Reason = Undecided, ruleEventForm, err.Error()
		return v
	}
	v.Decision, v.Rule, v.Reason, v.Target = Act, ruleAct, "all four gates hold", &target
	return v
}

// Waiting reports whether all that was read so far holds, and only an unread value keeps Decide from an answer.
func (f Facts) Waiting(p policy.Policy) bool {
	var w EvidenceWindow
	s := judge(f, p, &w)
	return s != nil && s.waiting
}

func judge(f Facts, p policy.Policy, w *EvidenceWindow) *stop {
	return first(
		func() *stop { return prefilter(f.Event, p) },
		func() *stop { return ownRun(f.Run) },
		func() *stop { return samePolicy(ruleUnread, rulePolicy, f.Policy, p) },
		func() *stop { return required(f.Pin, p) },
		func() *stop { return verdictOfBot(f, p) },
		func() *stop { return onePull(f, p) },
		func() *stop { return attempts(f, p) },
		func() *stop { return evidence(f, p, w) },
	)
}

// Prefilter judges the event alone, before any request: nil means that it may be the bot's failing status.
func Prefilter(e Event, r Run, p policy.Policy) *Verdict {
	s := first(func() *stop { return prefilter(e, p) }, func() *stop { return ownRun(r) })
	if s == nil {
		return nil
	}
	return &Verdict{Decision: s.decision, Rule: s.rule, Reason: s.reason, Facts: []Fact{}}
}

func prefilter(e Event, p policy.Policy) *stop {
	switch {
	case !p.Enabled:
		return nothing(ruleDisabled, "the policy is not enabled")
	case p.Maintainer.ID <= 0 || p.Maintainer.Login == "" || p.Bot.ID <= 0 || p.Bot.Context == "" || p.Robot.ID <= 0 ||
		p.Attempts.PerPullRequest <= 0 || p.Attempts.PerDay <= 0 || p.Bot.Window <= 0 || p.Branches.Default == "":
		return undecided(ruleConfig, "the policy lacks an id, a name or a limit")
	case !digestForm.MatchString(p.Digest):
		return undecided(ruleConfig, "the policy has no digest")
	case e.Name != "status":
		return nothing(ruleEvent, "the event is not a status")
	case e.SenderID != p.Bot.ID:
		return nothing(ruleEvent, "the status is not the test bot's")
	case e.Context != p.Bot.Context:
		return nothing(ruleEvent, "the status has another context")
	case e.State != "failure":
		return nothing(ruleEvent, "the status is not a failure")
	case e.RepositoryID <= 0 || e.StatusID <= 0 || !IsSHA(e.SHA) || !IsRepository(e.Repository):
		return undecided(ruleEventForm, "the event lacks a repository, a status id or a full commit id")
	case p.RepositoryID != 0 && e.RepositoryID != p.RepositoryID:
		return nothing(ruleEventForm, "the event is of another repository than the policy's")
	case e.DefaultBranch != p.Branches.Default:
		return nothing(ruleEventForm, "the repository's default branch is not the policy's")
	}
	return nil
}

// ownRun demands exactly 1: an absent attempt reads as 0, which "not above 1" would let through.
func ownRun(r Run) *stop {
	switch {
	case r.Attempt < 1 || r.ID <= 0:
		return undecided(ruleEnvironment, "the run has no id or no attempt number")
	case r.Attempt > 1:
		return nothing(ruleRerun, "this is attempt %d of the run", r.Attempt)
	}
	return nil
}

func samePolicy(unread, differs string, r Read[PolicyRecord], p policy.Policy) *stop {
	if p.FakeGitHub() && !r.Seen && r.Why == "" {
		return nil // a sandbox has no default branch to take it from; its tokens and hosts reach nothing real
	}
	if s := need(unread, "the default branch's policy", r); s != nil {
		return s
	}
	if r.Value.SHA256 != p.Digest {
		return nothing(differs, "the policy given is not the one at the head of the default branch")
	}
	return nil
}

// required demands the one rule that holds the merge of a robot commit.
func required(r Read[ReviewPin], p policy.Policy) *stop {
	if s := need(ruleUnread, "the default branch's rules", r); s != nil {
		return s
	}
	if len(r.Value.Apps) == 0 {
		return nothing(rulePin, "no rule of the default branch requires the review status")
	}
	if p.Review.AcceptBranchWriters {
		return nil
	}
	if p.Review.AppID <= 0 {
		return undecided(ruleConfig, "the policy names no review app")
	}
	for _, app := range r.Value.Apps {
		if app == p.Review.AppID {
			return nil
		}
	}
	return nothing(rulePin, "no rule of the default branch requires the review status from app %d", p.Review.AppID)
}

// list renders what was seen, in the order of the gates.
func (f Facts) list(p policy.Policy) []Fact {
	fs := facts{}
	if f.Run.Job == "gate" || f.Run.Job == "fix" || f.Run.Job == "push" {
		fs.plain("job", f.Run.Job)
	}
	if f.Run.ID > 0 {
		fs.plain("run", strconv.FormatInt(f.Run.ID, 10))
	}
	if IsSHA(f.Event.SHA) {
		fs.plain("tested commit", f.Event.SHA)
	}
	add(&fs, "default branch's policy", f.Policy, func(r PolicyRecord) string { return "sha256:" + r.SHA256 })
	add(&fs, "rules requiring the review status", f.Pin, func(r ReviewPin) string { return count(r.Apps) })
	add(&fs, "statuses on the commit", f.Statuses, count)
	add(&fs, "pull requests listed for the commit", f.ByCommit, count)
	add(&fs, "open pull requests", f.Open, count)
	add(&fs, "pull request", f.Pull, func(r PullRequest) string { return strconv.Itoa(r.Number) + " " + state(r.State) })
	add(&fs, "author id", f.Pull, func(r PullRequest) string { return strconv.FormatInt(r.AuthorID, 10) })
	add(&fs, "head ref", f.Head, func(sha string) string { return sha })
	add(&fs, "runs in the window", f.Runs, count)
	if f.Runs.Seen && f.Pull.Seen && f.Commits.Seen {
		n := f.count(p)
		add(&fs, "attempts on the pull request", f.Runs, func([]WorkflowRun) string { return strconv.Itoa(n.pull) })
		add(&fs, "attempts today", f.Runs, func([]WorkflowRun) string { return strconv.Itoa(n.day) })
	}
	add(&fs, "commits of the pull request", f.Commits, count)
	add(&fs, "comments of self-fix", f.Comments, func(n Comments) string { return strconv.Itoa(n.Own) })
	add(&fs, "preview deployment", f.Deployment, func(d Deployment) string { return strconv.FormatInt(d.ID, 10) + " " + state(d.State) })
	return fs
}

// Unready is the verdict where policy, runner or event could not be used, before any request. The error itself is for a
// person's eyes: it may name a path.
func Unready() Verdict {
	return Verdict{Decision: Undecided, Rule: ruleEnvironment, Facts: []Fact{}, Reason: "the policy, the runner's environment or the event cannot be used"}
}

// ReviewUnready is the same for the review gate, which has then posted nothing.
func ReviewUnready() Verdict {
	return Verdict{Decision: Undecided, Rule: reviewEnv, Facts: []Fact{},
		Reason: "the policy, the runner's environment or the event cannot be used; nothing was posted, so an older success may still stand and the merge may be open"}
}
