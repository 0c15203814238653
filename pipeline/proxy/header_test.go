package proxy_test

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"selffix/pipeline/proxy"
)

// What reaches the host is exactly this, whatever the client sent.
func TestUpstreamRequest(t *testing.T) {
	r := newRig(t, func(w http.ResponseWriter, q *http.Request) {
		h := w.Header()
		h.Set("Set-Cookie", "a=b")
		h.Set("X-Anything", "x")
		h.Set("Anthropic-Organization-Id", "secret")
		h.Set("Location", "https://evil.example")
		h.Set("Request-Id", "req_1")
		says(message)(w, q)
	})
	a := r.ask(t, plainBody, func(q *http.Request) {
		q.URL.RawQuery = "beta=true"
		for name, v := range map[string]string{
			"Connection": "X-Api-Key, Authorization, Anthropic-Version", "Proxy-Authorization": "Basic x", "Cookie": "a=b", "Host": "evil.example",
			"X-Forwarded-Host": "evil.example", "Forwarded": "host=evil.example", "X-Http-Method-Override": "GET", "Te": "trailers",
			"Anthropic-Version": "2099-01-01", "Accept-Encoding": "gzip, br", "Anthropic-Organization": "x", "X-Anything": "x",
			"User-Agent": "claude-cli/2.1.328 (external, sdk-cli)", "X-App": "cli", "X-Stainless-Lang": "js\u00e9",
			"X-Claude-Code-Session-Id": strings.Repeat("x", 200), "Accept": "*/*",
			"Anthropic-Beta": "files-api-2025-04-14, claude-code-20250219, mcp-client-2025-11-20,oauth-2025-04-20,context-1m-2025-08-07, effort-2025-11-24,effort-2025-11-24",
		} {
			q.Header.Set(name, v)
		}
		q.Header["X-Stainless-Os"] = []string{"Linux", "Windows"}
		q.Host = "evil.example"
	})
	if a.status != 200 {
		t.Fatalf("got %d %s", a.status, a.body)
	}
	got := r.requests()[0]
	want := http.Header{
		"X-Api-Key": {fakeToken}, "Anthropic-Version": {"2023-06-01"}, "Anthropic-Beta": {"claude-code-20250219,effort-2025-11-24"},
		"Content-Type": {"application/json"}, "Accept": {"application/json"}, "Accept-Encoding": {"identity"},
		"User-Agent": {"claude-cli/2.1.328 (external, sdk-cli)"}, "X-App": {"cli"}, "Content-Length": {strconv.Itoa(len(plainBody))},
	}
	if diff := cmp.Diff(want, got.header); diff != "" {
		t.Error(diff)
	}
	if got.method != "POST" || got.uri != "/v1/messages" {
		t.Errorf("%s %s", got.method, got.uri)
	}
	if m := r.settled(t); m.DroppedBetas != 3 {
		t.Errorf("%d betas were dropped", m.DroppedBetas)
	}
	names := []string{}
	for name := range a.header {
		names = append(names, name)
	}
	slices.Sort(names)
	if diff := cmp.Diff([]string{"Cache-Control", "Content-Length", "Content-Type", "Date", "Request-Id", "X-Content-Type-Options"}, names); diff != "" {
		t.Error(diff)
	}
}

// The token's shape decides the header, and whether the beta of OAuth is sent.
func TestTokenShapes(t *testing.T) {
	oauth := "sandbox-sk-" + "ant-oat01-made-up"
	for _, c := range []struct {
		name, token, asked, auth, key, betas string
	}{
		{"API key", "sandbox-sk-" + "ant-api03-made-up", "oauth-2025-04-20,claude-code-20250219", "", "sandbox-sk-" + "ant-api03-made-up", "claude-code-20250219"},
		{"any other", fakeToken, "", "", fakeToken, ""},
		{"OAuth", oauth, "claude-code-20250219,oauth-2025-04-20", "Bearer " + oauth, "", "oauth-2025-04-20,claude-code-20250219"},
		{"OAuth, beta not asked for", oauth, "", "Bearer " + oauth, "", "oauth-2025-04-20"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newRig(t, says(message), func(o *proxy.Options) { o.Token = token(t, c.token) })
			if a := r.ask(t, plainBody, header("Anthropic-Beta", c.asked)); a.status != 200 {
				t.Fatalf("got %d %s", a.status, a.body)
			}
			h := r.requests()[0].header
			if h.Get("Authorization") != c.auth || h.Get("X-Api-Key") != c.key || h.Get("Anthropic-Beta") != c.betas {
				t.Errorf("got %v", h)
			}
		})
	}
}
