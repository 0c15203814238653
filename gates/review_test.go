package gates_test

import (
	"strings"
	"testing"
	"time"

	"selffix/gates"
	"selffix/pipeline/policy"
)

var (
	pushed   = now.Add(-30 * time.Minute) // the robot's push
	labelled = now.Add(-10 * time.Minute)
)

func labelEvent(id int64, at time.Time) gates.LabelEvent {
	return gates.LabelEvent{ID: id, Labeled: true, Label: "reviewed", ActorID: maintainerID, ActorType: "User", At: at}
}

// reviewed is a pull request with a robot commit on top that the maintainer labelled.
func reviewed() gates.ReviewFacts {
	robot := robotCommit(tested, treeB, parent)
	robot.AuthorDate, robot.CommitterDate = pushed, pushed
	event := labelEvent(20, labelled)
	return gates.ReviewFacts{
		Repository: testRepo, ID: repoID, PullRequest: 7,
		Clock:    gates.Clock{First: now, Last: now},
		Pending:  read(gates.Posted{ID: 900, Commit: tested}),
		Open:     read([]gates.PullRequest{pull()}),
		ByCommit: read([]gates.PullRequest{pull()}),
		Labels:   read([]string{"bug", "reviewed"}),
		Events:   read([]gates.LabelEvent{event}),
		Commits:  read([]gates.Commit{commit(parent, treeA, other), robot}),
		Activity: read([]gates.Activity{
			{ID: 2, Before: parent, After: tested, ActorID: robotID, At: pushed},
			{ID: 1, Before: noCommit, After: parent, ActorID: maintainerID, At: pushed.Add(-time.Hour)}}),
		Statuses: read([]gates.Status{{ID: 900, Context: "maintainer-review", State: "pending", CreatorID: robotID, CreatedAt: now}}),
		Timeline: read(gates.Timeline{Comments: 1, Labels: []gates.LabelEvent{event}, SelfComments: []time.Time{pushed.Add(2 * time.Second)}}),
		Pull:     read(pull()),
	}
}

// unmarked is a pull request that no robot touched.
func unmarked() gates.ReviewFacts {
	f := reviewed()
	f.Commits.Value[1] = commit(tested, treeB, parent)
	f.Activity.Value[0].ActorID = maintainerID
	f.Timeline.Value = gates.Timeline{Comments: 1}
	f.Labels.Value, f.Events.Value = nil, nil
	f.Pull.Value.Labels, f.Open.Value[0].Labels = nil, nil
	return f
}

type reviewCase struct {
	name string
	edit func(*gates.ReviewFacts, *policy.Policy)
	d    gates.Decision
	rule string
}

func reviewCases(t *testing.T, base func() gates.ReviewFacts, cases []reviewCase) {
	t.Helper()
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			p, f := seedPolicy(t), base()
			f.Policy = read(gates.PolicyRecord{SHA256: p.Digest})
			c.edit(&f, &p)
			want(t, gates.DecideReview(f, p), c.d, c.rule)
		})
	}
}

// both changes the label's event in both sources.
func both(edit func(*gates.LabelEvent)) func(*gates.ReviewFacts, *policy.Policy) {
	return func(f *gates.ReviewFacts, _ *policy.Policy) {
		edit(&f.Events.Value[0])
		edit(&f.Timeline.Value.Labels[0])
	}
}

// also adds an event to both sources.
func also(e gates.LabelEvent) func(*gates.ReviewFacts, *policy.Policy) {
	return func(f *gates.ReviewFacts, _ *policy.Policy) {
		f.Events.Value = append([]gates.LabelEvent{e}, f.Events.Value...)
		f.Timeline.Value.Labels = append(f.Timeline.Value.Labels, e)
	}
}

