package proxy_test

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"selffix/internal/tokens"
	"selffix/pipeline/proxy"
)

func TestKeyMethodPath(t *testing.T) {
	r := newRig(t, says(message))
	bearer := func(v string) func(*http.Request) {
		return func(q *http.Request) { q.Header.Del("X-Api-Key"); q.Header.Set("Authorization", v) }
	}
	uri := func(u string) func(*http.Request) {
		return func(q *http.Request) { q.URL.Opaque = u }
	}
	method := func(m string) func(*http.Request) { return func(q *http.Request) { q.Method = m } }
	for _, c := range []struct {
		name   string
		change func(*http.Request)
		want   int
		reason proxy.Reason
	}{
		{"x-api-key", func(*http.Request) {}, 200, ""},
		{"bearer", bearer("Bearer " + runKey), 200, ""},
		{"query beta", uri("/v1/messages?beta=true"), 200, ""},
		{"content type with a charset", header("Content-Type", "application/json; charset=utf-8"), 200, ""},

		{"no key", header("X-Api-Key"), 401, proxy.ReasonKey},
		{"wrong key", header("X-Api-Key", runKey+"x"), 401, proxy.ReasonKey},
		{"part of the key", header("X-Api-Key", runKey[:len(runKey)-1]), 401, proxy.ReasonKey},
		{"empty key", header("X-Api-Key", ""), 401, proxy.ReasonKey},
		{"key twice", header("X-Api-Key", runKey, runKey), 401, proxy.ReasonKey},
		{"key in both headers", header("Authorization", "Bearer "+runKey), 401, proxy.ReasonKey},
		{"key and another bearer", header("Authorization", "Bearer x"), 401, proxy.ReasonKey},
		{"key and basic", header("Authorization", "Basic x"), 401, proxy.ReasonKey},
		{"the model token", header("X-Api-Key", fakeToken), 401, proxy.ReasonKey},
		{"batches", uri("/v1/messages/batches"), 404, proxy.ReasonPath},
		{"count tokens", uri("/v1/messages/count_tokens"), 404, proxy.ReasonPath},
		{"slash at the end", uri("/v1/messages/"), 404, proxy.ReasonPath},
		{"two slashes", uri("//v1/messages"), 404, proxy.ReasonPath},
		{"dot dot", uri("/v1/x/../messages"), 404, proxy.ReasonPath},
		{"escaped", uri("/v1/m%65ssages"), 404, proxy.ReasonPath},
		{"capital", uri("/V1/messages"), 404, proxy.ReasonPath},
		{"files", uri("/v1/files"), 404, proxy.ReasonPath},
		{"another query", uri("/v1/messages?beta=false"), 404, proxy.ReasonPath},
		{"beta twice", uri("/v1/messages?beta=true&beta=true"), 404, proxy.ReasonPath},
		{"beta and more", uri("/v1/messages?beta=true&x=1"), 404, proxy.ReasonPath},
		{"empty query", uri("/v1/messages?"), 404, proxy.ReasonPath},
		{"GET", method("GET"), 405, proxy.ReasonMethod},
		{"PUT", method("PUT"), 405, proxy.ReasonMethod},
		{"OPTIONS", method("OPTIONS"), 405, proxy.ReasonMethod},
		{"DELETE", method("DELETE"), 405, proxy.ReasonMethod},
		{"post to the meter", uri("/meter"), 404, proxy.ReasonPath},
		{"no content type", header("Content-Type"), 400, proxy.ReasonHeader},
		{"another content type", header("Content-Type", "text/plain"), 400, proxy.ReasonHeader},
		{"content type twice", header("Content-Type", "application/json", "application/json"), 400, proxy.ReasonHeader},
		{"compressed", header("Content-Encoding", "gzip"), 400, proxy.ReasonHeader},
	} {
		t.Run(c.name, func(t *testing.T) {
			before, refused := len(r.requests()), r.proxy.Meter().Refusals[c.reason]
			a := r.ask(t, plainBody, c.change)
			if a.status != c.want {
				t.Fatalf("got %d %s", a.status, a.body)
			}
			if sent := len(r.requests()) - before; (sent == 1) != (c.want == 200) {
				t.Errorf("%d requests were sent", sent)
			}
			if c.want != 200 && (a.kind() == "" || r.proxy.Meter().Refusals[c.reason] != refused+1) {
				t.Errorf("got %s and %+v", a.body, r.proxy.Meter())
			}
		})
	}
}

