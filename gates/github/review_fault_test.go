package github_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"selffix/gates"
	"selffix/gates/github"
	"selffix/internal/ghfake"
	"selffix/internal/tokens"
	"selffix/pipeline/policy"
)

// TestReviewUnderFaults is the property that the review gate promises: whatever goes wrong with any answer, a pull request
// that must not merge ends without a success on its head, also where an earlier run had left one there.
func TestReviewUnderFaults(t *testing.T) {
	for _, s := range reviewScenes() {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			r := newReview(t, s)
			if v := r.judge(); (v.Decision == gates.Act) != s.allowed {
				t.Fatalf("without a fault: %s (%s: %s), want act: %t", v.Decision, v.Rule, v.Reason, s.allowed)
			}
			fatal(t, r.server.Restore(r.start))
			p := property{server: r.server, allowed: s.allowed, tried: s.tried, evaluate: r.outcome}
			p.hold(t)
		})
	}
}

// reviewScene changes a pull request in which the maintainer labelled what is there, after the robot's commit.
type reviewScene struct {
	name    string
	begin   beginning
	set     func(*testing.T, *ghfake.Scene)
	allowed bool
	tried   int // single faults; 0 is usual
}

// beginning is how far the pull request had come.
type beginning int

const (
	labelled   beginning = iota // the robot pushed, the maintainer labelled
	unlabelled                  // the robot pushed
	untouched                   // no robot was ever there
)

func reviewScenes() []reviewScene {
	robot := ghfake.ActionsBot()
	return []reviewScene{
		{name: "labelled after the robot's commit", set: func(*testing.T, *ghfake.Scene) {}, allowed: true, tried: whole},
		{name: "the maintainer's empty commit on top", allowed: true, set: func(t *testing.T, sc *ghfake.Scene) {
			_, err := sc.Pull.Push(sc.Maintainer, ghfake.Commit{Message: "run ci"})
			fatal(t, err)
		}},
		{name: "no robot commit", begin: untouched, allowed: true, set: func(*testing.T, *ghfake.Scene) {}},
		{name: "a robot commit and no label", begin: untouched, set: func(t *testing.T, sc *ghfake.Scene) { push(t, sc, robot, ghfake.Commit{Message: "self-fix: repair"}) }},
		{name: "a label of the same second", begin: unlabelled, set: func(t *testing.T, sc *ghfake.Scene) {
			push(t, sc, robot, ghfake.Commit{Message: "self-fix: again"})
			sc.Pull.Label(sc.Maintainer, "reviewed")
		}},
		{name: "a label by another writer", begin: unlabelled, set: func(_ *testing.T, sc *ghfake.Scene) { sc.Pull.Label(sc.Writer, "reviewed") }},
		{name: "the label is taken off", set: func(_ *testing.T, sc *ghfake.Scene) { sc.Pull.Unlabel(sc.Writer, "reviewed") }},
		{name: "the label is taken off and put on by another", set: func(_ *testing.T, sc *ghfake.Scene) {
			sc.Pull.Unlabel(sc.Writer, "reviewed")
			sc.Server.Clock.Advance(time.Second)
			sc.Pull.Label(sc.Writer, "reviewed")
		}},
		{name: "the label is put on again through an app", set: func(_ *testing.T, sc *ghfake.Scene) {
			sc.Pull.Unlabel(sc.Maintainer, "reviewed")
			sc.Pull.LabelThroughApp(sc.Maintainer, ghfake.ActionsAppID, "reviewed")
		}},
		{name: "the label is deleted and made again by another", set: func(_ *testing.T, sc *ghfake.Scene) {
			sc.Repo.DeleteLabel(sc.Writer, "reviewed")
			sc.Server.Clock.Advance(time.Second)
			sc.Pull.Label(sc.Writer, "reviewed")
		}},
		{name: "the label is renamed", set: func(_ *testing.T, sc *ghfake.Scene) { sc.Repo.RenameLabel("reviewed", "looked-at") }},
		{name: "a later robot commit", set: func(t *testing.T, sc *ghfake.Scene) { push(t, sc, robot, ghfake.Commit{Message: "self-fix: again"}) }},
		{name: "a later robot commit with an old date", set: func(t *testing.T, sc *ghfake.Scene) {
			old := ghfake.Person{Name: robot.Login, Email: robot.Email(), Date: noon.Add(-24 * time.Hour)}
			push(t, sc, robot, ghfake.Commit{Message: "self-fix: again", Author: old, Committer: old})
		}},
		{name: "another writer's commit on top", set: func(t *testing.T, sc *ghfake.Scene) { push(t, sc, sc.Writer, ghfake.Commit{Message: "more"}) }},
		{name: "the robot's commit is squashed under the maintainer's name", set: func(t *testing.T, sc *ghfake.Scene) {
			squash(t, sc, "Add a button\n\nCo-authored-by: github-actions[bot] <"+robot.Email()+">\n")
		}},
		{name: "the robot's commit is amended away", set: func(t *testing.T, sc *ghfake.Scene) { squash(t, sc, "Add a button") }},
		{name: "a sibling with the same head", set: func(t *testing.T, sc *ghfake.Scene) {
			_, err := sc.Repo.OpenPull(ghfake.PullOptions{Author: sc.Writer, Branch: "feature"})
			fatal(t, err)
		}},
		{name: "another base", set: func(t *testing.T, sc *ghfake.Scene) {
			_, err := sc.Repo.Push(sc.Maintainer, "develop", ghfake.Commit{Message: "develop", Files: map[string]string{"d": "1"}})
			fatal(t, err)
			sc.Pull.Edit(func(p *ghfake.Pull) { p.BaseRef = "develop" })
		}},
		{name: "a changed policy on the default branch", set: func(t *testing.T, sc *ghfake.Scene) {
			_, err := sc.Repo.Push(sc.Maintainer, "main", ghfake.Commit{Message: "off", Files: map[string]string{github.PolicyPath: "version: 1\nenabled: false\n"}})
			fatal(t, err)
		}},
		{name: "more statuses than can be taken back", tried: few, set: func(_ *testing.T, sc *ghfake.Scene) {
			for range gates.MaxReviewStatuses {
				sc.Repo.PostStatus(robot, sc.Pull.Head(), "maintainer-review", "success")
			}
		}},
	}
}