func TestReviewLabel(t *testing.T) {
	act, no, maybe := gates.Act, gates.Nothing, gates.Undecided
	minute := labelled.Add(time.Minute)
	at := func(d time.Duration) func(*gates.ReviewFacts, *policy.Policy) {
		return both(func(e *gates.LabelEvent) { e.At = pushed.Add(d) })
	}
	reviewCases(t, reviewed, []reviewCase{
		{"labelled after the push", func(*gates.ReviewFacts, *policy.Policy) {}, act, "SF-REVIEW-000"},
		{"label not in the labels", func(f *gates.ReviewFacts, p *policy.Policy) { f.Labels.Value = []string{"bug"} }, no, "SF-REVIEW-020"},
		{"label not in the list", func(f *gates.ReviewFacts, p *policy.Policy) { f.Open.Value[0].Labels = nil }, no, "SF-REVIEW-020"},
		{"label gone at the end", func(f *gates.ReviewFacts, p *policy.Policy) { f.Pull.Value.Labels = nil }, no, "SF-REVIEW-020"},
		{"label in other case", func(f *gates.ReviewFacts, p *policy.Policy) {
			f.Labels.Value, f.Open.Value[0].Labels, f.Pull.Value.Labels = []string{"Reviewed"}, []string{"Reviewed"}, []string{"Reviewed"}
		}, no, "SF-REVIEW-020"},
		{"by another", both(func(e *gates.LabelEvent) { e.ActorID = strangerID }), no, "SF-REVIEW-021"},
		{"by a deleted account", both(func(e *gates.LabelEvent) { e.ActorID = 0 }), no, "SF-REVIEW-021"},
		{"by a bot with that id", both(func(e *gates.LabelEvent) { e.ActorType = "Bot" }), no, "SF-REVIEW-021"},
		{"through an app", both(func(e *gates.LabelEvent) { e.ByApp = true }), no, "SF-REVIEW-021"},
		{"renamed label: event keeps the old name", both(func(e *gates.LabelEvent) { e.Label = "seen" }), maybe, "SF-REVIEW-026"},
		{"label event in other case", both(func(e *gates.LabelEvent) { e.Label = "Reviewed" }), no, "SF-REVIEW-020"},
		{"removed later", also(gates.LabelEvent{ID: 21, Label: "reviewed", ActorID: maintainerID, ActorType: "User", At: minute}), no, "SF-REVIEW-022"},
		{"removed later without a name", also(gates.LabelEvent{ID: 21, ActorID: strangerID, ActorType: "User", At: minute}), no, "SF-REVIEW-022"},
		{"removed in the same second", also(gates.LabelEvent{ID: 21, Label: "reviewed", ActorID: maintainerID, ActorType: "User", At: labelled}), no, "SF-REVIEW-022"},
		{"another label removed later", also(gates.LabelEvent{ID: 21, Label: "bug", ActorID: strangerID, ActorType: "User", At: minute}), act, "SF-REVIEW-000"},
		{"added again by another", func(f *gates.ReviewFacts, p *policy.Policy) {
			also(gates.LabelEvent{ID: 21, Label: "reviewed", ActorID: strangerID, ActorType: "User", At: minute})(f, p)
			e := labelEvent(22, minute.Add(time.Second))
			e.ActorID = strangerID
			also(e)(f, p)
		}, no, "SF-REVIEW-021"},
		{"removal only in the events", func(f *gates.ReviewFacts, p *policy.Policy) {
			f.Events.Value = append(f.Events.Value, gates.LabelEvent{ID: 21, Label: "reviewed", At: minute})
		}, maybe, "SF-REVIEW-026"},
		{"removal only in the timeline", func(f *gates.ReviewFacts, p *policy.Policy) {
			f.Timeline.Value.Labels = append(f.Timeline.Value.Labels, gates.LabelEvent{ID: 21, Label: "reviewed", At: minute})
		}, maybe, "SF-REVIEW-026"},
		{"no event at all", func(f *gates.ReviewFacts, p *policy.Policy) { f.Events.Value = nil }, maybe, "SF-REVIEW-026"},
		{"event without time", both(func(e *gates.LabelEvent) { e.At = time.Time{} }), maybe, "SF-REVIEW-090"},
		{"event of the year 9999", both(func(e *gates.LabelEvent) { e.At = time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC) }), maybe, "SF-REVIEW-090"},
		{"one second before the commit", at(-time.Second), no, "SF-REVIEW-023"},
		{"in the second of the commit", at(0), no, "SF-REVIEW-023"},
		{"before the comment of the push", at(time.Second), no, "SF-REVIEW-023"},
		{"one second after the comment", at(3 * time.Second), act, "SF-REVIEW-000"},
		{"labels unread", func(f *gates.ReviewFacts, p *policy.Policy) { f.Labels = gates.Read[[]string]{} }, maybe, "SF-REVIEW-090"},
		{"events unread", func(f *gates.ReviewFacts, p *policy.Policy) { f.Events = gates.Read[[]gates.LabelEvent]{} }, maybe, "SF-REVIEW-090"},
		{"timeline unread", func(f *gates.ReviewFacts, p *policy.Policy) { f.Timeline = gates.Read[gates.Timeline]{} }, maybe, "SF-REVIEW-090"},
	})
}

