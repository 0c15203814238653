package ghfake_test

import (
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"selffix/internal/ghfake"
)

// gitIn runs git as a client would: no configuration but its own, the token in a header by environment.
func gitIn(t testing.TB, dir, token string, args ...string) (string, error) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "git", args...)
	cmd.Dir = dir
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null", "GIT_TERMINAL_PROMPT=0", "LC_ALL=C",
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.org", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.org"}
	if token != "" {
		cmd.Args = append([]string{"git", "-c", "credential.helper=!f() { echo username=x-access-token; echo password=" + token + "; }; f"}, args...)
	}
	out, err := cmd.CombinedOutput()
	return string(out), err
}

func must(t testing.TB, dir, token string, args ...string) string {
	t.Helper()
	out, err := gitIn(t, dir, token, args...)
	if err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(out)
}

// clone makes a working copy of the pull request's branch with one commit on top.
func cloneWithCommit(t testing.TB, sc *ghfake.Scene, name, content string) (dir, commit string) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "clone")
	must(t, t.TempDir(), ghfake.ReadToken, "clone", "-q", "--branch", "feature", sc.Repo.CloneURL(), dir)
	if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	must(t, dir, "", "add", name)
	must(t, dir, "", "commit", "-q", "-m", "self-fix: "+name)
	return dir, must(t, dir, "", "rev-parse", "HEAD")
}

func lease(tested string) string { return "--force-with-lease=refs/heads/feature:" + tested }

func TestPushMovesThePullRequest(t *testing.T) {
	sc := newScene(t, ghfake.SceneOptions{})
	dir, commit := cloneWithCommit(t, sc, "new.ts", "export {};\n")
	must(t, dir, ghfake.WriteToken, "push", "-q", lease(sc.Tested), "origin", commit+":refs/heads/feature")
	if got := sc.Pull.Head(); got != commit {
		t.Errorf("pull request's head %s, want %s", got, commit)
	}
	var activity []struct {
		After        string
		Timestamp    string
		ActivityType string `json:"activity_type"`
		Actor        struct{ ID int64 }
	}
	do(t, sc, ghfake.ReadToken, "GET", "/repos/maintainer/app/activity?ref=feature", nil, &activity)
	if len(activity) != 2 || activity[0].After != commit || activity[0].Actor.ID != ghfake.ActionsBotID || activity[0].Timestamp != "2026-03-10T12:00:00Z" {
		t.Errorf("activity %+v: want the push first, by the token's account, at the server's time", activity)
	}
	if raw, ok, err := sc.Repo.File(commit, "new.ts"); err != nil || !ok || raw != "export {};\n" {
		t.Errorf("file in the pushed commit: %q %v %v", raw, ok, err)
	}
}

func TestPushIsRefused(t *testing.T) {
	sc := newScene(t, ghfake.SceneOptions{})
	dir, commit := cloneWithCommit(t, sc, "new.ts", "export {};\n")
	private := ghfake.SandboxPrefix + "elsewhere"
	if err := sc.Server.AddToken(private, ghfake.Token{User: sc.Writer, Permissions: ghfake.WritePermissions(), Repositories: []int64{1}}); err != nil {
		t.Fatal(err)
	}
	if err := sc.Repo.Protect("main", ghfake.Protection{RefusePush: "refuse"}); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct{ token, ref, says string }{
		"no token":                    {"", "feature", "could not read Username"},
		"unknown token":               {ghfake.SandboxPrefix + "unknown", "feature", "Authentication failed"},
		"token that may only read":    {ghfake.ReadToken, "feature", "403"},
		"token of another repository": {private, "feature", "403"},
		"protected branch":            {ghfake.WriteToken, "main", "GH006"},
		"pull request's own ref":      {ghfake.WriteToken, "../pull/1/head", "hidden ref"},
	} {
		ref := filepath.Join("refs/heads", c.ref)
		out, err := gitIn(t, dir, c.token, "push", "origin", commit+":"+ref)
		if err == nil || !strings.Contains(out, c.says) {
			t.Errorf("%s: err %v, output lacks %q:\n%s", name, err, c.says, out)
		}
	}
	if got := sc.Pull.Head(); got != sc.Tested {
		t.Errorf("head moved to %s by a refused push", got)
	}
}

// TestLease shows why a pinned lease is needed: the branch is rolled back, deleted or moved on in between.
func TestLease(t *testing.T) {
	for name, meanwhile := range map[string]func(*testing.T, *ghfake.Scene){
		"rolled back": func(t *testing.T, sc *ghfake.Scene) {
			fatal(t, sc.Repo.SetBranch(sc.Maintainer, "feature", sc.Repo.Head("main")))
		},
		"deleted": func(t *testing.T, sc *ghfake.Scene) { fatal(t, sc.Repo.SetBranch(sc.Maintainer, "feature", "")) },
		"moved on": func(t *testing.T, sc *ghfake.Scene) {
			_, err := sc.Pull.Push(sc.Maintainer, ghfake.Commit{Message: "more", Files: map[string]string{"more.ts": "1"}})
			fatal(t, err)
		},
	} {
		t.Run(name, func(t *testing.T) {
			sc := newScene(t, ghfake.SceneOptions{})
			dir, commit := cloneWithCommit(t, sc, "new.ts", "export {};\n")
			meanwhile(t, sc)
			want := sc.Repo.Head("feature")
			if out, err := gitIn(t, dir, ghfake.WriteToken, "push", lease(sc.Tested), "origin", commit+":refs/heads/feature"); err == nil {
				t.Errorf("a stale lease was taken:\n%s", out)
			}
			if got := sc.Repo.Head("feature"); got != want {
				t.Errorf("branch is at %q, want %q", got, want)
			}
		})
	}
}

