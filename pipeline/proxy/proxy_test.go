package proxy_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"selffix/internal/tokens"
	"selffix/pipeline/policy"
	"selffix/pipeline/proxy"
)

const (
	model     = "claude-sonnet-5-5"
	fakeToken = "sandbox-model-token"
	// escapedToken is fakeToken as an encoder may write it.
	escapedToken = `\u0073andbox-model\u002Dtoken`

	runKey    = "self-fix-run-key-of-a-test"
	plainBody = `{"model":"claude-sonnet-5-5","max_tokens":100,"messages":[{"role":"user","content":"hi"}]}`
	askStream = `{"model":"claude-sonnet-5-5","max_tokens":100,"stream":true,"messages":[{"role":"user","content":"hi"}]}`
	message   = `{"id":"msg_1","type":"message","role":"assistant","model":"claude-sonnet-5-5","content":[{"type":"text","text":"hello"}],` +
		`"stop_reason":"end_turn","stop_sequence":null,"usage":{"input_tokens":10,"output_tokens":5}}`
)

func token(t testing.TB, s string) tokens.Token {
	t.Helper()
	tok, err := tokens.New(s)
	if err != nil {
		t.Fatal(err)
	}
	return tok
}

// seen is one request that reached the model's host.
type seen struct {
	method, uri string
	header      http.Header
	body        string
}

// rig is a proxy with a client before it and a host behind it.
type rig struct {
	proxy  *proxy.Proxy
	url    string
	hostID string

	mu   sync.Mutex
	seen []seen
}

// setup changes the options of a rig.
type setup func(*proxy.Options)

// newRig starts a host that answers with h, and a proxy before it.
func newRig(t testing.TB, h http.HandlerFunc, changes ...setup) *rig {
	t.Helper()
	r := &rig{}
	host := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		body, _ := io.ReadAll(q.Body)
		r.mu.Lock()
		r.seen = append(r.seen, seen{q.Method, q.RequestURI, q.Header.Clone(), string(body)})
		r.mu.Unlock()
		q.Body = io.NopCloser(bytes.NewReader(body))
		h(w, q)
	}))
	t.Cleanup(host.Close)
	o := options(t, host.URL)
	for _, c := range changes {
		c(&o)
	}
	var err error
	if r.proxy, err = proxy.New(o); err != nil {
		t.Fatal(err)
	}
	front := httptest.NewServer(r.proxy)
	t.Cleanup(front.Close)
	t.Cleanup(host.CloseClientConnections) // or hanging answers would keep both from closing
	r.url, r.hostID = front.URL, host.Listener.Addr().String()
	return r
}

func options(t testing.TB, host string) proxy.Options {
	t.Helper()
	p, err := policy.Load("../../testdata/policy/seed.yaml")
	if err != nil {
		t.Fatal(err)
	}
	p.Sandbox, p.Hosts.Model = true, host
	return proxy.Options{Policy: p, Token: token(t, fakeToken), Key: token(t, runKey)}
}

func (r *rig) requests() []seen {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]seen(nil), r.seen...)
}

// answered is what a client got.
type answered struct {
	status int
	header http.Header
	body   string
	err    error // the body was cut
}

func (a answered) kind() string {
	var e struct {
		Error struct {
			Type string `json:"type"`
		} `json:"error"`
	}
	_ = json.Unmarshal([]byte(a.body), &e)
	return e.Error.Type
}

// ask sends a request with the key and changes to it.
func (r *rig) ask(t testing.TB, body string, changes ...func(*http.Request)) answered {
	t.Helper()
	q, err := http.NewRequestWithContext(t.Context(), http.MethodPost, r.url+"/v1/messages", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	q.Header.Set("Content-Type", "application/json")
	q.Header.Set("X-Api-Key", runKey)
	for _, c := range changes {
		c(q)
	}
	client := http.Client{Timeout: 30 * time.Second, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	a, err := client.Do(q)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Body.Close()
	raw, err := io.ReadAll(a.Body)
	return answered{a.StatusCode, a.Header, string(raw), err}
}

func header(name string, values ...string) func(*http.Request) {
	return func(q *http.Request) { q.Header[http.CanonicalHeaderKey(name)] = values }
}

// says answers with a whole message.
func says(body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, body)
	}
}

// settled waits until no request runs: a client sees the end of an answer before the proxy has counted it.
func (r *rig) settled(t testing.TB) proxy.Meter {
	t.Helper()
	for deadline := time.Now().Add(10 * time.Second); ; time.Sleep(5 * time.Millisecond) {
		m := r.proxy.Meter()
		if m.Running == 0 {
			return m
		}
		if time.Now().After(deadline) {
			t.Fatalf("a request still runs: %+v", m)
		}
	}
}
