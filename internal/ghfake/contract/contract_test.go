package contract

import (
	"bytes"
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"selffix/internal/ghfake"
)

var noon = time.Date(2026, 3, 10, 12, 0, 0, 0, time.UTC)

// rich is a scene in which every operation has something to say.
func rich(t *testing.T) (*ghfake.Scene, *rsa.PrivateKey) {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	app := ghfake.App{ID: 4242, Slug: "maintainer-review", InstallationID: 77, PublicKey: &key.PublicKey,
		Bot: ghfake.User{ID: 5001, Login: "maintainer-review[bot]"}, Permissions: ghfake.Permissions{"statuses": "write"}}
	sc, err := ghfake.NewScene(t.Context(), ghfake.Options{Dir: t.TempDir(), Now: noon}, ghfake.SceneOptions{ReviewApp: app})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = sc.Server.Close() })
	sc.Pull.Label(sc.Maintainer, "reviewed")
	sc.Pull.Unlabel(sc.Writer, "reviewed")
	sc.Pull.LabelThroughApp(sc.Maintainer, ghfake.ActionsAppID, "reviewed")
	sc.Pull.Comment(ghfake.ActionsBot(), "changed files")
	sc.AddAttempt(1, noon.Add(-time.Hour), "cancelled")
	sc.AddSkipped(noon.Add(-30 * time.Minute))
	sc.Repo.EditRun(sc.RunID, func(r *ghfake.Run) { r.PullRequests = []int{1} })
	sc.Repo.Rerun(sc.RunID, ghfake.Job{Name: "gate", Status: "queued"})
	if err := sc.Repo.Protect("main", ghfake.Protection{Checks: []ghfake.RequiredCheck{{Context: "maintainer-review", AppID: 4242}, {Context: "ci"}}, EnforceAdmins: "enforce", Owners: "code owners"}); err != nil {
		t.Fatal(err)
	}
	sc.Repo.AddEnvironment(ghfake.Environment{Name: "self-fix", Policy: "custom", Branches: []string{"main"}, Secrets: []string{"MODEL"}, Variables: []string{"DATABASE_URL"}})
	sc.Repo.AddCollaborator(ghfake.Collaborator{User: sc.Writer, Role: "write"})
	sc.Repo.AddCollaborator(ghfake.Collaborator{User: sc.Maintainer, Role: "admin"})
	sc.Repo.RequireReview("main", "code owners")
	sc.Repo.AddSecret("REPOSITORY_WIDE")
	if _, err := sc.Repo.OpenPull(ghfake.PullOptions{Author: ghfake.User{}, Branch: "fork", ForkID: 900777, ForkName: "stranger/app",
		Commits: []ghfake.Commit{{Message: "from a fork", Author: ghfake.Person{Name: "x", Email: "x@example.org"}, Files: map[string]string{"f": "1"}}}}); err != nil {
		t.Fatal(err)
	}
	// A deleted fork stays out: GitHub then sends "repo": null, which its own description does not allow.
	return sc, key
}

type request struct {
	method, path, body string
	token              string
	want               int
}

// TestEveryOperationAnswersAsGitHubDescribes sends each operation and validates request and answer. A route of the
// fake that no request here covers fails the test.
func TestEveryOperationAnswersAsGitHubDescribes(t *testing.T) {
	d := loadDescription(t)
	sc, key := rich(t)
	head := sc.Pull.Head()
	blob := readPath[struct{ SHA string }](t, sc, "/contents/README.md?ref=main").SHA
	deployment := readPath[[]struct{ ID int64 }](t, sc, "/deployments")[0].ID
	jwt := signed(t, key, 4242, noon)
	r := "/repos/maintainer/app"
	list := []request{
		{path: r}, {path: r + "/commits/" + head + "/statuses?per_page=100"}, {path: r + "/commits/" + head + "/status"},
		{method: "POST", path: r + "/statuses/" + head, body: `{"state":"pending","context":"maintainer-review","description":"waits"}`, want: 201},
		{path: r + "/commits/" + head + "/pulls"}, {path: r + "/commits/" + head}, {path: r + "/commits/" + strings.Repeat("0", 40), want: 422},
		{path: r + "/pulls?state=open&per_page=2"}, {path: r + "/pulls/1"}, {path: r + "/pulls/1/commits"}, {path: r + "/pulls/99", want: 404},
		{path: r + "/issues/1/events"}, {path: r + "/issues/1/timeline"}, {path: r + "/issues/1/labels"}, {path: r + "/labels/reviewed"},
		{method: "POST", path: r + "/issues/1/labels", body: `{"labels":["triage"]}`, want: 200},
		{method: "DELETE", path: r + "/issues/1/labels/triage", want: 200},
		{path: r + "/issues/1/comments"}, {method: "POST", path: r + "/issues/1/comments", body: `{"body":"hello"}`, want: 201},
		{path: r + "/actions/runs"}, {path: r + "/actions/workflows/self-fix.yml"}, {path: r + "/actions/workflows/self-fix.yml/runs?created=%3E%3D2026-03-01&event=status"},
		{path: r + fmt.Sprintf("/actions/runs/%d", sc.RunID)}, {path: r + fmt.Sprintf("/actions/runs/%d/jobs?filter=all", sc.RunID)},
		{path: r + fmt.Sprintf("/actions/runs/%d/attempts/1/jobs", sc.RunID)}, {path: r + "/actions/secrets"},
		{path: r + "/activity"}, {path: r + "/git/ref/heads/feature"}, {path: r + "/git/matching-refs/heads/fea"}, {path: r + "/git/commits/" + head}, {path: r + "/git/blobs/" + blob},
		{path: r + "/git/trees/" + head + "?recursive=1"}, {path: r + "/contents/README.md?ref=" + head},
		{path: r + "/branches/main"}, {path: r + "/branches/main/protection"}, {path: r + "/branches/main/protection/required_status_checks"},
		{path: r + "/branches/feature/protection", want: 404}, {path: r + "/rules/branches/main"},
		{path: r + "/deployments?environment=Preview"}, {path: r + fmt.Sprintf("/deployments/%d/statuses", deployment)},
		{path: r + "/environments"}, {path: r + "/environments/self-fix"}, {path: r + "/environments/self-fix/deployment-branch-policies"},
		{path: r + "/environments/self-fix/secrets"}, {path: r + "/environments/self-fix/variables"},
		{path: r + "/actions/permissions/workflow"}, {path: r + "/collaborators?permission=push"}, {path: "/users/maintainer"}, {path: "/user/1001"}, {path: "/rate_limit"},
		{path: r + "/installation", token: jwt}, {path: "/app", token: jwt},
		{method: "POST", path: "/app/installations/77/access_tokens", token: jwt, body: `{"permissions":{"statuses":"write"},"repository_ids":[900001]}`, want: 201},
		{method: "PUT", path: r + "/pulls/1/merge", body: `{}`, want: 405},
		{method: "POST", path: r + "/statuses/" + head, body: `{"state":"nonsense"}`, want: 422},
	}
	for _, q := range list {
		name := q.method + " " + strings.NewReplacer(head, "HEAD", blob, "BLOB").Replace(q.path)
		if err := d.exchange(t, sc, q); err != nil {
			t.Errorf("%s: %.400s", name, err)
		}
	}
	covered := map[string]bool{}
	for _, line := range sc.Server.Requests() {
		covered[line.Route] = true
	}
	for _, route := range ghfake.Routes() {
		if !covered[route] && !strings.HasPrefix(route, "GET /repos/{owner}/{repo}/statuses/") { // an alias that the description leaves out
			t.Errorf("no request here covers %s", route)
		}
	}
}