// An absolute-form request line, as to a forward proxy, must not choose the host.
func TestAbsoluteForm(t *testing.T) {
	r := newRig(t, says(message))
	for _, line := range []string{
		"POST http://example.com/v1/messages HTTP/1.1", "CONNECT example.com:443 HTTP/1.1",
		"POST http://" + r.hostID + "/v1/messages HTTP/1.1", "POST *  HTTP/1.1",
	} {
		c, err := net.Dial("tcp", strings.TrimPrefix(r.url, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		_ = c.SetDeadline(time.Now().Add(10 * time.Second))
		fmt.Fprintf(c, "%s\r\nHost: x\r\nX-Api-Key: %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\nConnection: close\r\n\r\n%s",
			line, runKey, len(plainBody), plainBody)
		got, _ := bufio.NewReader(c).ReadString('\n')
		c.Close()
		if !strings.Contains(got, " 404 ") && !strings.Contains(got, " 400 ") {
			t.Errorf("%s: got %q", line, got)
		}
	}
	if n := len(r.requests()); n != 0 {
		t.Errorf("%d requests were sent", n)
	}
}

func TestMeterNeedsTheKey(t *testing.T) {
	r := newRig(t, says(message))
	if a := r.ask(t, plainBody); a.status != 200 {
		t.Fatalf("got %d %s", a.status, a.body)
	}
	r.settled(t)
	get := func(q *http.Request) {
		q.Method, q.URL.Path, q.Body, q.ContentLength = "GET", "/meter", nil, 0
	}
	a := r.ask(t, "", get)
	var m proxy.Meter
	if err := json.Unmarshal([]byte(a.body), &m); err != nil || a.status != 200 || a.header.Get("Content-Type") != "application/json" {
		t.Fatalf("got %d %s %v", a.status, a.body, err)
	}
	if m.Requests != 1 || m.Settled != 1 || m.InputTokens != 10 || m.OutputTokens != 5 || m.CostUSD != (10*6+5*22.5)/1e6 {
		t.Errorf("got %+v", m)
	}
	if strings.Contains(a.body, "hello") || strings.Contains(a.body, fakeToken) {
		t.Errorf("the meter says more than numbers: %s", a.body)
	}
	if a := r.ask(t, "", get, header("X-Api-Key")); a.status != 401 {
		t.Errorf("without the key: %d %s", a.status, a.body)
	}
}

func TestNew(t *testing.T) {
	real := "sk-" + "ant-api03-made-up-for-a-test"
	for _, c := range []struct {
		name   string
		change setup
		want   error
	}{
		{"good", func(*proxy.Options) {}, nil},
		{"real token and host in a sandbox", func(o *proxy.Options) { o.Token, o.Policy.Hosts.Model = token(t, real), "https://api.example.com" }, nil},
		{"real token and host", func(o *proxy.Options) {
			o.Policy.Sandbox, o.Token, o.Policy.Hosts.Model = false, token(t, real), "https://api.example.com"
		}, nil},
		{"no sandbox", func(o *proxy.Options) { o.Policy.Sandbox = false }, tokens.ErrMismatch},
		{"real token to a fake", func(o *proxy.Options) { o.Token = token(t, real) }, tokens.ErrMismatch},
		{"sandbox token to a real host", func(o *proxy.Options) { o.Policy.Hosts.Model = "https://api.example.com" }, tokens.ErrMismatch},
		{"plain http", func(o *proxy.Options) { o.Token, o.Policy.Hosts.Model = token(t, real), "http://api.example.com" }, tokens.ErrHost},
		{"no token", func(o *proxy.Options) { o.Token = tokens.Token{} }, tokens.ErrToken},
		{"no key", func(o *proxy.Options) { o.Key = tokens.Token{} }, proxy.ErrOptions},
		{"short key", func(o *proxy.Options) { o.Key = token(t, "guess-me") }, proxy.ErrOptions},
		{"the token as key", func(o *proxy.Options) { o.Token, o.Key = token(t, "sandbox-"+runKey), token(t, "sandbox-"+runKey) }, proxy.ErrOptions},
		{"disabled", func(o *proxy.Options) { o.Policy.Enabled = false }, proxy.ErrOptions},
		{"no model", func(o *proxy.Options) { o.Policy.Agent.Model = "" }, proxy.ErrOptions},
		{"no requests", func(o *proxy.Options) { o.Policy.Agent.MaxRequests = 0 }, proxy.ErrOptions},
		{"no input tokens", func(o *proxy.Options) { o.Policy.Agent.MaxInputTokens = 0 }, proxy.ErrOptions},
		{"no output tokens", func(o *proxy.Options) { o.Policy.Agent.MaxOutputTokens = -1 }, proxy.ErrOptions},
		{"no money", func(o *proxy.Options) { o.Policy.Agent.MaxUSD = 0 }, proxy.ErrOptions},
		{"no input price", func(o *proxy.Options) { o.Policy.Agent.Price.Input = 0 }, proxy.ErrOptions},
		{"no output price", func(o *proxy.Options) { o.Policy.Agent.Price.Output = -1 }, proxy.ErrOptions},
		{"negative limit", func(o *proxy.Options) { o.Limits.BodyBytes = -1 }, proxy.ErrOptions},
		{"negative time", func(o *proxy.Options) { o.Limits.IdleTime = -1 }, proxy.ErrOptions},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := options(t, "http://127.0.0.1:9")
			c.change(&o)
			_, err := proxy.New(o)
			if !errors.Is(err, c.want) || (c.want == nil) != (err == nil) {
				t.Fatalf("got %v, want %v", err, c.want)
			}
			if err != nil && (strings.Contains(err.Error(), real) || strings.Contains(err.Error(), fakeToken)) {
				t.Errorf("the error quotes the token: %v", err)
			}
		})
	}
}

func TestNewKey(t *testing.T) {
	a, err := proxy.NewKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	b, err := proxy.NewKey(nil)
	if err != nil || a.Equal(b.Reveal()) || len(a.Reveal()) < 40 || a.Sandbox() {
		t.Errorf("got %d and %d characters, %v", len(a.Reveal()), len(b.Reveal()), err)
	}
	if _, err := proxy.NewKey(strings.NewReader("too little")); err == nil {
		t.Error("a key was made of too little randomness")
	}
}
