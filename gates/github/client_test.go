package github

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"selffix/internal/tokens"
	"selffix/pipeline/policy"
)

const (
	testHost = "http://127.0.0.1:1" // nothing listens: every answer comes from a transport in the test
	testID   = 77
	canary   = "C4N4RY"
)

var testNow = time.Date(2026, 3, 10, 12, 0, 0, 0, time.UTC)

// answer is one canned answer.
type answer struct {
	status int
	header http.Header
	body   string
	err    error // of the connection, instead of an answer
	cut    bool  // the body ends with an error
}

func ok(body string) answer { return answer{status: 200, body: body} }

func (a answer) with(name string, values ...string) answer {
	h := a.header.Clone()
	if h == nil {
		h = http.Header{}
	}
	h[name] = values
	a.header = h
	return a
}

func (a answer) response(req *http.Request) (*http.Response, error) {
	if a.err != nil {
		return nil, a.err
	}
	h := http.Header{"Content-Type": {"application/json; charset=utf-8"}, "Date": {testNow.Format(http.TimeFormat)}}
	for name, values := range a.header {
		h[name] = values
		if len(values) == 0 {
			delete(h, name)
		}
	}
	var body io.Reader = strings.NewReader(a.body)
	if a.cut {
		body = io.MultiReader(body, errReader{})
	}
	return &http.Response{StatusCode: a.status, Status: fmt.Sprint(a.status), Header: h, Body: io.NopCloser(body), Request: req}, nil
}

type errReader struct{}

func (errReader) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }

// server is a transport that answers from a function and remembers what was asked.
type server struct {
	answer func(n int, req *http.Request) answer
	asked  []string
	bodies []string
	auth   []string
}

func (s *server) RoundTrip(req *http.Request) (*http.Response, error) {
	s.asked = append(s.asked, req.Method+" "+req.URL.RequestURI())
	s.auth = append(s.auth, req.Header.Get("Authorization"))
	body := ""
	if req.Body != nil {
		raw, _ := io.ReadAll(req.Body)
		body = string(raw)
	}
	s.bodies = append(s.bodies, body)
	return s.answer(len(s.asked), req).response(req)
}

// always answers the same.
func always(a answer) *server { return &server{answer: func(int, *http.Request) answer { return a }} }

// inOrder answers one after the other, and the last one for ever.
func inOrder(as ...answer) *server {
	return &server{answer: func(n int, _ *http.Request) answer { return as[min(n, len(as))-1] }}
}

// paths answers by path and query, and 404 to all else.
func paths(m map[string]answer) *server {
	return &server{answer: func(_ int, req *http.Request) answer {
		if a, found := m[req.URL.RequestURI()]; found {
			return a
		}
		return answer{status: 404, body: `{"message":"Not Found"}`}
	}}
}

func testToken(t testing.TB) tokens.Token {
	t.Helper()
	tok, err := tokens.New("sandbox-" + "read-token")
	if err != nil {
		t.Fatal(err)
	}
	return tok
}

func testOptions(t testing.TB, s http.RoundTripper) Options {
	t.Helper()
	p, err := policy.Load("../../testdata/policy/seed.yaml")
	if err != nil {
		t.Fatal(err)
	}
	p.Sandbox, p.Hosts.GitHubAPI = true, testHost
	return Options{
		Policy: p, Token: testToken(t), Repository: "o/r", RepositoryID: testID, Transport: s,
		Now: func() time.Time { return testNow }, Sleep: func(context.Context, time.Duration) error { return nil },
	}
}

