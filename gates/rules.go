package gates

// RuleDoc describes one rule for people: "self-fix explain ID" prints it.
type RuleDoc struct {
	ID    string
	Title string // what the rule demands, or found
	Why   string // the attack or failure that it answers, and what to do
}

// The ids of the four gates.
const (
	ruleAct          = "SF-GATE-000"
	ruleDisabled     = "SF-GATE-001"
	ruleConfig       = "SF-GATE-002"
	rulePolicy       = "SF-GATE-003"
	ruleRerun        = "SF-GATE-004"
	ruleEvent        = "SF-GATE-005"
	ruleEventForm    = "SF-GATE-006"
	ruleVerdict      = "SF-GATE-010"
	ruleWitness      = "SF-GATE-011"
	ruleOrder        = "SF-GATE-012"
	ruleOnePull      = "SF-GATE-020"
	ruleSources      = "SF-GATE-021"
	ruleOwnBranch    = "SF-GATE-022"
	ruleBase         = "SF-GATE-023"
	ruleBranch       = "SF-GATE-024"
	ruleAuthor       = "SF-GATE-025"
	ruleMoved        = "SF-GATE-026"
	ruleRef          = "SF-GATE-027"
	rulePerPull      = "SF-GATE-030"
	rulePerDay       = "SF-GATE-031"
	ruleOwnRun       = "SF-GATE-032"
	ruleRecords      = "SF-GATE-033"
	ruleCommits      = "SF-GATE-034"
	rulePin          = "SF-GATE-040"
	rulePreview      = "SF-GATE-050"
	ruleWindow       = "SF-GATE-051"
	ruleUnread       = "SF-GATE-090"
	ruleEnvironment  = "SF-GATE-091"
	reviewLabelled   = "SF-REVIEW-000"
	reviewNoRobot    = "SF-REVIEW-001"
	reviewDisabled   = "SF-REVIEW-002"
	reviewConfig     = "SF-REVIEW-003"
	reviewPolicy     = "SF-REVIEW-004"
	reviewEvent      = "SF-REVIEW-005"
	reviewPending    = "SF-REVIEW-006"
	reviewPoster     = "SF-REVIEW-007"
	reviewSuccess    = "SF-REVIEW-008"
	reviewClosed     = "SF-REVIEW-010"
	reviewFork       = "SF-REVIEW-011"
	reviewBase       = "SF-REVIEW-012"
	reviewMoved      = "SF-REVIEW-013"
	reviewSibling    = "SF-REVIEW-014"
	reviewMany       = "SF-REVIEW-015"
	reviewCommits    = "SF-REVIEW-016"
	reviewNoLabel    = "SF-REVIEW-020"
	reviewActor      = "SF-REVIEW-021"
	reviewRemoved    = "SF-REVIEW-022"
	reviewOlder      = "SF-REVIEW-023"
	reviewArrival    = "SF-REVIEW-024"
	reviewFuture     = "SF-REVIEW-025"
	reviewDisagree   = "SF-REVIEW-026"
	reviewClockless  = "SF-REVIEW-027"
	reviewBound      = "SF-REVIEW-030"
	reviewOwnPending = "SF-REVIEW-031"
	reviewGroup      = "SF-REVIEW-040"
	reviewGroupOpen  = "SF-REVIEW-041"
	reviewUnread     = "SF-REVIEW-090"
	reviewEnv        = "SF-REVIEW-091"
)

// Rules lists every rule of this package in the order of their ids, the four gates first.
func Rules() []RuleDoc { return append(gateRules(), reviewRules()...) }