func fatal(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// TestBigPush is above http.postBuffer, where git sends the body in chunks, which net/http/cgi refuses.
func TestBigPush(t *testing.T) {
	sc := newScene(t, ghfake.SceneOptions{})
	noise := make([]byte, 1<<21)
	if _, err := rand.Read(noise); err != nil {
		t.Fatal(err)
	}
	dir, commit := cloneWithCommit(t, sc, "noise.txt", hex.EncodeToString(noise))
	must(t, dir, ghfake.WriteToken, "push", "-q", lease(sc.Tested), "origin", commit+":refs/heads/feature")
	if got := sc.Pull.Head(); got != commit {
		t.Errorf("head %s, want %s", got, commit)
	}
}

// TestEightPublishersPushOnce lets eight pushes with the same pinned lease race over the network.
func TestEightPublishersPushOnce(t *testing.T) {
	sc := newScene(t, ghfake.SceneOptions{})
	const publishers = 8
	dir, first := cloneWithCommit(t, sc, "new.ts", "export {};\n")
	commits := []string{first}
	for i := 1; i < publishers; i++ {
		commits = append(commits, must(t, dir, "", "commit-tree", "-p", sc.Tested, "-m", fmt.Sprintf("self-fix: %d", i), first+"^{tree}"))
	}
	start := make(chan struct{})
	won := make([]bool, publishers)
	var all sync.WaitGroup
	for i := range publishers {
		all.Go(func() {
			<-start
			_, err := gitIn(t, dir, ghfake.WriteToken, "push", "-q", lease(sc.Tested), sc.Repo.CloneURL(), commits[i]+":refs/heads/feature")
			won[i] = err == nil
		})
	}
	close(start)
	all.Wait()
	var winners []string
	for i, ok := range won {
		if ok {
			winners = append(winners, commits[i])
		}
	}
	if len(winners) != 1 || sc.Pull.Head() != winners[0] {
		t.Fatalf("%d pushes were taken (%v), the pull request is at %s: want exactly one, and it there", len(winners), winners, sc.Pull.Head())
	}
	if n := must(t, dir, "", "--git-dir="+sc.Repo.Dir(), "rev-list", "--count", sc.Tested+".."+winners[0]); n != "1" {
		t.Errorf("%s commits on top of the tested one, want 1", n)
	}
}

// TestAnswerLostAfterAPush is the ambiguous push: the client sees an error, the ref has moved.
func TestAnswerLostAfterAPush(t *testing.T) {
	sc := newScene(t, ghfake.SceneOptions{})
	dir, commit := cloneWithCommit(t, sc, "new.ts", "export {};\n")
	sc.Server.Inject(ghfake.Fault{Route: ghfake.RoutePush, Distortion: ghfake.Distortion{Name: "lost", After: func(a *ghfake.Answer) { a.Lost = true }}})
	if out, err := gitIn(t, dir, ghfake.WriteToken, "push", "-q", lease(sc.Tested), "origin", commit+":refs/heads/feature"); err == nil {
		t.Errorf("the push seems to have been answered:\n%s", out)
	}
	if got := sc.Repo.Head("feature"); got != commit {
		t.Errorf("branch at %s, want %s: the effect happened", got, commit)
	}
}

// TestFetchByCommit is how a checkout asks for exactly the tested commit, which need not be a branch's head.
func TestFetchByCommit(t *testing.T) {
	sc := newScene(t, ghfake.SceneOptions{Private: true})
	if _, err := sc.Pull.Push(sc.Maintainer, ghfake.Commit{Message: "later", Files: map[string]string{"later.ts": "1"}}); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	must(t, dir, "", "init", "-q", "--bare", ".")
	if out, err := gitIn(t, dir, "", "fetch", "-q", sc.Repo.CloneURL(), sc.Tested); err == nil {
		t.Errorf("a private repository was read without a token:\n%s", out)
	}
	must(t, dir, ghfake.ReadToken, "fetch", "-q", "--depth=1", sc.Repo.CloneURL(), sc.Tested)
	if got := must(t, dir, "", "rev-parse", "FETCH_HEAD"); got != sc.Tested {
		t.Errorf("fetched %s, want %s", got, sc.Tested)
	}
	log := sc.Server.Requests()
	if last := log[len(log)-1]; last.Route != ghfake.RouteFetch || last.Login != ghfake.ActionsBot().Login {
		t.Errorf("log ends with %+v, want the fetch by the token's account", last)
	}
}