func testClient(t testing.TB, s http.RoundTripper) *Client {
	t.Helper()
	c, err := New(testOptions(t, s))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// Every way in which go-github takes something for "no results", and more: none reaches it.
func TestAnswersRefused(t *testing.T) {
	long := `[{"x":"` + strings.Repeat("a", maxBody) + `"}]`
	tests := []struct {
		name string
		a    answer
		want error
	}{
		{"empty body", ok(""), ErrBody},
		{"blank body", ok(" \n"), ErrBody},
		{"null", ok("null"), ErrBody},
		{"object for an array", ok("{}"), ErrBody},
		{"error text with 200", ok(`{"message":"` + canary + `"}`), ErrBody},
		{"string", ok(`"` + canary + `"`), ErrBody},
		{"HTML with 200", ok("<html>" + canary), ErrBody},
		{"junk after", ok("[]" + canary), ErrBody},
		{"two values", ok("[] []"), ErrBody},
		{"null element", ok("[null]"), ErrBody},
		{"duplicate key", ok(`[{"` + canary + `":1,"a":1,"a":2}]`), ErrBody},
		{"key in other case", ok(`[{"Number":1}]`), ErrBody},
		{"cut JSON", ok(`[{"number":`), ErrBody},
		{"too long", ok(long), ErrBody},
		{"field of another type", ok(`[{"number":"` + canary + `"}]`), ErrBody},
		{"number with a fraction", ok(`[{"number":1.5}]`), ErrBody},
		{"field missing", ok(`[{"number":1}]`), ErrField},
		{"time as a number", ok(`[{"number":1,"created_at":0}]`), ErrBody},
		{"201", answer{status: 201, body: "[]"}, ErrStatus},
		{"202", answer{status: 202, body: "[]"}, ErrStatus},
		{"204", answer{status: 204}, ErrStatus},
		{"206", answer{status: 206, body: "[]"}, ErrStatus},
		{"301", answer{status: 301, body: "[]"}.with("Location", "/repos/x/y/pulls"), ErrRedirect},
		{"302 to another host", answer{status: 302}.with("Location", "https://evil.example/"), ErrRedirect},
		{"307", answer{status: 307}.with("Location", "/repositories/1/pulls"), ErrRedirect},
		{"304", answer{status: 304}, ErrStatus},
		{"400", answer{status: 400, body: canary}, ErrStatus},
		{"401", answer{status: 401, body: canary}, ErrStatus},
		{"403", answer{status: 403, body: canary}, ErrStatus},
		{"404", answer{status: 404, body: canary}, ErrNotFound},
		{"409", answer{status: 409, body: canary}, ErrStatus},
		{"422", answer{status: 422, body: canary}, ErrStatus},
		{"429", answer{status: 429, body: canary}, ErrLimited},
		{"500", answer{status: 500, body: canary}, ErrStatus},
		{"content type HTML", ok("[]").with("Content-Type", "text/html"), ErrType},
		{"content type missing", ok("[]").with("Content-Type"), ErrType},
		{"content type twice", ok("[]").with("Content-Type", "application/json", "text/html"), ErrType},
		{"content encoding", ok("[]").with("Content-Encoding", "br"), ErrType},
		{"no date", ok("[]").with("Date"), ErrDate},
		{"two dates", ok("[]").with("Date", testNow.Format(http.TimeFormat), testNow.Format(http.TimeFormat)), ErrDate},
		{"date in words", ok("[]").with("Date", canary), ErrDate},
		{"date behind", ok("[]").with("Date", testNow.Add(-maxSkew-time.Second).Format(http.TimeFormat)), ErrDate},
		{"date ahead", ok("[]").with("Date", testNow.Add(maxSkew+time.Second).Format(http.TimeFormat)), ErrDate},
		{"connection refused", answer{err: errors.New("dial " + canary)}, ErrNetwork},
		{"no HTTP", answer{err: fmt.Errorf("malformed HTTP response %q", canary)}, ErrNetwork},
		{"cut body", answer{status: 200, body: "[", cut: true}, ErrNetwork},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := testClient(t, always(tt.a)).openPulls(t.Context())
			if !errors.Is(err, tt.want) || got != nil {
				t.Fatalf("got %v, %v; want %v", got, err, tt.want)
			}
			var e *Error
			if !errors.As(err, &e) || !strings.HasPrefix(e.Route, "GET /repos/o/r/pulls") {
				t.Errorf("the error does not name the request: %v", err)
			}
			if s := err.Error(); strings.Contains(s, canary) || strings.Contains(s, "sandbox-") || strings.Contains(s, "evil") {
				t.Errorf("the error shows what the server or the token said: %s", s)
			}
		})
	}
	for name, a := range map[string]answer{
		"plain":        ok("[]"),
		"date at edge": ok("[]").with("Date", testNow.Add(-maxSkew).Format(http.TimeFormat)),
		"vendor keys":  ok(" [] \n"),
	} {
		if _, err := testClient(t, always(a)).openPulls(t.Context()); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestRetries(t *testing.T) {
	good := ok("[]")
	limited := func(after string) answer { return answer{status: 429}.with("Retry-After", after) }
	tests := []struct {
		name   string
		as     []answer
		asked  int
		slept  []time.Duration
		passes bool
	}{
		{"500 then good", []answer{{status: 500}, good}, 2, []time.Duration{time.Second}, true},
		{"two 503 then good", []answer{{status: 503}, {status: 503}, good}, 3, []time.Duration{time.Second, 2 * time.Second}, true},
		{"three 500", []answer{{status: 500}, {status: 500}, {status: 500}, good}, 3, []time.Duration{time.Second, 2 * time.Second}, false},
		{"connection then good", []answer{{err: io.EOF}, good}, 2, []time.Duration{time.Second}, true},
		{"cut body then good", []answer{{status: 200, body: "[", cut: true}, good}, 2, []time.Duration{time.Second}, true},
		{"Retry-After", []answer{limited("7"), good}, 2, []time.Duration{7 * time.Second}, true},
		{"Retry-After at the bound", []answer{limited("20"), good}, 2, []time.Duration{20 * time.Second}, true},
		{"Retry-After 0", []answer{limited("0"), good}, 2, []time.Duration{time.Second}, true},
		{"Retry-After too long", []answer{limited("21"), good}, 1, nil, false},
		{"Retry-After a date", []answer{limited("Fri, 31 Dec 2100 23:59:59 GMT"), good}, 1, nil, false},
		{"Retry-After negative", []answer{limited("-1"), good}, 1, nil, false},
		{"429 without", []answer{{status: 429}, good}, 2, []time.Duration{time.Second}, true},
		{"403 with Retry-After", []answer{answer{status: 403}.with("Retry-After", "3"), good}, 2, []time.Duration{3 * time.Second}, true},
		{"403 secondary, in words", []answer{{status: 403, body: `{"message":"secondary Rate Limit"}`}, good}, 2, []time.Duration{time.Second}, true},
		{"403 permission", []answer{{status: 403, body: `{"message":"Resource not accessible"}`}, good}, 1, nil, false},
		{"404", []answer{{status: 404}, good}, 1, nil, false},
		{"malformed is not asked again", []answer{ok("{}"), good}, 1, nil, false},
		{"redirect is not followed", []answer{answer{status: 301}.with("Location", "/x"), good}, 1, nil, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := inOrder(tt.as...)
			o := testOptions(t, s)
			var slept []time.Duration
			o.Sleep = func(_ context.Context, d time.Duration) error { slept = append(slept, d); return nil }
			c, err := New(o)
			if err != nil {
				t.Fatal(err)
			}
			_, err = c.openPulls(t.Context())
			if (err == nil) != tt.passes || len(s.asked) != tt.asked || fmt.Sprint(slept) != fmt.Sprint(tt.slept) {
				t.Errorf("err %v, asked %d, slept %v; want passes %v, %d, %v", err, len(s.asked), slept, tt.passes, tt.asked, tt.slept)
			}
			if c.Requests() != len(s.asked) {
				t.Errorf("counted %d of %d requests", c.Requests(), len(s.asked))
			}
		})
	}
}