func TestReviewTimes(t *testing.T) {
	no, maybe := gates.Nothing, gates.Undecided
	robot := func(edit func(*gates.Commit)) func(*gates.ReviewFacts, *policy.Policy) {
		return func(f *gates.ReviewFacts, _ *policy.Policy) { edit(&f.Commits.Value[1]) }
	}
	late := labelled.Add(time.Minute)
	arrived := func(at time.Time) func(*gates.ReviewFacts, *policy.Policy) {
		return func(f *gates.ReviewFacts, _ *policy.Policy) {
			f.Activity.Value[0].ActorID, f.Activity.Value[0].At = strangerID, at
		}
	}
	reviewCases(t, reviewed, []reviewCase{
		{"author date after the label", robot(func(c *gates.Commit) { c.AuthorDate = late }), no, "SF-REVIEW-023"},
		{"committer date after the label", robot(func(c *gates.Commit) { c.CommitterDate = late }), no, "SF-REVIEW-023"},
		{"backdated, pushed after the label", func(f *gates.ReviewFacts, p *policy.Policy) {
			f.Commits.Value[1].AuthorDate, f.Commits.Value[1].CommitterDate = pushed.Add(-99*time.Hour), pushed.Add(-99*time.Hour)
			f.Timeline.Value.SelfComments = nil
			arrived(late)(f, p)
		}, no, "SF-REVIEW-024"},
		{"dated in 2099", robot(func(c *gates.Commit) { c.CommitterDate = time.Date(2099, 1, 1, 0, 0, 0, 0, time.UTC) }), no, "SF-REVIEW-025"},
		{"older robot listed last", func(f *gates.ReviewFacts, p *policy.Policy) {
			first := robotCommit(parent, treeA, other)
			first.AuthorDate, first.CommitterDate = late, late
			f.Commits.Value[0] = first
		}, no, "SF-REVIEW-023"},
		{"head arrived by another after the label", arrived(late), no, "SF-REVIEW-024"},
		{"head arrived in the second of the label", arrived(labelled), no, "SF-REVIEW-024"},
		{"left and came back after the label", func(f *gates.ReviewFacts, p *policy.Policy) {
			f.Activity.Value = append(f.Activity.Value, gates.Activity{ID: 3, Before: tested, After: other, ActorID: strangerID, At: late},
				gates.Activity{ID: 4, Before: other, After: tested, ActorID: strangerID, At: late})
		}, no, "SF-REVIEW-024"},
		{"forced push after the label", func(f *gates.ReviewFacts, p *policy.Policy) {
			f.Timeline.Value.ForcePushes = []time.Time{late}
		}, no, "SF-REVIEW-024"},
		{"last activity is not the head", func(f *gates.ReviewFacts, p *policy.Policy) { f.Activity.Value = f.Activity.Value[1:] }, maybe, "SF-REVIEW-027"},
		{"activity without time", func(f *gates.ReviewFacts, p *policy.Policy) { f.Activity.Value[0].At = time.Time{} }, maybe, "SF-REVIEW-090"},
		{"activity unread", func(f *gates.ReviewFacts, p *policy.Policy) { f.Activity = gates.Read[[]gates.Activity]{} }, maybe, "SF-REVIEW-090"},
	})
}