func (d *description) exchange(t *testing.T, sc *ghfake.Scene, q request) error {
	t.Helper()
	if q.method == "" {
		q.method = http.MethodGet
	}
	if q.token == "" {
		q.token = ghfake.AdminToken
	}
	if q.want == 0 {
		q.want = http.StatusOK
	}
	req, err := http.NewRequestWithContext(t.Context(), q.method, sc.Server.URL+q.path, strings.NewReader(q.body))
	if err != nil {
		return err
	}
	req.Header.Set("Authorization", "Bearer "+q.token)
	if q.body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	if err != nil {
		return err
	}
	if resp.StatusCode != q.want {
		return fmt.Errorf("status %d, want %d: %.200s", resp.StatusCode, q.want, answer)
	}
	if resp.StatusCode == http.StatusUnprocessableEntity && q.method == "POST" {
		return nil // the request is wrong on purpose
	}
	return d.check(req, []byte(q.body), resp, answer)
}

func readPath[T any](t *testing.T, sc *ghfake.Scene, path string) T {
	t.Helper()
	var out T
	resp, err := http.Get(sc.Server.URL + "/repos/maintainer/app" + path)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if err := json.NewDecoder(resp.Body).Decode(&out); err != nil {
		t.Fatal(err)
	}
	return out
}

// signed is an app's JWT as GitHub asks for it.
func signed(t *testing.T, key *rsa.PrivateKey, app int64, now time.Time) string {
	t.Helper()
	part := func(v any) string {
		raw, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		return base64.RawURLEncoding.EncodeToString(raw)
	}
	text := part(map[string]any{"alg": "RS256", "typ": "JWT"}) + "." +
		part(map[string]any{"iss": fmt.Sprint(app), "iat": now.Add(-time.Minute).Unix(), "exp": now.Add(9 * time.Minute).Unix()})
	sum := sha256.Sum256([]byte(text))
	raw, err := rsa.SignPKCS1v15(rand.Reader, key, crypto.SHA256, sum[:])
	if err != nil {
		t.Fatal(err)
	}
	return text + "." + base64.RawURLEncoding.EncodeToString(raw)
}

// TestTheValidatorCatchesWhatItMust takes away what the gates rest on, so that a validator that accepts everything is noticed.
func TestTheValidatorCatchesWhatItMust(t *testing.T) {
	d := loadDescription(t)
	sc, _ := rich(t)
	path := "/repos/maintainer/app/commits/" + sc.Tested + "/statuses"
	for name, spoil := range map[string]func([]byte) []byte{
		"null":           func([]byte) []byte { return []byte("null") },
		"object":         func([]byte) []byte { return []byte("{}") },
		"no creator":     func(b []byte) []byte { return bytes.ReplaceAll(b, []byte(`"creator"`), []byte(`"creatur"`)) },
		"id as text":     func(b []byte) []byte { return bytes.ReplaceAll(b, []byte(`"id":`), []byte(`"id":"x","was":`)) },
		"no created_at":  func(b []byte) []byte { return bytes.ReplaceAll(b, []byte(`"created_at"`), []byte(`"made_at"`)) },
		"null in a list": func(b []byte) []byte { return append([]byte("[null,"), b[1:]...) },
	} {
		resp, err := http.Get(sc.Server.URL + path)
		if err != nil {
			t.Fatal(err)
		}
		raw, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
		if err := d.check(resp.Request, nil, resp, raw); err != nil {
			t.Fatalf("the answer as it is: %v", err)
		}
		if d.check(resp.Request, nil, resp, spoil(raw)) == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}
