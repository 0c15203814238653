package gates_test

import (
	"testing"
	"time"

	"selffix/gates"
	"selffix/pipeline/policy"
)

func TestDecideActs(t *testing.T) {
	p := seedPolicy(t)
	v := gates.Decide(passing(p), p)
	want(t, v, gates.Act, "SF-GATE-000")
	w := v.Target.Evidence
	if v.Target.Ref != "refs/heads/feat/labels" || v.Target.PullRequest != 7 || v.Target.TestedCommit != tested ||
		v.Target.PolicySHA256 != p.Digest || v.Target.RunID != ownRun || v.Target.RunAttempt != 1 || v.Target.RepositoryID != repoID {
		t.Errorf("target %+v", v.Target)
	}
	if w.PreviewURL != preview || !w.NotBefore.Equal(now.Add(-30*time.Minute)) || !w.NotAfter.Equal(now.Add(-2*time.Minute)) {
		t.Errorf("evidence %+v", w)
	}
	if !w.Holds(preview, now.Add(-30*time.Minute)) || w.Holds(preview+"/", now.Add(-5*time.Minute)) || w.Holds(preview, now) {
		t.Error("the window holds what it should not, or the other way round")
	}
}

type gateCase struct {
	name string
	edit func(*gates.Facts, *policy.Policy)
	d    gates.Decision
	rule string
}

func runCases(t *testing.T, cases []gateCase) {
	t.Helper()
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			p := seedPolicy(t)
			f := passing(p)
			c.edit(&f, &p)
			want(t, gates.Decide(f, p), c.d, c.rule)
		})
	}
}

func TestPolicyRunAndEvent(t *testing.T) {
	no, maybe := gates.Nothing, gates.Undecided
	runCases(t, []gateCase{
		{"zero policy", func(f *gates.Facts, p *policy.Policy) { *p = policy.Policy{} }, no, "SF-GATE-001"},
		{"disabled", func(f *gates.Facts, p *policy.Policy) { p.Enabled = false }, no, "SF-GATE-001"},
		{"no maintainer id", func(f *gates.Facts, p *policy.Policy) { p.Maintainer.ID = 0; f.Pull.Value.AuthorID = 0 }, maybe, "SF-GATE-002"},
		{"no bot id", func(f *gates.Facts, p *policy.Policy) { p.Bot.ID = 0; f.Event.SenderID = 0 }, maybe, "SF-GATE-002"},
		{"no robot id", func(f *gates.Facts, p *policy.Policy) { p.Robot.ID = 0 }, maybe, "SF-GATE-002"},
		{"no limit", func(f *gates.Facts, p *policy.Policy) { p.Attempts.PerDay = 0 }, maybe, "SF-GATE-002"},
		{"no digest", func(f *gates.Facts, p *policy.Policy) { p.Digest = "" }, maybe, "SF-GATE-002"},
		{"another policy than the default branch's", func(f *gates.Facts, p *policy.Policy) { f.Policy.Value.SHA256 = "x" }, no, "SF-GATE-003"},
		{"policy unread", func(f *gates.Facts, p *policy.Policy) { f.Policy = gates.Read[gates.PolicyRecord]{} }, maybe, "SF-GATE-090"},
		{"policy unread in a sandbox", func(f *gates.Facts, p *policy.Policy) {
			p.Sandbox, p.Hosts.GitHubAPI, f.Policy = true, "http://127.0.0.1:1", gates.Read[gates.PolicyRecord]{}
		}, gates.Act, "SF-GATE-000"},
		{"policy unread in a sandbox that names GitHub itself", func(f *gates.Facts, p *policy.Policy) {
			p.Sandbox, f.Policy = true, gates.Read[gates.PolicyRecord]{}
		}, maybe, "SF-GATE-090"},
		{"policy failed in a sandbox", func(f *gates.Facts, p *policy.Policy) {
			p.Sandbox, p.Hosts.GitHubAPI, f.Policy = true, "http://127.0.0.1:1", gates.Read[gates.PolicyRecord]{Why: "expected status 200, got 500"}
		}, maybe, "SF-GATE-090"},
		{"attempt absent", func(f *gates.Facts, p *policy.Policy) { f.Run.Attempt = 0 }, maybe, "SF-GATE-091"},
		{"second attempt", func(f *gates.Facts, p *policy.Policy) { f.Run.Attempt = 2 }, no, "SF-GATE-004"},
		{"run id absent", func(f *gates.Facts, p *policy.Policy) { f.Run.ID = 0 }, maybe, "SF-GATE-091"},
		{"another event", func(f *gates.Facts, p *policy.Policy) { f.Event.Name = "push" }, no, "SF-GATE-005"},
		{"another sender", func(f *gates.Facts, p *policy.Policy) { f.Event.SenderID = strangerID }, no, "SF-GATE-005"},
		{"context in other case", func(f *gates.Facts, p *policy.Policy) { f.Event.Context = "testsprite v3" }, no, "SF-GATE-005"},
		{"state error", func(f *gates.Facts, p *policy.Policy) { f.Event.State = "error" }, no, "SF-GATE-005"},
		{"state in other case", func(f *gates.Facts, p *policy.Policy) { f.Event.State = "FAILURE" }, no, "SF-GATE-005"},
		{"short commit", func(f *gates.Facts, p *policy.Policy) { f.Event.SHA = tested[:12] }, maybe, "SF-GATE-006"},
		{"no repository id", func(f *gates.Facts, p *policy.Policy) { f.Event.RepositoryID = 0 }, maybe, "SF-GATE-006"},
		{"no status id", func(f *gates.Facts, p *policy.Policy) { f.Event.StatusID = 0 }, maybe, "SF-GATE-006"},
		{"repository id of another", func(f *gates.Facts, p *policy.Policy) { p.RepositoryID = 78 }, no, "SF-GATE-006"},
		{"default branch renamed", func(f *gates.Facts, p *policy.Policy) { f.Event.DefaultBranch = "trunk" }, no, "SF-GATE-006"},
	})
}

