package proxy_test

import (
	"compress/gzip"
	"crypto/x509"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"selffix/pipeline/proxy"
)

// short makes every limit of time small, so that a host which never ends is cut soon. Nothing is measured: a test
// that hung would end by its client's time limit.
func short(o *proxy.Options) {
	o.Limits.HeaderTime, o.Limits.IdleTime, o.Limits.TotalTime = 300*time.Millisecond, 300*time.Millisecond, 2*time.Second
}

func hang(q *http.Request) { <-q.Context().Done() }

func TestBadHosts(t *testing.T) {
	abort := func() { panic(http.ErrAbortHandler) }
	for _, c := range []struct {
		name   string
		host   http.HandlerFunc
		body   string
		reason proxy.Reason
		kept   int
	}{
		{"never answers", func(_ http.ResponseWriter, q *http.Request) { hang(q) }, plainBody, proxy.ReasonSilence, 1},
		{"closes without an answer", func(http.ResponseWriter, *http.Request) { abort() }, plainBody, proxy.ReasonHost, 1},
		{"is silent within a stream", func(w http.ResponseWriter, q *http.Request) {
			streams(goodEvents()[:4]...)(w, q)
			hang(q)
		}, askStream, proxy.ReasonSilence, 1},
		{"is silent within a message", func(w http.ResponseWriter, q *http.Request) {
			says(message[:20])(w, q)
			w.(http.Flusher).Flush()
			hang(q)
		}, plainBody, proxy.ReasonSilence, 1},
		{"pings for ever", func(w http.ResponseWriter, q *http.Request) {
			streams(goodEvents()[:4]...)(w, q)
			for q.Context().Err() == nil {
				streams(goodEvents()[1])(w, q)
				time.Sleep(10 * time.Millisecond)
			}
		}, askStream, proxy.ReasonSilence, 1},
		{"drips a message", func(w http.ResponseWriter, q *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			for q.Context().Err() == nil {
				_, _ = io.WriteString(w, " ")
				w.(http.Flusher).Flush()
				time.Sleep(10 * time.Millisecond)
			}
		}, plainBody, proxy.ReasonSilence, 1},
		{"cuts a message", func(w http.ResponseWriter, q *http.Request) {
			w.Header().Set("Content-Length", "500")
			says(message)(w, q)
		}, plainBody, proxy.ReasonCut, 1},
		{"cuts a stream", func(w http.ResponseWriter, q *http.Request) {
			streams(goodEvents()[:4]...)(w, q)
			abort()
		}, askStream, proxy.ReasonCut, 1},
		{"sends a page", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			_, _ = io.WriteString(w, message)
		}, plainBody, proxy.ReasonAnswer, 1},
		{"sends a message for a stream", says(message), askStream, proxy.ReasonAnswer, 1},
		{"sends a stream for a message", streams(goodEvents()...), plainBody, proxy.ReasonAnswer, 1},
		{"sends no content type", func(w http.ResponseWriter, q *http.Request) {
			w.Header()["Content-Type"] = nil
			_, _ = io.WriteString(w, message)
		}, plainBody, proxy.ReasonAnswer, 1},
		{"compresses", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			w.Header().Set("Content-Encoding", "gzip")
			z := gzip.NewWriter(w)
			_, _ = io.WriteString(z, message)
			_ = z.Close()
		}, plainBody, proxy.ReasonAnswer, 1},
		{"sends no JSON", says("hello"), plainBody, proxy.ReasonAnswer, 1},
		{"sends an error as 200", says(`{"type":"error","error":{"type":"x"}}`), plainBody, proxy.ReasonAnswer, 1},
		{"sends a block of the service", says(strings.Replace(message, `"type":"text"`, `"type":"server_tool_use"`, 1)), plainBody, proxy.ReasonAnswer, 1},
		{"answers as another model", says(strings.Replace(message, model, "claude-opus-5", 1)), plainBody, proxy.ReasonAnother, 1},
		{"sends the token", says(strings.Replace(message, "hello", fakeToken, 1)), plainBody, proxy.ReasonLeak, 1},
		{"sends the token as model", says(strings.Replace(message, model, fakeToken, 1)), plainBody, proxy.ReasonLeak, 1},
		{"sends the token escaped", says(strings.Replace(message, "hello", escapedToken, 1)), plainBody, proxy.ReasonLeak, 1},
		{"sends the token in a tool's input", says(strings.Replace(message, "hello", strings.Replace(escapedToken, `\`, `\\`, 1), 1)), plainBody, proxy.ReasonLeak, 1},
		{"sends a second usage", says(strings.Replace(message, `"usage":`, `"usage":{"input_tokens":1,"output_tokens":1},"usage":`, 1)), plainBody, proxy.ReasonAnswer, 1},
		{"sends a usage in capitals", says(strings.Replace(message, `"output_tokens":5`, `"output_tokens":900,"Output_Tokens":1`, 1)), plainBody, proxy.ReasonAnswer, 1},
		{"sends too much", says(message + strings.Repeat(" ", 500_000)), plainBody, proxy.ReasonTooLong, 1},
		{"redirects", func(w http.ResponseWriter, q *http.Request) {
			http.Redirect(w, q, "/v1/elsewhere", http.StatusTemporaryRedirect)
		}, plainBody, proxy.ReasonHost, 1},
		{"redirects for good", func(w http.ResponseWriter, q *http.Request) {
			http.Redirect(w, q, "http://example.com/", http.StatusPermanentRedirect)
		}, plainBody, proxy.ReasonHost, 1},
		{"answers 204", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(204) }, plainBody, proxy.ReasonHost, 1},
		{"answers 201", func(w http.ResponseWriter, q *http.Request) { w.WriteHeader(201); says(message)(w, q) }, plainBody, proxy.ReasonHost, 1},
		{"has endless headers", func(w http.ResponseWriter, q *http.Request) {
			w.Header().Set("X-Long", strings.Repeat("x", 200_000))
			says(message)(w, q)
		}, plainBody, proxy.ReasonHost, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newRig(t, c.host, short, func(o *proxy.Options) { o.Limits.AnswerBytes = 400_000 })
			a := r.ask(t, c.body)
			m := r.settled(t)
			if m.Requests != 1 || m.Kept != c.kept || m.Settled != 0 || m.Refusals[c.reason] != 1 || len(m.Refusals) != 1 {
				t.Errorf("meter %+v", m)
			}
			if m.Kept == 1 && m.CostUSD < 100*22.5/1e6 {
				t.Errorf("the reservation was not kept: %+v", m)
			}
			if n := len(r.requests()); n != 1 {
				t.Errorf("%d requests reached the host", n)
			}
			if strings.Contains(a.body, fakeToken) {
				t.Error("the token came through")
			}
			if a.status == 200 && !strings.Contains(a.body, "event: error\ndata: ") || a.status != 200 && (a.status != 502 || a.kind() != "api_error") {
				t.Errorf("got %d %.300q", a.status, a.body)
			}
		})
	}
}

func TestHostThatIsNotThere(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr := l.Addr().String()
	l.Close()
	r := newRig(t, says(message), func(o *proxy.Options) { o.Policy.Hosts.Model = "http://" + addr })
	if a := r.ask(t, plainBody); a.status != 502 || strings.Contains(a.body, addr) {
		t.Errorf("got %d %s", a.status, a.body)
	}
	if m := r.settled(t); m.Refusals[proxy.ReasonHost] != 1 || m.Kept != 0 || m.CostUSD != 0 {
		t.Errorf("nothing was sent, so nothing may be counted: %+v", m)
	}
}

// The proxy speaks TLS to the host and accepts no certificate that it does not know.
func TestTLS(t *testing.T) {
	host := httptest.NewTLSServer(says(message))
	defer host.Close()
	known := x509.NewCertPool()
	known.AddCert(host.Certificate())
	for _, c := range []struct {
		name  string
		roots *x509.CertPool
		want  int
	}{{"known", known, 200}, {"unknown", nil, 502}} {
		t.Run(c.name, func(t *testing.T) {
			r := newRig(t, says(message), func(o *proxy.Options) { o.Policy.Hosts.Model, o.Roots = host.URL, c.roots })
			if a := r.ask(t, plainBody); a.status != c.want {
				t.Errorf("got %d %s", a.status, a.body)
			}
		})
	}
}

// HTTPS_PROXY and its like would see the token, or at least the host's name.
func TestNoProxyFromTheEnvironment(t *testing.T) {
	trap := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("the environment's proxy was asked") }))
	defer trap.Close()
	for _, name := range []string{"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"} {
		t.Setenv(name, trap.URL)
	}
	r := newRig(t, says(message))
	if a := r.ask(t, plainBody); a.status != 200 {
		t.Errorf("got %d %s", a.status, a.body)
	}
}

func TestErrorsOfTheHost(t *testing.T) {
	answers := func(status int, body string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", "3")
			w.Header().Set("Request-Id", "req_1")
			w.Header().Set("Set-Cookie", "a=b")
			w.WriteHeader(status)
			_, _ = io.WriteString(w, body)
		}
	}
	said := `{"type":"error","error":{"type":"rate_limit_error","message":"slow down"},"request_id":"req_1"}`
	for _, c := range []struct {
		name, body string
		status     int
		want       string
	}{
		{"429", said, 429, "slow down"},
		{"529", strings.Replace(said, "rate_limit", "overloaded", 1), 529, "slow down"},
		{"500", said, 500, "slow down"},
		{"400", said, 400, "slow down"},
		{"401", said, 401, "slow down"},
		{"a page", "<html>", 502, "gave no reason"},
		{"empty", "", 503, "gave no reason"},
		{"408", said, 408, "slow down"},
		{"503", said, 503, "slow down"},
		{"504", said, 504, "slow down"},
		{"the token", strings.Replace(said, "slow down", fakeToken, 1), 401, "gave no reason"},
		{"the token escaped", strings.Replace(said, "slow down", escapedToken, 1), 401, "gave no reason"},
		{"the token escaped twice", strings.Replace(said, "slow down", strings.Replace(escapedToken, `\`, `\\`, 1), 1), 401, "gave no reason"},
		{"the token as type", strings.Replace(said, "rate_limit_error", escapedToken, 1), 401, "gave no reason"},
		{"endless", `{"type":"error","error":{"type":"x","message":"` + strings.Repeat("x", 1<<20) + `"}}`, 400, "gave no reason"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newRig(t, answers(c.status, c.body))
			a := r.ask(t, askStream)
			if a.status != c.status || a.kind() == "" || !strings.Contains(a.body, c.want) || strings.Contains(a.body, fakeToken) {
				t.Errorf("got %d %.300s", a.status, a.body)
			}
			if a.header.Get("Retry-After") != "3" || a.header.Get("Request-Id") != "req_1" || a.header.Get("Set-Cookie") != "" {
				t.Errorf("header %v", a.header)
			}
			// The host may have worked on what ended with 408 or in a fault of its own; nothing says what it took.
			kept := 0
			if slices.Contains([]int{408, 500, 502, 503, 504}, c.status) {
				kept = 1
			}
			if m := r.settled(t); (m.CostUSD > 0) != (kept == 1) || m.Kept != kept || m.Statuses[c.status] != 1 || m.Requests != 1 {
				t.Errorf("meter %+v", m)
			}
		})
	}
}

// An answer may take longer than a body may take to come.
func TestLongAnswer(t *testing.T) {
	r := newRig(t, func(w http.ResponseWriter, q *http.Request) {
		streams(goodEvents()[:4]...)(w, q)
		time.Sleep(500 * time.Millisecond)
		streams(goodEvents()[4:]...)(w, q)
	}, func(o *proxy.Options) { o.Limits.BodyTime = 100 * time.Millisecond })
	a := r.ask(t, askStream)
	if m := r.settled(t); m.Settled != 1 {
		t.Errorf("got %d %s, meter %+v", a.status, a.body, m)
	}
}

func TestSlowBody(t *testing.T) {
	r := newRig(t, says(message), func(o *proxy.Options) { o.Limits.BodyTime = 200 * time.Millisecond })
	slow, body := io.Pipe()
	defer body.Close()
	a := r.ask(t, plainBody, func(q *http.Request) { q.Body, q.ContentLength = slow, 100 })
	if a.status != 400 || r.proxy.Meter().Refusals[proxy.ReasonSlow] != 1 || len(r.requests()) != 0 {
		t.Errorf("got %d %s", a.status, a.body)
	}
}