func push(t *testing.T, sc *ghfake.Scene, by ghfake.User, c ghfake.Commit) {
	t.Helper()
	c.Files = map[string]string{"later.ts": c.Message + c.Committer.Date.String()}
	_, err := sc.Pull.Push(by, c)
	fatal(t, err)
}

// squash replaces the branch by one commit of the maintainer's, as a rebase with a squash does.
func squash(t *testing.T, sc *ghfake.Scene, message string) {
	t.Helper()
	ids, err := sc.Repo.Push(sc.Maintainer, "squashed", ghfake.Commit{Parent: sc.Repo.Head("main"), Message: message, Files: map[string]string{"squashed.ts": "1"}})
	fatal(t, err)
	fatal(t, sc.Repo.SetBranch(sc.Maintainer, "feature", ids[0]))
}

type review struct {
	t      *testing.T
	server *ghfake.Server
	scene  *ghfake.Scene
	policy policy.Policy
	start  ghfake.Checkpoint
	head   string
	event  []byte
}

// newReview sets the good situation, remembers it as what a lagging replica says, changes it, and leaves a success of an
// earlier run on the head.
func newReview(t *testing.T, s reviewScene) *review {
	t.Helper()
	raw, p := seedPolicy(t)
	sc, err := ghfake.NewScene(t.Context(), ghfake.Options{Dir: t.TempDir(), Now: noon, Public: apiHost, Rate: 1 << 30},
		ghfake.SceneOptions{Files: map[string]string{"README.md": "# app\n", github.PolicyPath: string(raw)}})
	fatal(t, err)
	t.Cleanup(func() { _ = sc.Server.Close() })
	robot := ghfake.ActionsBot()
	if s.begin != untouched {
		push(t, sc, robot, ghfake.Commit{Message: p.Robot.Message + "repair"})
		sc.Repo.PostStatus(robot, sc.Pull.Head(), p.Review.Context, "pending")
		sc.Server.Clock.Advance(time.Minute)
	}
	if s.begin == labelled {
		sc.Pull.Label(sc.Maintainer, p.Review.Label)
		sc.Server.Clock.Advance(time.Minute)
	}
	sc.Server.Mark()
	s.set(t, sc)
	sc.Server.Clock.Advance(time.Minute)
	if !s.allowed {
		sc.Repo.PostStatus(robot, sc.Pull.Head(), p.Review.Context, "success")
	}
	return &review{t: t, server: sc.Server, scene: sc, policy: p, start: sc.Server.Checkpoint(), head: sc.Pull.Head(),
		event: sc.Pull.Event("labeled", sc.Maintainer)}
}

func (r *review) client() (*github.Client, error) {
	token, err := tokens.New("made-up")
	if err != nil {
		return nil, err
	}
	return github.New(github.Options{Policy: r.policy, Token: token, Repository: "maintainer/app", RepositoryID: r.scene.Repo.ID(), Now: r.server.Clock.Now,
		Sleep: func(context.Context, time.Duration) error { return nil }, Transport: r.server.Transport(ghfake.WriteToken)})
}

func (r *review) judge() gates.Verdict {
	read, err := r.client()
	fatal(r.t, err)
	defer read.Close()
	reviewer := &github.Reviewer{Policy: r.policy, Read: read, Post: func(context.Context) (*github.Client, error) { return r.client() }}
	event, err := github.ReviewEvent("pull_request_target", r.event)
	fatal(r.t, err)
	return reviewer.PullRequest(r.t.Context(), event)
}

// outcome is what a false answer must not lead to: a verdict "act", or a success that stays on the head although nobody is told
// that the pending status could not be posted over it.
func (r *review) outcome() string {
	v := r.judge()
	if v.Decision == gates.Act {
		return "act"
	}
	list := r.scene.Repo.Statuses(r.head, r.policy.Review.Context)
	if len(list) == 0 || list[len(list)-1].State != "success" {
		return ""
	}
	told := v.Decision == gates.Undecided && slices.Contains([]string{"SF-REVIEW-006", "SF-REVIEW-008"}, v.Rule) && strings.Contains(v.Text(), "may")
	if told {
		return ""
	}
	return "success left standing"
}
