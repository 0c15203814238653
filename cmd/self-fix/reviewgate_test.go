package main

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"selffix/gates"
	"selffix/internal/ghfake"
)

// newReview sets a pull request on which self-fix has pushed, pending was posted, and the comment was made. The
// scene's clock then goes on with the machine's.
func newReview(t *testing.T, o ghfake.SceneOptions) *action {
	t.Helper()
	a := newAction(t, "review-gate", o)
	a.review()
	a.back(30 * time.Minute)
	a.push(ghfake.ActionsBot(), "self-fix: repair the label")
	a.scene.Pull.Comment(ghfake.ActionsBot(), gates.CommentMark+"\nself-fix pushed a commit.")
	a.back(20 * time.Minute)
	return a
}

// review makes the variables those of a review gate's run.
func (a *action) review() {
	a.vars["GITHUB_EVENT_NAME"], a.vars["GITHUB_JOB"], a.vars["GITHUB_TOKEN"] = "pull_request_target", "review-gate", ghfake.WriteToken
}

// again brings a review back to start, twenty minutes ago.
func (a *action) again(start ghfake.Checkpoint) {
	a.t.Helper()
	a.restore("review-gate", start)
	a.review()
	a.back(20 * time.Minute)
}

// back sets the scene's clock to a while ago.
func (a *action) back(d time.Duration) { a.scene.Server.Clock.Set(time.Now().Add(-d)) }

// push puts a commit on the pull request, made at the scene's time.
func (a *action) push(by ghfake.User, message string) {
	a.t.Helper()
	p := ghfake.Person{Name: by.Login, Email: fmt.Sprintf("%d+%s@users.noreply.github.com", by.ID, by.Login), Date: a.scene.Server.Clock.Now()}
	files := map[string]string{"packages/web/src/label.ts": "export const label = \"" + message + "\";\n"}
	if _, err := a.scene.Pull.Push(by, ghfake.Commit{Message: message, Author: p, Committer: p, Files: files}); err != nil {
		a.t.Fatal(err)
	}
}

// judge runs the gate now, on the event of that action.
func (a *action) judge(event string) (int, gates.Verdict, string) {
	a.t.Helper()
	a.write("event.json", a.scene.Pull.Event(event, a.scene.Maintainer))
	a.back(0)
	return a.run()
}

// states lists the review statuses on the head, oldest first.
func (a *action) states() string {
	var list []string
	for _, s := range a.scene.Repo.Statuses(a.scene.Pull.Head(), "maintainer-review") {
		list = append(list, s.State)
	}
	return strings.Join(list, " ")
}

