package github_test

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"selffix/gates"
	"selffix/gates/github"
	"selffix/internal/ghfake"
	"selffix/internal/tokens"
	"selffix/pipeline/policy"
)

// TestGateUnderFaults is the property that the four gates promise: whatever goes wrong with any answer, a situation that must not be
// acted on is not acted on; and one that may be is not acted on when an answer it rests on stays broken.
func TestGateUnderFaults(t *testing.T) {
	for _, s := range gateScenes() {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			g := newGate(t, s)
			if got := g.judge(); got.Decision != s.want {
				t.Fatalf("without a fault: %s (%s: %s), want %s", got.Decision, got.Rule, got.Reason, s.want)
			}
			p := property{server: g.server, allowed: s.want == gates.Act, tried: s.tried, reads: g.reads, evaluate: func() string {
				for range max(1, s.jobs) {
					if v := g.judge(); v.Decision != gates.Act {
						return ""
					}
				}
				return "act"
			}}
			p.hold(t)
		})
	}
}

// gateScene is a situation, and what the gates must say of it when every answer is true.
type gateScene struct {
	name  string
	set   func(*testing.T, *ghfake.Scene)
	want  gates.Decision
	tried int // single faults; 0 is usual
	// jobs is how many jobs in a row have to act; 0 is one. What a single listing alone tells, as that of open pull requests about
	// forks and that of rules about themselves, one old answer can hide: gate, fix and push each ask again.
	jobs int
}

// noon is far from midnight and from every bound of the scenes.
var noon = time.Date(2026, 3, 10, 12, 0, 0, 0, time.UTC)

func gateScenes() []gateScene {
	morning := noon.Add(-6 * time.Hour)
	return []gateScene{
		{name: "all gates hold", set: func(*testing.T, *ghfake.Scene) {}, want: gates.Act, tried: whole},
		{name: "one attempt, many skipped runs, several pages", set: func(t *testing.T, sc *ghfake.Scene) {
			sc.AddAttempt(1, noon.Add(-30*time.Minute), "failure")
			for i := range 120 {
				sc.AddSkipped(noon.Add(-time.Duration(i) * time.Minute))
				sc.Repo.PostStatus(sc.Writer, sc.Tested, fmt.Sprintf("ci %d", i), "success")
			}
		}, want: gates.Act, tried: few},
		{name: "two attempts on the pull request", set: func(_ *testing.T, sc *ghfake.Scene) {
			sc.AddAttempt(1, noon.Add(-40*time.Minute), "failure")
			sc.AddAttempt(1, noon.Add(-30*time.Minute), "cancelled")
		}, want: gates.Nothing},
		{name: "two attempts, the second on page two", set: func(_ *testing.T, sc *ghfake.Scene) {
			sc.AddAttempt(1, noon.Add(-119*time.Minute), "failure")
			sc.AddAttempt(1, noon.Add(-118*time.Minute), "failure")
			for i := range 105 {
				sc.AddSkipped(noon.Add(-time.Duration(i) * time.Minute))
			}
		}, want: gates.Nothing, tried: few},
		{name: "two attempts in one run", set: func(_ *testing.T, sc *ghfake.Scene) {
			id := sc.AddAttempt(1, noon.Add(-40*time.Minute), "failure")
			sc.Repo.Rerun(id, ghfake.Job{Name: ghfake.FixJob(1), Conclusion: "failure"})
		}, want: gates.Nothing},
		{name: "an attempt that goes on and a queued one", set: func(_ *testing.T, sc *ghfake.Scene) {
			sc.AddAttempt(1, noon.Add(-40*time.Minute), "failure")
			sc.Repo.AddRun(ghfake.Run{Path: sc.Workflow, Event: "status", Status: "in_progress", CreatedAt: noon.Add(-2 * time.Minute), Actor: sc.Bot,
				Jobs: []ghfake.Job{{Name: "gate", Conclusion: "success", Runner: "r"}, {Name: ghfake.FixJob(1), Status: "queued"}}})
		}, want: gates.Nothing},
		{name: "six attempts today", set: func(_ *testing.T, sc *ghfake.Scene) {
			for i := range 6 {
				sc.AddAttempt(7+i, morning.Add(time.Duration(i)*time.Minute), "success")
			}
		}, want: gates.Nothing},
		{name: "another bot's failure", set: func(t *testing.T, sc *ghfake.Scene) {
			sc.Status = sc.Repo.PostStatus(sc.Writer, sc.Tested, sc.Context, "failure")
		}, want: gates.Nothing},
		{name: "the bot's later success", set: func(_ *testing.T, sc *ghfake.Scene) {
			sc.Repo.PostStatus(sc.Bot, sc.Tested, sc.Context, "success")
		}, want: gates.Nothing},
		{name: "the bot's later success among many statuses", set: func(_ *testing.T, sc *ghfake.Scene) {
			sc.Repo.PostStatus(sc.Bot, sc.Tested, sc.Context, "success")
			for i := range 130 {
				sc.Repo.PostStatus(sc.Writer, sc.Tested, fmt.Sprintf("ci %d", i%3), "success")
			}
		}, want: gates.Nothing},
		{name: "a second pull request from the branch", set: func(t *testing.T, sc *ghfake.Scene) {
			base, err := sc.Repo.Push(sc.Maintainer, "develop", ghfake.Commit{Message: "develop", Files: map[string]string{"d": "1"}})
			fatal(t, err)
			_, err = sc.Repo.OpenPull(ghfake.PullOptions{Author: sc.Maintainer, Branch: "feature", Base: "develop", BranchedAt: base[0]})
			fatal(t, err)
		}, want: gates.Nothing},
		{name: "a fork with the same commit", set: func(t *testing.T, sc *ghfake.Scene) {
			twin, err := sc.Repo.OpenPull(ghfake.PullOptions{Author: sc.Writer, Branch: "feature"})
			fatal(t, err)
			twin.Edit(func(p *ghfake.Pull) { p.HeadRepoID, p.HeadRepo = 777, "writer/app" })
		}, want: gates.Nothing, jobs: 3},
		{name: "another author", set: func(_ *testing.T, sc *ghfake.Scene) {
			sc.Pull.Edit(func(p *ghfake.Pull) { p.Author = sc.Writer })
		}, want: gates.Nothing},
		{name: "another account under the maintainer's login", set: func(_ *testing.T, sc *ghfake.Scene) {
			sc.Server.RenameUser(sc.Writer.ID, "maintainer")
			sc.Pull.Edit(func(p *ghfake.Pull) { p.Author = ghfake.User{ID: sc.Writer.ID, Login: "maintainer", Type: "User"} })
		}, want: gates.Nothing},
		{name: "a head that moved", set: func(t *testing.T, sc *ghfake.Scene) {
			_, err := sc.Pull.Push(sc.Maintainer, ghfake.Commit{Message: "more", Files: map[string]string{"more.ts": "1"}})
			fatal(t, err)
		}, want: gates.Nothing},
		{name: "a record that lags its branch", set: func(t *testing.T, sc *ghfake.Scene) {
			_, err := sc.Pull.Push(sc.Maintainer, ghfake.Commit{Message: "more", Files: map[string]string{"more.ts": "1"}})
			fatal(t, err)
			sc.Repo.LagPulls(-1)
		}, want: gates.Undecided},
		{name: "a closed pull request", set: func(_ *testing.T, sc *ghfake.Scene) { sc.Pull.Close(sc.Maintainer) }, want: gates.Nothing},
		{name: "another base", set: func(t *testing.T, sc *ghfake.Scene) {
			_, err := sc.Repo.Push(sc.Maintainer, "develop", ghfake.Commit{Message: "develop", Files: map[string]string{"d": "1"}})
			fatal(t, err)
			sc.Pull.Edit(func(p *ghfake.Pull) { p.BaseRef = "develop" })
		}, want: gates.Nothing},
		{name: "no rule holds the merge", set: func(_ *testing.T, sc *ghfake.Scene) { sc.Repo.ClearRules() }, want: gates.Nothing, jobs: 3},
		{name: "a changed policy on the default branch", set: func(t *testing.T, sc *ghfake.Scene) {
			_, err := sc.Repo.Push(sc.Maintainer, "main", ghfake.Commit{Message: "off", Files: map[string]string{github.PolicyPath: "version: 1\nenabled: false\n"}})
			fatal(t, err)
		}, want: gates.Nothing},
		{name: "a preview on another host", set: func(_ *testing.T, sc *ghfake.Scene) {
			sc.Repo.AddDeployment(sc.Writer, sc.Tested, "Preview", "https://evil.example/")
		}, want: gates.Nothing},
		{name: "a preview that failed since", set: func(_ *testing.T, sc *ghfake.Scene) {
			id := sc.Repo.AddDeployment(sc.Writer, sc.Tested, "Preview", "https://app.vercel.app")
			sc.Repo.AddDeploymentStatus(id, sc.Writer, "failure", "")
		}, want: gates.Nothing},
	}
}

