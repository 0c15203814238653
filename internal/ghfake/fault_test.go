package ghfake_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"testing"

	"selffix/internal/ghfake"
)

// get reads a path; an error of the connection is a result here.
func get(t *testing.T, sc *ghfake.Scene, path string) string {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), "GET", sc.Server.URL+path, nil)
	fatal(t, err)
	client := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	resp, err := client.Do(req)
	if err != nil {
		return "no answer"
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		return "answer cut"
	}
	head := resp.Header.Clone()
	for _, name := range []string{"X-Github-Request-Id", "X-Ratelimit-Remaining", "X-Ratelimit-Used"} {
		head.Del(name)
	}
	return fmt.Sprint(resp.StatusCode, head, string(raw))
}

// TestEveryDistortionDistorts keeps the catalogue from holding entries that change nothing.
func TestEveryDistortionDistorts(t *testing.T) {
	sc := newScene(t, ghfake.SceneOptions{})
	server := sc.Server
	server.Mark()
	for i := range 3 {
		sc.AddSkipped(noon)
		sc.Repo.PostStatus(sc.Bot, sc.Tested, fmt.Sprint(i), "success")
	}
	sc.Pull.Label(sc.Maintainer, "reviewed")
	paths := []string{"/commits/" + sc.Tested + "/statuses?per_page=2", "/commits/" + sc.Tested + "/statuses?per_page=2&page=2",
		"/actions/workflows/self-fix.yml/runs", "/pulls/1", "/issues/1/events"}
	truth := map[string]string{}
	for _, p := range paths {
		truth[p] = get(t, sc, repoPath+p)
	}
	names := map[string]bool{}
	for _, d := range append(ghfake.Broken(), ghfake.Odd()...) {
		if names[d.Name] {
			t.Errorf("two distortions are named %q", d.Name)
		}
		names[d.Name] = true
		server.ClearFaults()
		server.Inject(ghfake.Fault{Distortion: d})
		changed := false
		for _, p := range paths {
			changed = changed || get(t, sc, repoPath+p) != truth[p]
		}
		if !changed {
			t.Errorf("%s: changes none of the answers", d.Name)
		}
	}
}

func TestFaultsAreAimed(t *testing.T) {
	sc := newScene(t, ghfake.SceneOptions{})
	statuses := repoPath + "/commits/" + sc.Tested + "/statuses"
	broken := ghfake.Distortion{Name: "gone", Instead: func(a *ghfake.Answer) { a.Status = 502 }}
	asked := []string{repoPath, statuses, statuses + "?page=2", repoPath, statuses}
	for name, c := range map[string]struct {
		fault ghfake.Fault
		want  string
	}{
		"every call":           {ghfake.Fault{}, "[502 502 502 502 502]"},
		"second call of all":   {ghfake.Fault{Call: 2}, "[200 502 200 200 200]"},
		"third call and later": {ghfake.Fault{From: 3}, "[200 200 502 502 502]"},
		"a route":              {ghfake.Fault{Route: "GET /repos/{owner}/{repo}"}, "[502 200 200 502 200]"},
		"a route's second":     {ghfake.Fault{Route: "GET /repos/{owner}/{repo}", Call: 2}, "[200 200 200 502 200]"},
		"a page":               {ghfake.Fault{Page: 2}, "[200 200 502 200 200]"},
		"an address":           {ghfake.Fault{Target: statuses}, "[200 502 200 200 502]"},
	} {
		sc.Server.ClearFaults()
		c.fault.Distortion = broken
		sc.Server.Inject(c.fault)
		var got []int
		for _, path := range asked {
			got = append(got, do(t, sc, "", "GET", path, nil, nil).StatusCode)
		}
		if fmt.Sprint(got) != c.want {
			t.Errorf("%s: %v, want %s", name, got, c.want)
		}
	}
}

// TestEffectsOfFaults: a refusal changes nothing, a lost answer comes after the change.
func TestEffectsOfFaults(t *testing.T) {
	for name, c := range map[string]struct {
		fault ghfake.Distortion
		want  int
	}{
		"refused": {ghfake.Distortion{Instead: func(a *ghfake.Answer) { a.Lost = true }}, 0},
		"lost":    {ghfake.Distortion{After: func(a *ghfake.Answer) { a.Lost = true }}, 1},
	} {
		sc := newScene(t, ghfake.SceneOptions{})
		sc.Server.Inject(ghfake.Fault{Distortion: c.fault})
		req, err := http.NewRequestWithContext(t.Context(), "POST", sc.Server.URL+repoPath+"/statuses/"+sc.Tested, http.NoBody)
		fatal(t, err)
		req.Header.Set("Authorization", "Bearer "+ghfake.WriteToken)
		req.Body = io.NopCloser(&once{text: `{"state":"pending","context":"maintainer-review"}`})
		if resp, err := http.DefaultClient.Do(req); err == nil {
			_ = resp.Body.Close()
			t.Errorf("%s: answered %d", name, resp.StatusCode)
		}
		if got := len(sc.Repo.Statuses(sc.Tested, "maintainer-review")); got != c.want {
			t.Errorf("%s: %d statuses, want %d", name, got, c.want)
		}
	}
}

// TestHangingBody: the first half arrives, and then nothing until the client gives up.
func TestHangingBody(t *testing.T) {
	sc := newScene(t, ghfake.SceneOptions{})
	sc.Server.Inject(ghfake.Fault{Distortion: ghfake.Distortion{Name: "hang", After: func(a *ghfake.Answer) { a.Hang = true }}})
	ctx, giveUp := context.WithCancel(t.Context())
	defer giveUp()
	req, err := http.NewRequestWithContext(ctx, "GET", sc.Server.URL+repoPath, nil)
	fatal(t, err)
	resp, err := http.DefaultClient.Do(req)
	fatal(t, err)
	defer resp.Body.Close()
	half := make([]byte, resp.ContentLength/2)
	if _, err := io.ReadFull(resp.Body, half); err != nil {
		t.Fatalf("the first half: %v", err)
	}
	giveUp()
	if rest, err := io.ReadAll(resp.Body); err == nil || len(rest) > 0 {
		t.Errorf("%d more bytes and %v after the first half, want an error", len(rest), err)
	}
}

// once is a body that cannot be read again, so that the client does not send the request twice by itself.
type once struct{ text string }

func (o *once) Read(p []byte) (int, error) {
	if o.text == "" {
		return 0, io.EOF
	}
	n := copy(p, o.text)
	o.text = o.text[n:]
	return n, nil
}

func TestRestoreBringsRefsBack(t *testing.T) {
	sc := newScene(t, ghfake.SceneOptions{})
	before := sc.Server.Checkpoint()
	_, err := sc.Pull.Push(sc.Writer, ghfake.Commit{Message: "more", Files: map[string]string{"more": "1"}})
	fatal(t, err)
	sc.Pull.Label(sc.Maintainer, "reviewed")
	fatal(t, sc.Server.Restore(before))
	if sc.Pull.Head() != sc.Tested || len(sc.Pull.Record().Events) != 0 {
		t.Errorf("record after Restore: %+v", sc.Pull.Record())
	}
	if got := must(t, t.TempDir(), "", "--git-dir="+sc.Repo.Dir(), "rev-parse", "refs/heads/feature"); got != sc.Tested {
		t.Errorf("git's branch after Restore is %s, want %s", got, sc.Tested)
	}
}