func TestReviewGate(t *testing.T) {
	tests := []struct {
		name   string
		set    func(*action)
		code   int
		rule   string
		states string
	}{
		{"labelled by the maintainer", func(a *action) { a.scene.Pull.Label(a.scene.Maintainer, "reviewed") }, exitYes, "SF-REVIEW-000", "pending success"},
		{"no label", func(*action) {}, exitNo, "SF-REVIEW-020", "pending"},
		{"labelled by a writer", func(a *action) { a.scene.Pull.Label(a.scene.Writer, "reviewed") }, exitNo, "SF-REVIEW-021", "pending"},
		{"labelled through an app", func(a *action) { a.scene.Pull.LabelThroughApp(a.scene.Maintainer, ghfake.ActionsAppID, "reviewed") }, exitNo, "SF-REVIEW-021", "pending"},
		{"removed, then added by a writer", func(a *action) {
			a.scene.Pull.Label(a.scene.Maintainer, "reviewed")
			a.scene.Pull.Unlabel(a.scene.Maintainer, "reviewed")
			a.scene.Pull.Label(a.scene.Writer, "reviewed")
		}, exitNo, "SF-REVIEW-021", "pending"},
		{"label deleted", func(a *action) {
			a.scene.Pull.Label(a.scene.Maintainer, "reviewed")
			a.scene.Repo.DeleteLabel(a.scene.Writer, "reviewed")
		}, exitNo, "SF-REVIEW-020", "pending"},
		{"label renamed", func(a *action) {
			a.scene.Pull.Label(a.scene.Maintainer, "reviewed")
			a.scene.Repo.RenameLabel("reviewed", "seen")
		}, exitNo, "SF-REVIEW-020", "pending"},
		{"another label renamed to it", func(a *action) {
			a.scene.Pull.Label(a.scene.Maintainer, "bug")
			a.scene.Repo.RenameLabel("bug", "reviewed")
		}, exitUndecided, "SF-REVIEW-026", "pending"},
		{"pushed after the label", func(a *action) {
			a.scene.Pull.Label(a.scene.Maintainer, "reviewed")
			a.back(10 * time.Minute)
			a.push(a.scene.Writer, "more")
		}, exitNo, "SF-REVIEW-024", "pending"},
		{"robot again after the label", func(a *action) {
			a.scene.Pull.Label(a.scene.Maintainer, "reviewed")
			a.back(10 * time.Minute)
			a.push(ghfake.ActionsBot(), "self-fix: again")
		}, exitNo, "SF-REVIEW-023", "pending"},
		{"robot commit squashed away", func(a *action) {
			if err := a.scene.Repo.SetBranch(a.scene.Writer, "feature", a.scene.Tested); err != nil {
				t.Fatal(err)
			}
		}, exitNo, "SF-REVIEW-020", "pending"},
		{"closed", func(a *action) { a.scene.Pull.Close(a.scene.Maintainer) }, exitNo, "SF-REVIEW-010", "pending"},
		{"an answer that is none", func(a *action) {
			a.scene.Pull.Label(a.scene.Maintainer, "reviewed")
			a.scene.Server.Inject(ghfake.Fault{Route: "GET /repos/{owner}/{repo}/issues/{number}/events", Distortion: ghfake.Broken()[0]})
		}, exitUndecided, "SF-REVIEW-090", "pending"},
	}
	a := newReview(t, ghfake.SceneOptions{})
	start := a.scene.Server.Checkpoint()
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			a.again(start)
			tt.set(a)
			code, v, text := a.judge("labeled")
			if code != tt.code || v.Rule != tt.rule || a.states() != tt.states {
				t.Errorf("exit %d, states %q: %s\nwant %d, %s, %q", code, a.states(), text, tt.code, tt.rule, tt.states)
			}
			if n := len(a.requests()); n > 12 {
				t.Errorf("%d requests, want at most 12: %v", n, a.requests())
			}
			if first := a.requests()[0]; first != "POST /repos/{owner}/{repo}/statuses/{sha}" {
				t.Errorf("the first request was %s, want the pending", first)
			}
			last := strings.Fields(tt.states)
			if v.Review == nil || v.Review.Status != last[len(last)-1] {
				t.Errorf("review %+v", v.Review)
			}
		})
	}
}

// A pull request that no robot touched needs no label; removing the label later takes a success back; a run of an old
// event judges what is there now.
func TestReviewGateOverTime(t *testing.T) {
	a := newAction(t, "review-gate", ghfake.SceneOptions{})
	a.vars["GITHUB_EVENT_NAME"], a.vars["GITHUB_TOKEN"] = "pull_request_target", ghfake.WriteToken
	if code, v, text := a.judge("opened"); code != exitYes || v.Rule != "SF-REVIEW-001" {
		t.Fatalf("exit %d: %s", code, text)
	}
	old := a.scene.Pull.Event("opened", a.scene.Maintainer)
	a.push(ghfake.ActionsBot(), "self-fix: repair")
	a.scene.Repo.PostStatus(ghfake.ActionsBot(), a.scene.Pull.Head(), "maintainer-review", "success") // forged by a workflow
	a.write("event.json", old)
	a.vars["GITHUB_RUN_ATTEMPT"] = "3"
	code, v, text := a.run()
	if code != exitNo || v.Review.Commit != a.scene.Pull.Head() || a.states() != "success pending" {
		t.Errorf("re-run of an old event: exit %d, states %q: %s", code, a.states(), text)
	}
	if posts := a.scene.Repo.Statuses(a.scene.Tested, "maintainer-review"); posts[len(posts)-1].State != "pending" {
		t.Errorf("the old head ends in %s", posts[len(posts)-1].State)
	}
}