func TestReviewPin(t *testing.T) {
	strict := func(p *policy.Policy) { p.Review.AcceptBranchWriters, p.Review.AppID = false, 4242 }
	runCases(t, []gateCase{
		{"none", func(f *gates.Facts, p *policy.Policy) { f.Pin.Value.Apps = nil }, gates.Nothing, "SF-GATE-040"},
		{"unread", func(f *gates.Facts, p *policy.Policy) { f.Pin = gates.Read[gates.ReviewPin]{} }, gates.Undecided, "SF-GATE-090"},
		{"pinned to the app", func(f *gates.Facts, p *policy.Policy) { strict(p); f.Pin.Value.Apps = []int64{4242} }, gates.Act, "SF-GATE-000"},
		{"required from any", func(f *gates.Facts, p *policy.Policy) { strict(p) }, gates.Nothing, "SF-GATE-040"},
		{"pinned to Actions", func(f *gates.Facts, p *policy.Policy) { strict(p); f.Pin.Value.Apps = []int64{15368} }, gates.Nothing, "SF-GATE-040"},
		{"two rules, one pinned", func(f *gates.Facts, p *policy.Policy) { strict(p); f.Pin.Value.Apps = []int64{0, 4242} }, gates.Act, "SF-GATE-000"},
		{"no app in the policy", func(f *gates.Facts, p *policy.Policy) { strict(p); p.Review.AppID = 0 }, gates.Undecided, "SF-GATE-002"},
	})
}

