package ghfake_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"selffix/internal/ghfake"
)

const repoPath = "/repos/maintainer/app"

func TestStatusesComeFromTheToken(t *testing.T) {
	sc := newScene(t, ghfake.SceneOptions{})
	body := []byte(`{"state":"success","context":"Maintainer-Review","creator":{"id":258111874},"sha":"x","created_at":"2001-01-01T00:00:00Z"}`)
	var made struct {
		ID        int64
		CreatedAt string `json:"created_at"`
		Creator   struct{ ID int64 }
	}
	resp := do(t, sc, ghfake.WriteToken, "POST", repoPath+"/statuses/"+sc.Tested, body, &made)
	if resp.StatusCode != 201 || made.Creator.ID != ghfake.ActionsBotID || made.CreatedAt != "2026-03-10T12:00:00Z" || made.ID <= sc.Status.ID {
		t.Errorf("%d %+v: want 201, the token's account, the server's time, a larger id", resp.StatusCode, made)
	}
	var combined map[string]any
	do(t, sc, ghfake.ReadToken, "GET", repoPath+"/commits/"+sc.Tested+"/status", nil, &combined)
	for _, x := range combined["statuses"].([]any) {
		if _, ok := x.(map[string]any)["creator"]; ok {
			t.Error("the combined status has a creator, GitHub's has none")
		}
	}
}

func TestThousandStatusesAreTheMost(t *testing.T) {
	sc := newScene(t, ghfake.SceneOptions{})
	for range 999 {
		sc.Repo.PostStatus(sc.Writer, sc.Tested, "maintainer-review", "pending")
	}
	body := []byte(`{"state":"success","context":"MAINTAINER-review"}`)
	for i, want := range []int{201, 422} {
		if resp := do(t, sc, ghfake.WriteToken, "POST", repoPath+"/statuses/"+sc.Tested, body, nil); resp.StatusCode != want {
			t.Errorf("status %d: %d, want %d", 1000+i, resp.StatusCode, want)
		}
	}
}

func TestRights(t *testing.T) {
	sc := newScene(t, ghfake.SceneOptions{Private: true})
	status := repoPath + "/statuses/" + sc.Tested
	for name, c := range map[string]struct {
		token, method, path string
		want                int
	}{
		"no token, private":     {"", "GET", repoPath, 404},
		"unknown token":         {ghfake.SandboxPrefix + "unknown", "GET", repoPath, 401},
		"real-looking token":    {"gh" + "p_0123", "GET", repoPath, 401},
		"reader posts a status": {ghfake.ReadToken, "POST", status, 403},
		"reader sees settings":  {ghfake.ReadToken, "GET", repoPath + "/branches/main/protection", 403},
		"admin sees settings":   {ghfake.AdminToken, "GET", repoPath + "/branches/main/protection", 404}, // there, but not protected
		"reader reads":          {ghfake.ReadToken, "GET", repoPath, 200},
	} {
		if resp := do(t, sc, c.token, c.method, c.path, []byte(`{"state":"success"}`), nil); resp.StatusCode != c.want {
			t.Errorf("%s: %d, want %d", name, resp.StatusCode, c.want)
		}
	}
	if err := sc.Server.AddToken("gh"+"p_0123", ghfake.Token{}); err == nil {
		t.Error("a token without the sandbox prefix was taken")
	}
}

func TestRateLimitRunsOut(t *testing.T) {
	sc, err := ghfake.NewScene(t.Context(), ghfake.Options{Dir: t.TempDir(), Now: noon, Rate: 2}, ghfake.SceneOptions{})
	fatal(t, err)
	defer sc.Server.Close()
	for i, want := range []string{"200 1", "200 0", "403 0"} {
		resp := do(t, sc, ghfake.ReadToken, "GET", repoPath, nil, nil)
		if got := fmt.Sprint(resp.StatusCode, " ", resp.Header.Get("X-RateLimit-Remaining")); got != want {
			t.Errorf("request %d: %s, want %s", i+1, got, want)
		}
	}
}