func TestReviewGatePosts(t *testing.T) {
	const post = "POST /repos/{owner}/{repo}/statuses/{sha}"
	broken := func(call int, d ghfake.Distortion) func(*action) {
		return func(a *action) {
			a.scene.Pull.Label(a.scene.Maintainer, "reviewed")
			a.scene.Server.Inject(ghfake.Fault{Route: post, Call: call, Distortion: d})
		}
	}
	lost := ghfake.Broken()[slices.IndexFunc(ghfake.Broken(), func(d ghfake.Distortion) bool { return d.Name == "answer lost" })]
	refused := ghfake.Broken()[len(ghfake.Broken())-1]
	tests := []struct {
		name   string
		set    func(*action)
		rule   string
		states string
		open   bool // the verdict must say that the merge may be open
	}{
		{"pending refused", broken(1, refused), "SF-REVIEW-006", "", true},
		{"pending lost", broken(1, lost), "SF-REVIEW-006", "pending", true},
		{"success refused", broken(2, refused), "SF-REVIEW-008", "pending pending", false},
		{"success lost", broken(2, lost), "SF-REVIEW-008", "pending success pending", false},
		{"no right to post", func(a *action) { a.vars["GITHUB_TOKEN"] = ghfake.ReadToken }, "SF-REVIEW-006", "", true},
	}
	a := newReview(t, ghfake.SceneOptions{})
	start := a.scene.Server.Checkpoint()
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			a.again(start)
			tt.set(a)
			code, v, text := a.judge("labeled")
			if code != exitUndecided || v.Rule != tt.rule || a.states() != tt.states || strings.Contains(text, "merge may be open") != tt.open {
				t.Errorf("exit %d, states %q: %s\nwant %s, %q", code, a.states(), text, tt.rule, tt.states)
			}
		})
	}
}

func TestReviewGateBounds(t *testing.T) {
	a := newReview(t, ghfake.SceneOptions{})
	a.scene.Pull.Label(a.scene.Maintainer, "reviewed")
	for range gates.MaxReviewStatuses {
		a.scene.Repo.PostStatus(ghfake.ActionsBot(), a.scene.Pull.Head(), "Maintainer-Review", "pending")
	}
	code, v, text := a.judge("labeled")
	if code != exitNo || v.Rule != "SF-REVIEW-030" || strings.Contains(a.states(), "success") {
		t.Errorf("exit %d: %s", code, text)
	}
}