func gateRules() []RuleDoc {
	return []RuleDoc{
		{ruleAct, "all gates hold", "The verdict is the bot's, the pull request is the maintainer's and has not moved, and attempts are left: the loop may go on to the next step, which judges afresh."},
		{ruleDisabled, "the policy is not enabled", "A policy works only where it says \"enabled: true\", so a half-written one, or one switched off in an emergency, does nothing."},
		{ruleConfig, "an id or limit in the policy is not positive", "GitHub leaves an id out where an account is gone, and a client turns that into 0; an unset id in the policy would then match it."},
		{rulePolicy, "the policy is the default branch's", "Only the file at the head of the default branch counts. Whoever can choose another file chooses the rules; a changed file stops runs that are under way."},
		{ruleRerun, "this is the first attempt of its run", "\"Re-run failed jobs\" keeps the outputs of jobs that are not run again and the run's original date, so a re-run would start the fix job past every count. Push a new commit instead."},
		{ruleEvent, "the event is a failing status of the test bot", "Other statuses arrive all the time and from anyone with write access: the event alone already tells them apart, without a request."},
		{ruleEventForm, "the event names this repository, its default branch, a commit and a status", "A field that is missing or of another form means that the event is not what this command was built for."},
		{ruleVerdict, "the bot's newest status on the commit is exactly \"failure\"", "The event may be minutes old. A later pending or success of the bot withdraws it; a status of the same name by anybody else neither counts nor hides the bot's."},
		{ruleWitness, "the listing of statuses holds the status of this event", "GitHub has answered 200 with old or empty lists. A list without the one entry that must be there was not read in full."},
		{ruleOrder, "statuses are ordered the same by id and by time", "Where the two orders disagree nobody can say which verdict is the newest."},
		{ruleOnePull, "exactly one open pull request has this commit as its head", "A repair belongs to one pull request. With two there is no telling which one the bot meant and whose limits count."},
		{ruleSources, "both listings name the same pull requests of this repository", "The list by commit and the list of open pull requests lag independently; when they disagree one of them is old."},
		{ruleOwnBranch, "the pull request is open and its branch lies in this repository", "A fork's owner controls the branch that would be pushed to. A deleted fork has no repository at all."},
		{ruleBase, "the pull request goes to the default branch", "Only the default branch carries the rule that holds the merge of a robot commit."},
		{ruleBranch, "the head branch may be pushed to", "The default branch and those in branches.never are never pushed to, nor is a name outside the plain alphabet, which could mean something else to git or to a URL."},
		{ruleAuthor, "the author is the maintainer, by id and by login", "A login is free for anybody after a rename; a number is not. The author of the pull request counts, not whoever triggered the run."},
		{ruleMoved, "the head is still the tested commit", "A repair of an older commit would be built on code that the bot did not test."},
		{ruleRef, "the branch's ref names the commit that the pull request names", "The pull request's record can lag behind its branch for hours."},
		{rulePerPull, "attempts are left on this pull request", "A run counts once its fix job may have started, whatever happened next: queued, waiting, cancelled, refused or failed, in any attempt of the run."},
		{rulePerDay, "attempts are left today", "Counted over the repository since midnight UTC by GitHub's clock, so that a fault elsewhere cannot spend without bound."},
		{ruleOwnRun, "the listing of runs holds this run, in its first attempt", "Runs that a listing lacks are attempts that were not counted; the one that must be in it is our own."},
		{ruleRecords, "each record has its ids and times", "A missing date compares as earlier than everything, a missing id equals another missing one."},
		{ruleCommits, "the pull request's commits are listed in full", "GitHub lists at most 250 commits, oldest first and without saying so; the head is the one that would be missing."},
		{rulePin, "the default branch requires the review status from the review app", "Without that rule nothing holds the merge of a robot commit; without the pin whoever can push a branch can post the status."},
		{rulePreview, "GitHub records a successful preview deployment of the tested commit on an accepted host", "A failure report counts only if it is about this preview, so there must be one whose address GitHub recorded."},
		{ruleWindow, "the evidence window is not empty", "A report must be younger than commit and deployment and older than the failing status. A commit dated after the status leaves no room."},
		{ruleUnread, "every answer could be read", "An error, a cut list, a redirect, a malformed or stale answer: any doubt means doing nothing. Run it again by pushing a commit."},
		{ruleEnvironment, "the runner's environment is complete", "Identity comes from the runner and its event. Without it, or with another host than the policy's, nothing is asked of anyone."},
	}
}