// The seed asks the maintainer for an empty commit, to run the other workflows on the robot's fix.
func TestReviewEmptyCommit(t *testing.T) {
	onTop := func(edit func(*gates.Commit)) func() gates.ReviewFacts {
		return func() gates.ReviewFacts {
			f := reviewed()
			empty := commit(other[:39]+"f", treeB, tested)
			empty.AuthorDate, empty.CommitterDate = now, now
			edit(&empty)
			f.Commits.Value = append(f.Commits.Value, empty)
			f.Activity.Value = append(f.Activity.Value, gates.Activity{ID: 9, Before: tested, After: empty.SHA, ActorID: maintainerID, At: now})
			for _, pr := range []*gates.PullRequest{&f.Pull.Value, &f.Open.Value[0], &f.ByCommit.Value[0]} {
				pr.HeadSHA, pr.Commits = empty.SHA, 3
			}
			f.Pending.Value.Commit = empty.SHA
			return f
		}
	}
	none := func(*gates.ReviewFacts, *policy.Policy) {}
	for _, c := range []struct {
		name string
		edit func(*gates.Commit)
		d    gates.Decision
		rule string
	}{
		{"the maintainer's", func(*gates.Commit) {}, gates.Act, "SF-REVIEW-000"},
		{"with a change", func(c *gates.Commit) { c.Tree = treeA }, gates.Nothing, "SF-REVIEW-024"},
		{"of another", func(c *gates.Commit) { c.AuthorID = strangerID }, gates.Nothing, "SF-REVIEW-024"},
		{"committed by another", func(c *gates.Commit) { c.CommitterID = strangerID }, gates.Nothing, "SF-REVIEW-024"},
		{"unlinked", func(c *gates.Commit) { c.AuthorID, c.CommitterID = 0, 0 }, gates.Nothing, "SF-REVIEW-024"},
		{"a merge", func(c *gates.Commit) { c.Parents = []string{tested, parent} }, gates.Nothing, "SF-REVIEW-024"},
		{"a robot's", func(c *gates.Commit) { c.Message = "self-fix: again" }, gates.Nothing, "SF-REVIEW-023"},
	} {
		reviewCases(t, onTop(c.edit), []reviewCase{{c.name, none, c.d, c.rule}})
	}
	// Pushed together with the empty commit, the robot's has no record of its own: the time comes from our own status on it.
	together := func(statuses ...gates.Status) func(*gates.ReviewFacts, *policy.Policy) {
		return func(f *gates.ReviewFacts, _ *policy.Policy) {
			f.Activity.Value = f.Activity.Value[1:]
			f.Activity.Value[1].Before = parent
			f.Settled = read(statuses)
		}
	}
	own := gates.Status{ID: 700, Context: "maintainer-review", State: "pending", CreatorID: robotID, CreatedAt: pushed.Add(time.Second)}
	late, foreign, another := own, own, own
	late.CreatedAt, foreign.CreatorID, another.Context = labelled.Add(time.Second), strangerID, "ci"
	reviewCases(t, onTop(func(*gates.Commit) {}), []reviewCase{
		{"by the status below", together(own), gates.Act, "SF-REVIEW-000"},
		{"by the oldest status below", together(late, own), gates.Act, "SF-REVIEW-000"},
		{"status below after the label", together(late), gates.Nothing, "SF-REVIEW-024"},
		{"no status below", together(), gates.Undecided, "SF-REVIEW-027"},
		{"status below by another", together(foreign), gates.Undecided, "SF-REVIEW-027"},
		{"status below of another context", together(another), gates.Undecided, "SF-REVIEW-027"},
		{"statuses below unread", func(f *gates.ReviewFacts, p *policy.Policy) {
			together(own)(f, p)
			f.Settled.Seen = false
		}, gates.Undecided, "SF-REVIEW-027"},
	})
}

// The robot's push may be what a listing lacks: it must be one chain from the head down to the branch's creation.
func TestReviewActivityChain(t *testing.T) {
	maybe := gates.Undecided
	list := func(entries ...gates.Activity) func(*gates.ReviewFacts, *policy.Policy) {
		return func(f *gates.ReviewFacts, _ *policy.Policy) { f.Activity.Value = entries }
	}
	change := func(id int64, before, after string) gates.Activity {
		return gates.Activity{ID: id, Before: before, After: after, ActorID: maintainerID, At: pushed}
	}
	reviewCases(t, unmarked, []reviewCase{
		{"whole", list(change(1, noCommit, other), change(2, other, parent), change(3, parent, tested)), gates.Act, "SF-REVIEW-001"},
		{"whole in any order", list(change(2, other, parent), change(3, parent, tested), change(1, noCommit, other)), gates.Act, "SF-REVIEW-001"},
		{"deleted and made again", list(change(1, noCommit, other), change(2, other, noCommit), change(3, noCommit, tested)), gates.Act, "SF-REVIEW-001"},
		{"empty", list(), maybe, "SF-REVIEW-027"},
		{"cut to the newest", list(change(3, parent, tested)), maybe, "SF-REVIEW-027"},
		{"newest missing", list(change(1, noCommit, other), change(2, other, parent)), maybe, "SF-REVIEW-027"},
		{"one in the middle missing", list(change(1, noCommit, other), change(3, parent, tested)), maybe, "SF-REVIEW-027"},
		{"oldest missing", list(change(2, other, parent), change(3, parent, tested)), maybe, "SF-REVIEW-027"},
		{"without what it left", list(change(1, "", tested)), maybe, "SF-REVIEW-090"},
	})
}