func TestVerdictOfBot(t *testing.T) {
	no, maybe := gates.Nothing, gates.Undecided
	add := func(s gates.Status) func(*gates.Facts, *policy.Policy) {
		return func(f *gates.Facts, _ *policy.Policy) {
			f.Statuses.Value = append([]gates.Status{s}, f.Statuses.Value...)
		}
	}
	later := now.Add(-time.Minute)
	runCases(t, []gateCase{
		{"unread", func(f *gates.Facts, p *policy.Policy) { f.Statuses = gates.Read[[]gates.Status]{} }, maybe, "SF-GATE-090"},
		{"empty", func(f *gates.Facts, p *policy.Policy) { f.Statuses.Value = nil }, maybe, "SF-GATE-011"},
		{"event's status missing", func(f *gates.Facts, p *policy.Policy) { f.Statuses.Value = f.Statuses.Value[1:] }, maybe, "SF-GATE-011"},
		{"created by another", func(f *gates.Facts, p *policy.Policy) { f.Statuses.Value[0].CreatorID = strangerID }, no, "SF-GATE-010"},
		{"creator deleted", func(f *gates.Facts, p *policy.Policy) { f.Statuses.Value[0].CreatorID = 0 }, no, "SF-GATE-010"},
		{"recorded as error", func(f *gates.Facts, p *policy.Policy) { f.Statuses.Value[0].State = "error" }, no, "SF-GATE-010"},
		{"later success of the bot", add(gates.Status{ID: 301, Context: "TestSprite V3", State: "success", CreatorID: botID, CreatedAt: later}), no, "SF-GATE-010"},
		{"later pending of the bot", add(gates.Status{ID: 301, Context: "TestSprite V3", State: "pending", CreatorID: botID, CreatedAt: later}), no, "SF-GATE-010"},
		{"later success, same second", add(gates.Status{ID: 301, Context: "TestSprite V3", State: "success", CreatorID: botID, CreatedAt: now.Add(-2 * time.Minute)}), no, "SF-GATE-010"},
		{"later success by a spoofer", add(gates.Status{ID: 301, Context: "TestSprite V3", State: "success", CreatorID: strangerID, CreatedAt: later}), gates.Act, "SF-GATE-000"},
		{"later success in other case", add(gates.Status{ID: 301, Context: "testsprite v3", State: "success", CreatorID: botID, CreatedAt: later}), gates.Act, "SF-GATE-000"},
		{"newest by id is older by time", add(gates.Status{ID: 301, Context: "TestSprite V3", State: "failure", CreatorID: botID, CreatedAt: now.Add(-time.Hour)}), maybe, "SF-GATE-012"},
		{"a status without time", add(gates.Status{ID: 301, Context: "x", State: "success", CreatorID: botID}), maybe, "SF-GATE-033"},
		{"a status from the future", func(f *gates.Facts, p *policy.Policy) { f.Statuses.Value[0].CreatedAt = now.Add(time.Hour) }, maybe, "SF-GATE-033"},
	})
}