func TestReviewGateApp(t *testing.T) {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	block := pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(key)})
	app := ghfake.App{ID: 42, Slug: "review", InstallationID: 7, PublicKey: &key.PublicKey, Bot: ghfake.User{ID: 4242, Login: "review[bot]"},
		Permissions: ghfake.Permissions{"statuses": "write", "metadata": "read"}}
	a := newReview(t, ghfake.SceneOptions{ReviewApp: app})
	start := a.scene.Server.Checkpoint()
	tests := []struct {
		name   string
		set    func(*action)
		code   int
		rule   string
		states string
	}{
		{"by the app", func(*action) {}, exitYes, "SF-REVIEW-000", "pending success"},
		{"forged by a workflow before", func(a *action) {
			a.scene.Repo.PostStatus(ghfake.ActionsBot(), a.scene.Pull.Head(), "maintainer-review", "success")
		}, exitYes, "SF-REVIEW-000", "success pending success"},
		{"no key", func(a *action) { delete(a.vars, appKeyVariable) }, exitUndecided, "SF-REVIEW-006", ""},
		{"a key that is not the sandbox's", func(a *action) { a.write("key", block) }, exitUndecided, "SF-REVIEW-006", ""},
		{"no key file", func(a *action) { a.vars[appKeyVariable] = a.dir }, exitUndecided, "SF-REVIEW-006", ""},
		{"another app in the policy", func(a *action) {
			a.policy(func(s string) string { return strings.Replace(s, "accept_branch_writers: true", "app_id: 43", 1) })
		}, exitUndecided, "SF-REVIEW-006", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			a.again(start)
			a.scene.Pull.Label(a.scene.Maintainer, "reviewed")
			a.vars["GITHUB_TOKEN"], a.vars[appKeyVariable] = ghfake.ReadToken, filepath.Join(a.dir, "key")
			a.write("key", append([]byte("sandbox-"), block...))
			a.policy(func(s string) string { return strings.Replace(s, "accept_branch_writers: true", "app_id: 42", 1) })
			tt.set(a)
			code, v, text := a.judge("labeled")
			if code != tt.code || v.Rule != tt.rule || a.states() != tt.states {
				t.Errorf("exit %d, states %q: %s\nwant %d, %s, %q", code, a.states(), text, tt.code, tt.rule, tt.states)
			}
			if strings.Contains(text, "BEGIN") || strings.Contains(text, "eyJ") {
				t.Errorf("the output shows a key: %s", text)
			}
			for _, s := range a.scene.Repo.Statuses(a.scene.Pull.Head(), "maintainer-review") {
				if s.Creator.ID != 4242 && !strings.HasPrefix(tt.name, "forged") {
					t.Errorf("posted by %d", s.Creator.ID)
				}
			}
			if reported := strings.Contains(text, "posted by somebody else"); reported != strings.HasPrefix(tt.name, "forged") {
				t.Errorf("forged status reported: %v: %s", reported, text)
			}
		})
	}
}

func TestReviewGateMergeGroup(t *testing.T) {
	group := func(t *testing.T) (*action, string) {
		a := newReview(t, ghfake.SceneOptions{})
		a.vars["GITHUB_EVENT_NAME"] = "merge_group"
		head := a.scene.Pull.Head()
		if err := a.scene.Repo.SetBranch(a.scene.Maintainer, fmt.Sprintf("gh-readonly-queue/main/pr-1-%s", a.scene.Repo.Head("main")), head); err != nil {
			t.Fatal(err)
		}
		a.write("event.json", a.scene.Repo.MergeGroupEvent(head, 1, a.scene.Maintainer))
		return a, head
	}
	a, _ := group(t)
	start := a.scene.Server.Checkpoint()
	if code, v, text := func() (int, gates.Verdict, string) { a.back(0); return a.run() }(); code != exitNo || v.Rule != "SF-REVIEW-041" || a.states() != "pending" {
		t.Errorf("without a label: exit %d, %q: %s", code, a.states(), text)
	}
	if err := a.scene.Server.Restore(start); err != nil {
		t.Fatal(err)
	}
	a.back(20 * time.Minute)
	a.scene.Pull.Label(a.scene.Maintainer, "reviewed")
	a.back(0)
	if code, v, text := a.run(); code != exitYes || v.Rule != "SF-REVIEW-000" || a.states() != "pending success" {
		t.Errorf("with a label: exit %d, %q: %s", code, a.states(), text)
	}
	a.vars[appKeyVariable] = filepath.Join(a.dir, "key")
	if code, _, text := a.run(); code != exitUndecided || len(a.requests()) > 0 || !strings.Contains(text, appKeyVariable) {
		t.Errorf("with the app's key: exit %d: %s", code, text)
	}
	delete(a.vars, appKeyVariable)
	a.policy(func(s string) string { return strings.Replace(s, "accept_branch_writers: true", "app_id: 42", 1) })
	if code, v, text := a.run(); code != exitNo || v.Rule != "SF-REVIEW-007" || len(a.requests()) > 0 {
		t.Errorf("where only the app may post: exit %d: %s", code, text)
	}
}
