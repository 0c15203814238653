package ghfake_test

import (
	"encoding/json"
	"net/http"
	"testing"
	"time"

	"selffix/internal/ghfake"
)

var noon = time.Date(2026, 3, 10, 12, 0, 0, 0, time.UTC)

func newScene(t *testing.T, o ghfake.SceneOptions) *ghfake.Scene {
	t.Helper()
	sc, err := ghfake.NewScene(t.Context(), ghfake.Options{Dir: t.TempDir(), Now: noon}, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := sc.Server.Close(); err != nil {
			t.Error(err)
		}
	})
	return sc
}

// do sends one request and decodes the answer into out, if there is one to decode into.
func do(t *testing.T, sc *ghfake.Scene, token, method, path string, body []byte, out any) *http.Response {
	t.Helper()
	resp, raw := send(t, sc, token, method, path, body)
	if out != nil {
		if err := json.Unmarshal(raw, out); err != nil {
			t.Fatalf("%s %s: %v: %.200s", method, path, err, raw)
		}
	}
	return resp
}

func TestSceneHoldsTogether(t *testing.T) {
	sc := newScene(t, ghfake.SceneOptions{})
	repo := "/repos/maintainer/app"
	var pull struct {
		Number  int
		State   string
		Commits int
		User    struct{ ID int64 }
		Head    struct {
			SHA  string
			Repo struct{ ID int64 }
		}
	}
	resp := do(t, sc, ghfake.ReadToken, "GET", repo+"/pulls/1", nil, &pull)
	if pull.Head.SHA != sc.Tested || pull.Head.Repo.ID != 900001 || pull.User.ID != 1001 || pull.Commits != 1 || pull.State != "open" {
		t.Errorf("pull request: %+v, want head %s", pull, sc.Tested)
	}
	if got := resp.Header.Get("Date"); got != noon.Format(http.TimeFormat) {
		t.Errorf("Date %q, want the server's clock", got)
	}
	var statuses []struct {
		ID      int64
		State   string
		Creator struct{ ID int64 }
	}
	do(t, sc, ghfake.ReadToken, "GET", repo+"/commits/"+sc.Tested+"/statuses", nil, &statuses)
	if len(statuses) != 1 || statuses[0].ID != sc.Status.ID || statuses[0].Creator.ID != 258111874 {
		t.Errorf("statuses: %+v", statuses)
	}
	for _, path := range []string{"", "/commits/" + sc.Tested + "/pulls", "/pulls", "/pulls/1/commits", "/issues/1/events", "/issues/1/timeline", "/actions/workflows/self-fix.yml/runs",
		"/activity", "/git/ref/heads/feature", "/rules/branches/main", "/deployments?sha=" + sc.Tested, "/contents/README.md?ref=main"} {
		if resp := do(t, sc, ghfake.ReadToken, "GET", repo+path, nil, nil); resp.StatusCode != 200 {
			t.Errorf("GET %s: %d", path, resp.StatusCode)
		}
	}
}