func TestOnePull(t *testing.T) {
	no, maybe := gates.Nothing, gates.Undecided
	rec := func(edit func(*gates.PullRequest)) func(*gates.Facts, *policy.Policy) {
		return func(f *gates.Facts, _ *policy.Policy) { edit(&f.Pull.Value) }
	}
	second := pull()
	second.Number, second.BaseRef = 8, "release"
	fork := pull()
	fork.Number, fork.HeadRepoID = 9, 555
	byCommit := func(edit func(*gates.PullRequest)) func(*gates.Facts, *policy.Policy) {
		return func(f *gates.Facts, _ *policy.Policy) { edit(&f.ByCommit.Value[0]) }
	}
	open := func(edit func(*gates.PullRequest)) func(*gates.Facts, *policy.Policy) {
		return func(f *gates.Facts, _ *policy.Policy) { edit(&f.Open.Value[0]) }
	}
	runCases(t, []gateCase{
		{"none", func(f *gates.Facts, p *policy.Policy) { f.Open.Value, f.ByCommit.Value = nil, nil }, no, "SF-GATE-020"},
		{"two from one branch", func(f *gates.Facts, p *policy.Policy) { f.Open.Value = append(f.Open.Value, second) }, no, "SF-GATE-020"},
		{"second only by commit", func(f *gates.Facts, p *policy.Policy) { f.ByCommit.Value = append(f.ByCommit.Value, second) }, no, "SF-GATE-020"},
		{"fork with the same commit", func(f *gates.Facts, p *policy.Policy) { f.Open.Value = append(f.Open.Value, fork) }, no, "SF-GATE-020"},
		{"second is closed", func(f *gates.Facts, p *policy.Policy) {
			closed := second
			closed.State = "closed"
			f.ByCommit.Value = append(f.ByCommit.Value, closed)
		}, gates.Act, "SF-GATE-000"},
		{"only in the open list", func(f *gates.Facts, p *policy.Policy) { f.ByCommit.Value = nil }, maybe, "SF-GATE-021"},
		{"only by commit", func(f *gates.Facts, p *policy.Policy) { f.Open.Value = nil }, maybe, "SF-GATE-021"},
		{"unread by commit", func(f *gates.Facts, p *policy.Policy) { f.ByCommit = gates.Read[[]gates.PullRequest]{} }, maybe, "SF-GATE-090"},
		{"unread open", func(f *gates.Facts, p *policy.Policy) { f.Open = gates.Read[[]gates.PullRequest]{} }, maybe, "SF-GATE-090"},
		{"unread record", func(f *gates.Facts, p *policy.Policy) { f.Pull = gates.Read[gates.PullRequest]{} }, maybe, "SF-GATE-090"},
		{"record of another", rec(func(r *gates.PullRequest) { r.Number = 8 }), maybe, "SF-GATE-033"},
		{"closed", rec(func(r *gates.PullRequest) { r.State = "closed" }), no, "SF-GATE-022"},
		{"merged", rec(func(r *gates.PullRequest) { r.Merged = true }), no, "SF-GATE-022"},
		{"listed by commit with another author", byCommit(func(r *gates.PullRequest) { r.AuthorID = strangerID }), maybe, "SF-GATE-021"},
		{"listed by commit with another base", byCommit(func(r *gates.PullRequest) { r.BaseRef = "release" }), maybe, "SF-GATE-021"},
		{"listed by commit with another branch", byCommit(func(r *gates.PullRequest) { r.HeadRef = "x" }), maybe, "SF-GATE-021"},
		{"listed as open with another author", open(func(r *gates.PullRequest) { r.AuthorID = strangerID }), maybe, "SF-GATE-021"},
		{"listed as open with another base", open(func(r *gates.PullRequest) { r.BaseRef = "release" }), maybe, "SF-GATE-021"},
		{"listed as open with another branch", open(func(r *gates.PullRequest) { r.HeadRef = "x" }), maybe, "SF-GATE-021"},
		{"listed by both from a fork", func(f *gates.Facts, _ *policy.Policy) {
			f.ByCommit.Value[0].HeadRepoID, f.Open.Value[0].HeadRepoID = 555, 555
		}, maybe, "SF-GATE-021"},
		{"fork", rec(func(r *gates.PullRequest) { r.HeadRepoID = 555 }), no, "SF-GATE-022"},
		{"deleted fork", rec(func(r *gates.PullRequest) { r.HeadRepoID = 0 }), no, "SF-GATE-022"},
		{"both repositories missing", rec(func(r *gates.PullRequest) { r.HeadRepoID, r.BaseRepoID = 0, 0 }), maybe, "SF-GATE-033"},
		{"another repository", rec(func(r *gates.PullRequest) { r.HeadRepoID, r.BaseRepoID = 78, 78 }), maybe, "SF-GATE-033"},
		{"retargeted", rec(func(r *gates.PullRequest) { r.BaseRef = "release" }), no, "SF-GATE-023"},
		{"default branch moved", rec(func(r *gates.PullRequest) { r.DefaultBranch = "trunk" }), no, "SF-GATE-023"},
		{"head is main", rec(func(r *gates.PullRequest) { r.HeadRef = "main" }), no, "SF-GATE-024"},
		{"head is kept out by the policy", func(f *gates.Facts, p *policy.Policy) { p.Branches.Never = []string{"feat/labels"} }, no, "SF-GATE-024"},
		{"head begins with a dash", rec(func(r *gates.PullRequest) { r.HeadRef = "-oProxyCommand=x" }), no, "SF-GATE-024"},
		{"head with a line end", rec(func(r *gates.PullRequest) { r.HeadRef = "a\nb" }), no, "SF-GATE-024"},
		{"head with dots", rec(func(r *gates.PullRequest) { r.HeadRef = "a/../b" }), no, "SF-GATE-024"},
		{"login changed, id same", rec(func(r *gates.PullRequest) { r.Author = "renamed" }), no, "SF-GATE-025"},
		{"login same, id changed", rec(func(r *gates.PullRequest) { r.AuthorID = strangerID }), no, "SF-GATE-025"},
		{"login with a Kelvin sign", func(f *gates.Facts, p *policy.Policy) {
			p.Maintainer.Login, f.Pull.Value.Author = "mike", "mi\u212Ae"
		}, no, "SF-GATE-025"},
		{"author is a bot", rec(func(r *gates.PullRequest) { r.AuthorType = "Bot" }), no, "SF-GATE-025"},
		{"author deleted", rec(func(r *gates.PullRequest) { r.AuthorID = 0 }), maybe, "SF-GATE-033"},
		{"moved", rec(func(r *gates.PullRequest) { r.HeadSHA = other }), no, "SF-GATE-026"},
		{"ref ahead of the record", func(f *gates.Facts, p *policy.Policy) { f.Head.Value = other }, maybe, "SF-GATE-027"},
		{"ref unread", func(f *gates.Facts, p *policy.Policy) { f.Head = gates.Read[string]{} }, maybe, "SF-GATE-090"},
		{"opened in the future", rec(func(r *gates.PullRequest) { r.CreatedAt = now.Add(time.Hour) }), maybe, "SF-GATE-033"},
	})
}