func TestReviewCountsComments(t *testing.T) {
	for _, base := range []func() gates.ReviewFacts{reviewed, unmarked} {
		reviewCases(t, base, []reviewCase{
			{"timeline lacks a comment", func(f *gates.ReviewFacts, p *policy.Policy) { f.Pull.Value.Comments = 2 }, gates.Undecided, "SF-REVIEW-090"},
			{"a comment was deleted since", func(f *gates.ReviewFacts, p *policy.Policy) { f.Pull.Value.Comments = 0 }, gates.Act, gates.DecideReview(base(), seedSandbox(t)).Rule},
		})
	}
}

func TestReviewMarks(t *testing.T) {
	no := gates.Nothing
	reviewCases(t, unmarked, []reviewCase{
		{"no robot", func(*gates.ReviewFacts, *policy.Policy) {}, gates.Act, "SF-REVIEW-001"},
		{"robot commit", func(f *gates.ReviewFacts, p *policy.Policy) { f.Commits.Value[0].Message = "self-fix: x" }, no, "SF-REVIEW-020"},
		{"robot push whose commit is gone", func(f *gates.ReviewFacts, p *policy.Policy) { f.Activity.Value[1].ActorID = robotID }, no, "SF-REVIEW-020"},
		{"push by a nameless account", func(f *gates.ReviewFacts, p *policy.Policy) { f.Activity.Value[1].ActorID = 0 }, no, "SF-REVIEW-020"},
		{"robot comment", func(f *gates.ReviewFacts, p *policy.Policy) { f.Timeline.Value.SelfComments = []time.Time{pushed} }, no, "SF-REVIEW-020"},
	})
}

func TestReviewPull(t *testing.T) {
	no, maybe := gates.Nothing, gates.Undecided
	sibling := pull()
	sibling.Number, sibling.BaseRef = 8, "release"
	twin := func(edit func(*gates.PullRequest)) func(*gates.ReviewFacts, *policy.Policy) {
		return func(f *gates.ReviewFacts, _ *policy.Policy) {
			edit(&f.Open.Value[0])
			edit(&f.Pull.Value)
		}
	}
	last := func(edit func(*gates.PullRequest)) func(*gates.ReviewFacts, *policy.Policy) {
		return func(f *gates.ReviewFacts, _ *policy.Policy) { edit(&f.Pull.Value) }
	}
	for _, base := range []func() gates.ReviewFacts{reviewed, unmarked} {
		reviewCases(t, base, []reviewCase{
			{"disabled", func(f *gates.ReviewFacts, p *policy.Policy) { p.Enabled = false }, no, "SF-REVIEW-002"},
			{"no maintainer id", func(f *gates.ReviewFacts, p *policy.Policy) { p.Maintainer.ID = 0 }, maybe, "SF-REVIEW-003"},
			{"no app", func(f *gates.ReviewFacts, p *policy.Policy) { p.Review.AcceptBranchWriters = false }, maybe, "SF-REVIEW-003"},
			{"another policy", func(f *gates.ReviewFacts, p *policy.Policy) { f.Policy.Value.SHA256 = "x" }, no, "SF-REVIEW-004"},
			{"policy unread", func(f *gates.ReviewFacts, p *policy.Policy) { f.Policy = gates.Read[gates.PolicyRecord]{} }, maybe, "SF-REVIEW-090"},
			{"another repository", func(f *gates.ReviewFacts, p *policy.Policy) { p.RepositoryID = 78 }, no, "SF-REVIEW-005"},
			{"open list unread", func(f *gates.ReviewFacts, p *policy.Policy) { f.Open = gates.Read[[]gates.PullRequest]{} }, maybe, "SF-REVIEW-090"},
			{"not in the open list", func(f *gates.ReviewFacts, p *policy.Policy) { f.Open.Value = nil }, maybe, "SF-REVIEW-090"},
			{"closed", func(f *gates.ReviewFacts, p *policy.Policy) { f.Open.Value = nil; f.Pull.Value.State = "closed" }, no, "SF-REVIEW-010"},
			{"closed meanwhile", last(func(r *gates.PullRequest) { r.State = "closed" }), no, "SF-REVIEW-010"},
			{"fork", twin(func(r *gates.PullRequest) { r.HeadRepoID = 555 }), no, "SF-REVIEW-011"},
			{"deleted fork", twin(func(r *gates.PullRequest) { r.HeadRepoID = 0 }), no, "SF-REVIEW-011"},
			{"base repository missing", twin(func(r *gates.PullRequest) { r.HeadRepoID, r.BaseRepoID = 0, 0 }), maybe, "SF-REVIEW-090"},
			{"base is not the default branch", twin(func(r *gates.PullRequest) { r.BaseRef = "release" }), no, "SF-REVIEW-012"},
			{"retargeted meanwhile", last(func(r *gates.PullRequest) { r.BaseRef = "release" }), maybe, "SF-REVIEW-013"},
			{"moved meanwhile", last(func(r *gates.PullRequest) { r.HeadSHA = other }), maybe, "SF-REVIEW-013"},
			{"sibling in the open list", func(f *gates.ReviewFacts, p *policy.Policy) { f.Open.Value = append(f.Open.Value, sibling) }, no, "SF-REVIEW-014"},
			{"sibling by commit", func(f *gates.ReviewFacts, p *policy.Policy) { f.ByCommit.Value = append(f.ByCommit.Value, sibling) }, no, "SF-REVIEW-014"},
			{"pulls of the commit unread", func(f *gates.ReviewFacts, p *policy.Policy) { f.ByCommit = gates.Read[[]gates.PullRequest]{} }, maybe, "SF-REVIEW-090"},
			{"250 commits", last(func(r *gates.PullRequest) { r.Commits = 250 }), no, "SF-REVIEW-015"},
			{"a commit missing", func(f *gates.ReviewFacts, p *policy.Policy) { f.Commits.Value = f.Commits.Value[1:] }, maybe, "SF-REVIEW-016"},
			{"no committer", func(f *gates.ReviewFacts, p *policy.Policy) { f.Commits.Value[0].Committer = "" }, maybe, "SF-REVIEW-016"},
			{"commits unread", func(f *gates.ReviewFacts, p *policy.Policy) { f.Commits = gates.Read[[]gates.Commit]{} }, maybe, "SF-REVIEW-090"},
			{"last record unread", func(f *gates.ReviewFacts, p *policy.Policy) { f.Pull = gates.Read[gates.PullRequest]{} }, maybe, "SF-REVIEW-090"},
			{"pending not posted", func(f *gates.ReviewFacts, p *policy.Policy) { f.Pending = gates.Read[gates.Posted]{} }, maybe, "SF-REVIEW-006"},
			{"pending on another commit", func(f *gates.ReviewFacts, p *policy.Policy) { f.Pending.Value.Commit = other }, maybe, "SF-REVIEW-013"},
			{"statuses unread", func(f *gates.ReviewFacts, p *policy.Policy) { f.Statuses = gates.Read[[]gates.Status]{} }, maybe, "SF-REVIEW-090"},
			{"own pending missing", func(f *gates.ReviewFacts, p *policy.Policy) { f.Statuses.Value[0].ID = 899 }, maybe, "SF-REVIEW-031"},
			{"900 statuses", func(f *gates.ReviewFacts, p *policy.Policy) { fill(f, 900) }, no, "SF-REVIEW-030"},
			{"899 statuses", func(f *gates.ReviewFacts, p *policy.Policy) { fill(f, 899) }, gates.Act, gates.DecideReview(base(), seedSandbox(t)).Rule},
		})
	}
}