func TestPostsAreNeverRepeated(t *testing.T) {
	for _, a := range []answer{{status: 500}, {status: 429}, {err: io.EOF}, {status: 200, body: "{}"}, {status: 201, body: "{}"}} {
		s := always(a)
		c := testClient(t, s)
		_, err := c.PostReview(t.Context(), strings.Repeat("a", 40), Success, c.policyForTest(t))
		if err == nil || len(s.asked) != 1 {
			t.Errorf("%+v: err %v after %d requests", a, err, len(s.asked))
		}
	}
}

func (c *Client) policyForTest(t *testing.T) policy.Policy { return testOptions(t, nil).Policy }

func TestBudgetAndTime(t *testing.T) {
	s := always(answer{status: 500})
	o := testOptions(t, s)
	o.Budget = 2
	c, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.openPulls(t.Context()); !errors.Is(err, ErrBudget) || len(s.asked) != 2 {
		t.Errorf("got %v after %d requests, want the budget's end after 2", err, len(s.asked))
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	s = always(answer{err: context.Canceled})
	if _, err := testClient(t, s).openPulls(ctx); !errors.Is(err, ErrNetwork) || len(s.asked) > 1 {
		t.Errorf("cancelled: %v after %d requests", err, len(s.asked))
	}
}

func TestNewRefuses(t *testing.T) {
	real, err := tokens.New("ghs_" + strings.Repeat("x", 36))
	if err != nil {
		t.Fatal(err)
	}
	for name, edit := range map[string]func(*Options){
		"real token to loopback":     func(o *Options) { o.Token = real },
		"sandbox token to real host": func(o *Options) { o.Policy.Hosts.GitHubAPI = "https://api.github.com" },
		"loopback outside a sandbox": func(o *Options) { o.Policy.Sandbox = false },
		"no token":                   func(o *Options) { o.Token = tokens.Token{} },
		"plain http":                 func(o *Options) { o.Token, o.Policy.Hosts.GitHubAPI = real, "http://api.github.com" },
		"no repository id":           func(o *Options) { o.RepositoryID = 0 },
		"repository with a path":     func(o *Options) { o.Repository = "o/r/../x" },
		"repository of dots":         func(o *Options) { o.Repository = "o/.." },
		"repository with a query":    func(o *Options) { o.Repository = "o/r?x" },
	} {
		s := always(ok("[]"))
		o := testOptions(t, s)
		edit(&o)
		if _, err := New(o); err == nil || len(s.asked) > 0 {
			t.Errorf("%s: %v, %d requests", name, err, len(s.asked))
		}
	}
}

func TestOnlyOwnRequestsAreSent(t *testing.T) {
	s := always(ok("[]"))
	c := testClient(t, s)
	for _, raw := range []string{"https://evil.example/repos/o/r/pulls", testHost + "/repos/o/r/pulls"} {
		req, err := http.NewRequest(http.MethodGet, raw, nil)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(raw, "evil") {
			req = req.WithContext(context.WithValue(t.Context(), wantKey{}, &want{route: "x", status: 200, kind: '['}))
		}
		if _, err := c.layer.RoundTrip(req); !errors.Is(err, ErrConfig) || len(s.asked) > 0 {
			t.Errorf("%s: %v", raw, err)
		}
	}
	if _, err := c.Ref(t.Context(), "a b/x..y/c?d#e"); err == nil || !strings.HasPrefix(s.asked[0], "GET /repos/o/r/git/ref/heads/a%20b/") || strings.Contains(s.asked[0], "?") {
		t.Errorf("branch name in the path: %v %v", s.asked, err)
	}
	if _, err := url.Parse(s.asked[0][4:]); err != nil {
		t.Error(err)
	}
}