func TestRenamedRepositoryRedirects(t *testing.T) {
	sc := newScene(t, ghfake.SceneOptions{})
	sc.Repo.Rename("other")
	for method, want := range map[string]int{"GET": http.StatusMovedPermanently, "POST": http.StatusTemporaryRedirect} {
		resp := do(t, sc, ghfake.WriteToken, method, repoPath+"/statuses/"+sc.Tested, []byte(`{}`), nil)
		if to := resp.Header.Get("Location"); resp.StatusCode != want || !strings.HasSuffix(to, "/repositories/900001/statuses/"+sc.Tested) {
			t.Errorf("%s: %d to %q, want %d", method, resp.StatusCode, to, want)
		}
	}
}

func TestLabelsLeaveRecords(t *testing.T) {
	sc := newScene(t, ghfake.SceneOptions{})
	sc.Pull.Label(sc.Maintainer, "reviewed")
	sc.Repo.RenameLabel("reviewed", "approved")
	sc.Repo.DeleteLabel(sc.Writer, "approved")
	sc.Pull.LabelThroughApp(sc.Maintainer, ghfake.ActionsAppID, "reviewed")
	for _, path := range []string{"/issues/1/events", "/issues/1/timeline"} {
		var list []map[string]any
		do(t, sc, ghfake.ReadToken, "GET", repoPath+path, nil, &list)
		var got []string
		for _, e := range list {
			if e["event"] == "committed" {
				if e["created_at"] != nil || e["actor"] != nil {
					t.Errorf("%s: a commit's record has a time or an actor: %v", path, e)
				}
				continue
			}
			label, _ := json.Marshal(e["label"])
			got = append(got, fmt.Sprintf("%v by %v %s %t", e["event"], e["actor"].(map[string]any)["id"], label, e["performed_via_github_app"] != nil))
		}
		want := []string{`labeled by 1001 {"color":"ededed","name":"reviewed"} false`, `unlabeled by 1002 null false`, `labeled by 1001 {"color":"ededed","name":"reviewed"} true`}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s:\n got %q\nwant %q", path, got, want)
		}
	}
}

func TestJobsOfAttempts(t *testing.T) {
	sc := newScene(t, ghfake.SceneOptions{})
	id := sc.AddAttempt(1, noon.Add(-time.Hour), "failure")
	sc.Repo.Rerun(id, ghfake.Job{Name: ghfake.FixJob(1), Status: "queued"})
	type listing struct {
		TotalCount int `json:"total_count"`
		Jobs       []struct {
			RunAttempt int `json:"run_attempt"`
			Status     string
			StartedAt  *string `json:"started_at"`
			RunnerName *string `json:"runner_name"`
		}
	}
	read := func(path string) (out listing) {
		do(t, sc, ghfake.ReadToken, "GET", fmt.Sprintf("%s/actions/runs/%d%s", repoPath, id, path), nil, &out)
		return out
	}
	if got := read("/jobs"); got.TotalCount != 2 {
		t.Errorf("latest: %+v, want gate of attempt 1 and fix of attempt 2", got)
	}
	if got := read("/attempts/1/jobs"); got.TotalCount != 2 || got.Jobs[1].RunAttempt != 1 {
		t.Errorf("attempt 1: %+v", got)
	}
	all := read("/jobs?filter=all")
	if all.TotalCount != 3 {
		t.Fatalf("all: %+v, want 3 jobs", all)
	}
	if queued := all.Jobs[2]; queued.Status != "queued" || queued.StartedAt == nil || queued.RunnerName != nil {
		t.Errorf("queued job %+v: want a started_at, as GitHub sends one, and no runner", queued)
	}
	var run struct {
		CreatedAt  string `json:"created_at"`
		StartedAt  string `json:"run_started_at"`
		RunAttempt int    `json:"run_attempt"`
	}
	do(t, sc, ghfake.ReadToken, "GET", fmt.Sprintf("%s/actions/runs/%d", repoPath, id), nil, &run)
	if run.CreatedAt != "2026-03-10T11:00:00Z" || run.StartedAt != "2026-03-10T12:00:00Z" || run.RunAttempt != 2 {
		t.Errorf("run after a re-run: %+v", run)
	}
	sc.Repo.DeleteRun(id)
	if resp := do(t, sc, ghfake.ReadToken, "GET", fmt.Sprintf("%s/actions/runs/%d", repoPath, id), nil, nil); resp.StatusCode != 404 {
		t.Errorf("deleted run: %d", resp.StatusCode)
	}
}