func seedSandbox(t *testing.T) policy.Policy {
	p := seedPolicy(t)
	p.Sandbox, p.Hosts.GitHubAPI = true, "http://127.0.0.1:1"
	return p
}

// fill puts n review statuses on the head, in alternating case.
func fill(f *gates.ReviewFacts, n int) {
	for i := len(f.Statuses.Value); i < n; i++ {
		f.Statuses.Value = append(f.Statuses.Value, gates.Status{ID: int64(10000 + i), Context: []string{"maintainer-review", "Maintainer-Review"}[i%2],
			State: "pending", CreatorID: robotID, CreatedAt: now})
	}
}

func TestForgedStatusIsReported(t *testing.T) {
	p := seedSandbox(t)
	for name, forged := range map[string]gates.Status{
		"by another":    {ID: 5, Context: "maintainer-review", State: "success", CreatorID: strangerID, CreatedAt: pushed},
		"in other case": {ID: 5, Context: "Maintainer-Review", State: "success", CreatorID: robotID, CreatedAt: pushed},
	} {
		f := reviewed()
		f.Statuses.Value = append(f.Statuses.Value, forged)
		v := gates.DecideReview(f, p)
		if !strings.Contains(v.Reason, "posted by somebody else") {
			t.Errorf("%s: not reported: %s", name, v.Reason)
		}
	}
	if v := gates.DecideReview(reviewed(), p); strings.Contains(v.Reason, "somebody else") {
		t.Errorf("reported without one: %s", v.Reason)
	}
}
