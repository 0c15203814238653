package ghfake_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"selffix/internal/ghfake"
)

// TestTransport: the same answers without a connection, under a public name, and the client's own token is never looked at.
func TestTransport(t *testing.T) {
	const public = "https://api.github.com"
	sc, err := ghfake.NewScene(t.Context(), ghfake.Options{Dir: t.TempDir(), Now: noon, Public: public}, ghfake.SceneOptions{})
	fatal(t, err)
	defer sc.Server.Close()
	sc.Repo.PostStatus(sc.Writer, sc.Tested, "ci", "success")
	client := http.Client{Transport: sc.Server.Transport(ghfake.ReadToken)}
	ask := func(ctx context.Context) (string, error) {
		req, err := http.NewRequestWithContext(ctx, "GET", public+repoPath+"/commits/"+sc.Tested+"/statuses?per_page=1", nil)
		fatal(t, err)
		req.Header.Set("Authorization", "Bearer gh"+"p_real")
		resp, err := client.Do(req)
		if err != nil {
			return "", err
		}
		defer resp.Body.Close()
		raw, err := io.ReadAll(resp.Body)
		return resp.Header.Get("Link") + string(raw), err
	}
	text, err := ask(t.Context())
	if err != nil || !strings.HasPrefix(text, "<"+public+"/repositories/900001/commits/") || strings.Contains(text, sc.Server.URL) {
		t.Errorf("answer %.200s, %v: want every address under the public name", text, err)
	}
	if log := sc.Server.Requests(); len(log) != 1 || log[0].Login != ghfake.ActionsBot().Login {
		t.Errorf("log %+v, want one request by the token that the transport stands for", log)
	}
	for name, after := range map[string]func(*ghfake.Answer){
		"lost": func(a *ghfake.Answer) { a.Lost = true },
		"cut":  func(a *ghfake.Answer) { a.Cut = 10 },
	} {
		sc.Server.ClearFaults()
		sc.Server.Inject(ghfake.Fault{Distortion: ghfake.Distortion{Name: name, After: after}})
		if text, err := ask(t.Context()); err == nil {
			t.Errorf("%s: answered %.80s", name, text)
		}
	}
	sc.Server.ClearFaults()
	sc.Server.Inject(ghfake.Fault{Distortion: ghfake.Distortion{Name: "hang", After: func(a *ghfake.Answer) { a.Hang = true }}})
	ctx, giveUp := context.WithCancel(t.Context())
	giveUp()
	if _, err := ask(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("hang: %v, want the client's own end", err)
	}
}