func TestPullRequestsLagAndLoseTheirFork(t *testing.T) {
	sc := newScene(t, ghfake.SceneOptions{})
	ids, err := sc.Pull.Push(sc.Maintainer, ghfake.Commit{Message: "more", Files: map[string]string{"more": "1"}})
	fatal(t, err)
	sc.Repo.LagPulls(1)
	for i, want := range []string{sc.Tested, ids[0]} {
		var pull struct{ Head struct{ SHA string } }
		do(t, sc, ghfake.ReadToken, "GET", repoPath+"/pulls/1", nil, &pull)
		if pull.Head.SHA != want {
			t.Errorf("read %d: head %s, want %s", i+1, pull.Head.SHA, want)
		}
	}
	fork, err := sc.Repo.OpenPull(ghfake.PullOptions{Author: sc.Writer, Branch: "theirs", ForkID: 77, ForkName: "writer/app", Commits: []ghfake.Commit{{Message: "theirs", Files: map[string]string{"t": "1"}}}})
	fatal(t, err)
	if sc.Repo.Head("theirs") != "" {
		t.Error("a fork's branch is a branch here")
	}
	fork.Edit(func(p *ghfake.Pull) { p.HeadRepoID, p.Author = 0, ghfake.User{} })
	var pull struct {
		User *struct{}
		Head struct {
			SHA  string
			Repo *struct{}
		}
	}
	do(t, sc, ghfake.ReadToken, "GET", repoPath+"/pulls/2", nil, &pull)
	if pull.User != nil || pull.Head.Repo != nil || pull.Head.SHA != fork.Head() {
		t.Errorf("pull request of a deleted fork and account: %+v", pull)
	}
	var containing []struct{ Number int }
	do(t, sc, ghfake.ReadToken, "GET", repoPath+"/commits/"+fork.Head()+"/pulls", nil, &containing)
	if len(containing) != 0 {
		t.Errorf("pulls of a fork's commit: %v, GitHub lists none", containing)
	}
}

func TestMergeIsHeldByTheRequiredStatus(t *testing.T) {
	app := ghfake.App{ID: 42, Slug: "review", Bot: ghfake.User{ID: 43, Login: "review[bot]"}}
	sc := newScene(t, ghfake.SceneOptions{ReviewApp: app})
	merge := func() int {
		return do(t, sc, ghfake.AdminToken, "PUT", repoPath+"/pulls/1/merge", []byte(`{"sha":"`+sc.Tested+`"}`), nil).StatusCode
	}
	if got := merge(); got != http.StatusMethodNotAllowed {
		t.Errorf("without the status: %d", got)
	}
	sc.Repo.PostStatus(ghfake.ActionsBot(), sc.Tested, "maintainer-review", "success")
	if got := merge(); got != http.StatusMethodNotAllowed {
		t.Errorf("with another app's success: %d, want it refused", got)
	}
	sc.Repo.PostStatus(app.Bot, sc.Tested, "maintainer-review", "success")
	if resp := do(t, sc, ghfake.AdminToken, "PUT", repoPath+"/pulls/1/merge", []byte(`{"sha":"`+strings.Repeat("0", 40)+`"}`), nil); resp.StatusCode != http.StatusConflict {
		t.Errorf("with another head: %d, want 409", resp.StatusCode)
	}
	if got := merge(); got != http.StatusOK {
		t.Errorf("with the pinned app's success: %d", got)
	}
	if p := sc.Pull.Record(); !p.Merged || p.State != "closed" || sc.Repo.Head("main") != p.MergeCommit {
		t.Errorf("after the merge: %+v", p)
	}
}