func TestEvidence(t *testing.T) {
	dep := func(edit func(*gates.Deployment)) func(*gates.Facts, *policy.Policy) {
		return func(f *gates.Facts, _ *policy.Policy) { edit(&f.Deployment.Value) }
	}
	url := func(u string) func(*gates.Facts, *policy.Policy) {
		return dep(func(d *gates.Deployment) { d.URL = u })
	}
	no, maybe := gates.Nothing, gates.Undecided
	runCases(t, []gateCase{
		{"none", dep(func(d *gates.Deployment) { *d = gates.Deployment{} }), no, "SF-GATE-050"},
		{"unread", func(f *gates.Facts, p *policy.Policy) { f.Deployment = gates.Read[gates.Deployment]{} }, maybe, "SF-GATE-090"},
		{"failed", dep(func(d *gates.Deployment) { d.State = "failure" }), no, "SF-GATE-050"},
		{"of another commit", dep(func(d *gates.Deployment) { d.SHA = other }), maybe, "SF-GATE-033"},
		{"production", dep(func(d *gates.Deployment) { d.Environment = "Production" }), maybe, "SF-GATE-033"},
		{"no time", dep(func(d *gates.Deployment) { d.CreatedAt = time.Time{} }), maybe, "SF-GATE-033"},
		{"after the status", dep(func(d *gates.Deployment) { d.CreatedAt = now.Add(-time.Minute) }), no, "SF-GATE-051"},
		{"no address", url(""), no, "SF-GATE-050"},
		{"plain http", url("http://x.vercel.app"), no, "SF-GATE-050"},
		{"suffix in the path", url("https://evil.example/x.vercel.app"), no, "SF-GATE-050"},
		{"suffix in the user", url("https://x.vercel.app@evil.example"), no, "SF-GATE-050"},
		{"suffix without a label", url("https://.vercel.app"), no, "SF-GATE-050"},
		{"the suffix's own host", url("https://vercel.app"), no, "SF-GATE-050"},
		{"another host that ends alike", url("https://evilvercel.app"), no, "SF-GATE-050"},
		{"port", url("https://x.vercel.app:8443"), no, "SF-GATE-050"},
		{"path", url("https://x.vercel.app/admin"), no, "SF-GATE-050"},
		{"query", url("https://x.vercel.app/?a=b"), no, "SF-GATE-050"},
		{"capitals", url("https://X.vercel.app"), no, "SF-GATE-050"},
		{"root path", url("https://x.vercel.app/"), gates.Act, "SF-GATE-000"},
		{"commit dated after the status", func(f *gates.Facts, p *policy.Policy) {
			f.Commits.Value[1].CommitterDate = now.Add(time.Hour)
		}, no, "SF-GATE-051"},
	})
}

// An unread value is never compared, whichever it is, and asking for it does not turn a no into a maybe.
func TestWaiting(t *testing.T) {
	p := seedPolicy(t)
	whole := passing(p)
	f := gates.Facts{Event: whole.Event, Run: whole.Run, Clock: whole.Clock}
	steps := []func(){
		func() { f.Policy = whole.Policy }, func() { f.Pin = whole.Pin }, func() { f.Statuses = whole.Statuses },
		func() { f.ByCommit = whole.ByCommit }, func() { f.Open = whole.Open }, func() { f.Pull = whole.Pull },
		func() { f.Head = whole.Head }, func() { f.Commits = whole.Commits }, func() { f.Runs = whole.Runs },
		func() { f.Comments = whole.Comments }, func() { f.Deployment = whole.Deployment },
	}
	for i, step := range steps {
		if !f.Waiting(p) || gates.Decide(f, p).Decision != gates.Undecided {
			t.Fatalf("before step %d: %+v", i, gates.Decide(f, p))
		}
		step()
	}
	if f.Waiting(p) || gates.Decide(f, p).Decision != gates.Act {
		t.Fatalf("whole facts: %+v", gates.Decide(f, p))
	}
	f.Pin.Value.Apps, f.Deployment = nil, gates.Read[gates.Deployment]{}
	if f.Waiting(p) {
		t.Error("waiting for a deployment although a rule has already said no")
	}
}