func reviewRules() []RuleDoc {
	return []RuleDoc{
		{reviewLabelled, "the maintainer labelled what is there now", "The label is on the pull request, GitHub's record shows that the maintainer added it after the newest robot commit and after the current head arrived, and nobody removed it since."},
		{reviewNoRobot, "no robot commit", "No commit, push or comment of self-fix was ever seen on this pull request, so this status has nothing to hold."},
		{reviewDisabled, "the policy is not enabled", "A policy works only where it says \"enabled: true\". Take the rule that requires the status away when you switch it off, or every merge waits."},
		{reviewConfig, "an id or limit in the policy is not positive", "An unset id would match the 0 that a client makes of a missing one."},
		{reviewPolicy, "the policy is the default branch's", "Only the file at the head of the default branch counts: a pull request cannot change the rule it is judged by."},
		{reviewEvent, "the event is pull_request_target or merge_group of this repository", "Other events carry another copy of the workflow, or none of the fields that are needed."},
		{reviewPending, "\"pending\" was posted before anything was read", "An old success on the commit would survive a read that fails. If this post failed, an older success may still stand and the merge may be open: run the job again."},
		{reviewPoster, "there is a token that the policy accepts for posting", "The status is posted by the review app, or by the workflow's token where the policy accepts that whoever can push a branch can forge it."},
		{reviewSuccess, "\"success\" was posted", "The answer to the post could not be read; \"pending\" was posted over it. Run the job again."},
		{reviewClosed, "the pull request is open", "A closed pull request cannot merge; it is judged again when it is reopened."},
		{reviewFork, "the pull request's branch lies in this repository", "Pull requests from forks are outside self-fix; a fork's owner controls the branch after the review."},
		{reviewBase, "the pull request goes to the default branch", "Only there does the required status hold the merge."},
		{reviewMoved, "the head did not move while it was judged", "What was judged is not what would merge. The push that moved it starts a run of its own."},
		{reviewSibling, "no other open pull request has the same head", "A status belongs to a commit, so a success for one pull request would open the other, for which nobody added a label."},
		{reviewMany, "the pull request has fewer than 250 commits", "GitHub lists at most 250, oldest first: the newest robot commit is the one that would be missing. Split or squash it."},
		{reviewCommits, "the pull request's commits are listed in full", "As many as GitHub counts, each once, the head among them and every one reached from it, with identities and dates."},
		{reviewNoLabel, "the review label is on the pull request now", "Add the label after you have read the change. A label that was renamed or deleted is not on it."},
		{reviewActor, "the maintainer added the label", "By numeric id, as a person and not through an app: anyone who may triage can add a label."},
		{reviewRemoved, "nobody removed the label since", "A removal without a readable name is what deleting a label leaves, so it counts."},
		{reviewOlder, "the label is later than the newest robot commit", "What the maintainer read cannot include a commit made later. Equal seconds are not later. Take the label off and add it again."},
		{reviewArrival, "the label is later than the arrival of the current head", "Commit dates are chosen by whoever commits; the arrival is GitHub's. Only the maintainer's own empty commits may follow the label."},
		{reviewFuture, "no robot commit is dated in the future", "A commit dated ahead of GitHub's clock would make every label look old. Rewrite its date."},
		{reviewDisagree, "GitHub's records agree on the label", "Events and timeline, read at different moments, must show the same last change of the label."},
		{reviewClockless, "GitHub recorded when the current head arrived", "Without a time of GitHub's own clock only the commit's date is left, which its author chose."},
		{reviewBound, "fewer than 900 review statuses stand on the commit", "GitHub refuses the 1,001st, so a success near the limit could never be taken back. Push an empty commit."},
		{reviewOwnPending, "the listing of statuses holds the \"pending\" of this run", "A list without the entry that was just made was not read in full."},
		{reviewGroup, "the merge group is understood in full", "Its branch names its last pull request; the others are found by walking the queue down to the default branch. Each must pass by itself."},
		{reviewGroupOpen, "every pull request of the merge group may merge", "One of them is held, and a queue may merge the whole group on the status of its last entry."},
		{reviewUnread, "every answer could be read", "An error, a cut list, a redirect, a malformed or stale answer: at most \"pending\" stays. Run the job again."},
		{reviewEnv, "the runner's environment is complete", "Identity comes from the runner and its event. Without it, or with another host than the policy's, nothing is asked of anyone."},
	}
}
