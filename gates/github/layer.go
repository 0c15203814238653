package github

import (
	"bytes"
	"context"
	"io"
	"mime"
	"net/http"
	"net/url"
	"sync"
	"time"

	"selffix/gates"
	"selffix/internal/strictjson"
	"selffix/internal/tokens"
)

// Bounds of one exchange.
const (
	maxBody    = 8 << 20          // GitHub's largest page of 100 runs has under 3 MiB
	maxSkew    = 2 * time.Minute  // between GitHub's Date and our clock
	tryTimeout = 20 * time.Second // one try, body included
)

// want is what the caller of a request expects of the answer, and what the layer found beside the body. It
// travels in the request's context: a request without one is not sent.
type want struct {
	route  string // for messages: no branch name, no query
	status int
	kind   strictjson.Kind
	page   int  // the page asked for; 0 where there are no pages
	cursor bool // pages are linked by "after" instead of a number

	next  int    // the page that Link names, 0 for none
	last  int    // likewise
	after string // the cursor that Link names
	date  time.Time
}

type wantKey struct{}

// layer is the strict RoundTripper under go-github.
type layer struct {
	next  http.RoundTripper
	base  *url.URL
	repo  string // "/repos/o/r", below base
	id    int64
	token tokens.Token
	now   func() time.Time
	sleep func(context.Context, time.Duration) error

	mu     sync.Mutex
	left   int
	clock  gates.Clock
	counts map[string]int
}

// free are the keys whose values others choose: a deployment's payload, an organisation's properties.
func free() []string { return []string{"payload", "custom_properties"} }

// RoundTrip sends one request of this package and returns only answers that hold every rule.
func (l *layer) RoundTrip(req *http.Request) (*http.Response, error) {
	w, ok := req.Context().Value(wantKey{}).(*want)
	if !ok || req.URL.Scheme != l.base.Scheme || req.URL.Host != l.base.Host {
		return nil, fail("request", ErrConfig, "a request that this package did not build is not sent")
	}
	for try := 0; ; try++ {
		resp, wait, err := l.try(req, w)
		if err == nil {
			return resp, nil
		}
		if req.Method != http.MethodGet || wait < 0 || try == maxRetries {
			return nil, err
		}
		if l.sleep(req.Context(), max(wait, backoff(try))) != nil {
			return nil, err
		}
	}
}

// try makes one exchange. wait is negative where another try is pointless.
func (l *layer) try(req *http.Request, w *want) (_ *http.Response, wait time.Duration, _ error) {
	if err := l.spend(w.route); err != nil {
		return nil, never, err
	}
	ctx, cancel := context.WithTimeout(req.Context(), tryTimeout)
	defer cancel()
	out := req.Clone(ctx)
	out.Header.Set("Authorization", "Bearer "+l.token.Reveal())
	resp, err := l.next.RoundTrip(out)
	if err != nil {
		return nil, again(req.Context()), network(w.route, err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxBody+1))
	if err != nil {
		return nil, again(req.Context()), network(w.route, err)
	}
	if resp.StatusCode != w.status {
		return nil, retryAfter(resp, body), unexpected(w, resp)
	}
	if err := l.check(req, w, resp, body); err != nil {
		return nil, never, err
	}
	return &http.Response{
		Status: resp.Status, StatusCode: resp.StatusCode, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: http.Header{"Content-Type": {"application/json"}}, Body: io.NopCloser(bytes.NewReader(body)),
		ContentLength: int64(len(body)), Request: req,
	}, 0, nil
}

// spend takes one request from the budget. The installation's hourly limit is shared with the review gate,
// which must be able to answer.
func (l *layer) spend(route string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.left <= 0 {
		return fail(route, ErrBudget, "the budget of requests is spent")
	}
	l.left--
	l.counts[route]++
	return nil
}

// check holds an answer of the expected status to the rules, cheapest first.
func (l *layer) check(req *http.Request, w *want, resp *http.Response, body []byte) error {
	if media, _, err := mime.ParseMediaType(resp.Header.Get("Content-Type")); err != nil || media != "application/json" || len(resp.Header["Content-Type"]) != 1 {
		return fail(w.route, ErrType, "expected the content type application/json")
	}
	if resp.Header.Get("Content-Encoding") != "" {
		return fail(w.route, ErrType, "expected no content encoding")
	}
	if len(body) > maxBody {
		return fail(w.route, ErrBody, "the body is longer than %d bytes", maxBody)
	}
	if err := l.date(w, resp.Header["Date"]); err != nil {
		return err
	}
	if err := strictjson.Scan(body, w.kind, free()...); err != nil {
		return malformed(w.route, err)
	}
	return l.link(req, w, resp.Header["Link"])
}

// date demands GitHub's clock: stale answers of a cache carry an old one, and counts are by its day.
func (l *layer) date(w *want, values []string) error {
	if len(values) != 1 {
		return fail(w.route, ErrDate, "expected one Date header, got %d", len(values))
	}
	at, err := http.ParseTime(values[0])
	if err != nil {
		return fail(w.route, ErrDate, "the Date header is not a date")
	}
	if skew := at.Sub(l.now()); skew > maxSkew || skew < -maxSkew {
		return fail(w.route, ErrDate, "the Date header is more than %v away from this machine's clock", maxSkew)
	}
	w.date = at.UTC()
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.clock.First.IsZero() || w.date.Before(l.clock.First) {
		l.clock.First = w.date
	}
	if w.date.After(l.clock.Last) {
		l.clock.Last = w.date
	}
	return nil
}

func unexpected(w *want, resp *http.Response) error {
	switch code := resp.StatusCode; {
	case code == http.StatusNotFound || code == http.StatusGone:
		return fail(w.route, ErrNotFound, "expected status %d, got %d: not there, or not visible to this token", w.status, code)
	case code >= 300 && code < 400 && code != http.StatusNotModified:
		return fail(w.route, ErrRedirect, "expected status %d, got the redirect %d: was the repository renamed or moved?", w.status, code)
	case code == http.StatusTooManyRequests:
		return fail(w.route, ErrLimited, "expected status %d, got %d: too many requests", w.status, code)
	case code == http.StatusForbidden:
		return fail(w.route, ErrStatus, "expected status %d, got %d: refused, by a permission or a rate limit", w.status, code)
	default:
		return fail(w.route, ErrStatus, "expected status %d, got %d", w.status, code)
	}
}