// gate evaluates one scene, each time with a client of its own.
type gate struct {
	t      *testing.T
	server *ghfake.Server
	scene  *ghfake.Scene
	policy policy.Policy
	event  []byte
	reads  *memo
}

const apiHost = "https://api.github.com"

func seedPolicy(t *testing.T) ([]byte, policy.Policy) {
	t.Helper()
	raw, err := os.ReadFile("../../testdata/policy/seed.yaml")
	fatal(t, err)
	p, err := policy.Parse(raw)
	fatal(t, err)
	return raw, p
}

func newGate(t *testing.T, s gateScene) *gate {
	t.Helper()
	raw, p := seedPolicy(t)
	sc, err := ghfake.NewScene(t.Context(), ghfake.Options{Dir: t.TempDir(), Now: noon, Public: apiHost, Rate: 1 << 30},
		ghfake.SceneOptions{Files: map[string]string{"README.md": "# app\n", github.PolicyPath: string(raw)}})
	fatal(t, err)
	t.Cleanup(func() { _ = sc.Server.Close() })
	sc.Server.Mark() // what a replica that lags says: the scene before anything spoke against it
	s.set(t, sc)
	told := sc.Status
	told.Creator = sc.Bot // a webhook names a sender and no creator: the listing has to tell who posted the status
	reads := &memo{next: sc.Server.Transport(ghfake.ReadToken), known: map[string]*remembered{}}
	return &gate{t: t, server: sc.Server, scene: sc, policy: p, reads: reads, event: sc.Repo.StatusEvent(told)}
}

func (g *gate) judge() gates.Verdict {
	token, err := tokens.New("made-up")
	fatal(g.t, err)
	c, err := github.New(github.Options{Policy: g.policy, Token: token, Repository: "maintainer/app", RepositoryID: g.scene.Repo.ID(),
		Now: g.server.Clock.Now, Sleep: func(context.Context, time.Duration) error { return nil }, Transport: g.reads})
	fatal(g.t, err)
	defer c.Close()
	event, err := github.StatusEvent(g.event)
	fatal(g.t, err)
	return c.Gate(g.t.Context(), event, gates.Run{ID: g.scene.RunID, Attempt: 1, Job: "fix"}, g.policy)
}

func fatal(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(strings.TrimSpace(err.Error()))
	}
}
