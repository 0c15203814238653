package proxy

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"slices"
	"strings"
	"time"

	"selffix/internal/tokens"
	"selffix/pipeline/policy"
)

// The two things that are served.
const (
	messagesPath = "/v1/messages"
	messagesBeta = "/v1/messages?beta=true"
	meterPath    = "/meter"
)

// Proxy is an http.Handler that spends one run's budget. It is safe for concurrent use.
type Proxy struct {
	policy policy.Policy
	token  tokens.Token
	key    tokens.Token
	limits Limits
	host   *host
	budget *budget
}

// New checks the options and makes a proxy that has spent nothing. It makes no request.
func New(o Options) (*Proxy, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	l, err := o.Limits.orDefault()
	if err != nil {
		return nil, err
	}
	return &Proxy{
		policy: o.Policy, token: o.Token, key: o.Key, limits: l,
		host:   newHost(o.Policy.Hosts.Model, o.Roots, l),
		budget: newBudget(o.Policy.Agent),
	}, nil
}

// Meter returns what was spent so far.
func (p *Proxy) Meter() Meter { return p.budget.snapshot() }

// ServeHTTP serves one request. The key is asked for first: nobody without it learns what is served.
func (p *Proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	// A handler without a connection (a test's recorder) cannot set deadlines; it cannot block on them either.
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(p.limits.TotalTime + time.Second))
	if no := p.admit(r); no != nil {
		p.refuse(w, no)
		return
	}
	if r.RequestURI == meterPath {
		p.serveMeter(w)
		return
	}
	ctx, cancel := context.WithTimeoutCause(r.Context(), p.limits.TotalTime, errTotal)
	defer cancel()
	p.serveMessages(ctx, w, r)
}

// admit judges all of a request but its body. RequestURI is compared as it was sent: no cleaning, no
// decoding, no absolute form.
func (p *Proxy) admit(r *http.Request) *refusal {
	switch {
	case !p.authentic(r.Header):
		return refuse(ReasonKey, "this run's key is demanded, once, as a bearer token or x-api-key")
	case r.RequestURI == meterPath && r.Method == http.MethodGet:
		return nil
	case r.RequestURI != messagesPath && r.RequestURI != messagesBeta:
		return refuse(ReasonPath, "only %s is served", messagesPath)
	case r.Method != http.MethodPost:
		return refuse(ReasonMethod, "only POST is served")
	case r.Header.Get("Content-Encoding") != "" || !isType(r.Header, "application/json"):
		return refuse(ReasonHeader, "a body of application/json without a content encoding is demanded")
	}
	return nil
}

// authentic demands the key exactly once.
func (p *Proxy) authentic(h http.Header) bool {
	keys := append([]string(nil), h.Values("X-Api-Key")...)
	for _, v := range h.Values("Authorization") {
		bearer, ok := strings.CutPrefix(v, "Bearer ")
		if !ok {
			return false
		}
		keys = append(keys, bearer)
	}
	return len(keys) == 1 && p.key.Equal(keys[0])
}

func isType(h http.Header, want string) bool {
	got, _, err := mime.ParseMediaType(h.Get("Content-Type"))
	return err == nil && got == want && len(h.Values("Content-Type")) == 1
}

func (p *Proxy) serveMeter(w http.ResponseWriter) {
	raw, err := json.Marshal(p.Meter())
	if err != nil {
		p.refuse(w, refuse(ReasonInternal, "the meter cannot be encoded"))
		return
	}
	answerHeader(w.Header(), nil)
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(append(raw, '\n')) // the client may be gone
}

// serveMessages takes one request from its body to its answer's end.
func (p *Proxy) serveMessages(ctx context.Context, w http.ResponseWriter, r *http.Request) {
	leave, no := p.budget.enter()
	if no != nil {
		p.refuse(w, no)
		return
	}
	defer leave()
	body, no := p.readBody(w, r)
	if no != nil {
		p.refuse(w, no)
		return
	}
	ask, no := parseRequest(body, p.policy.Agent.Model)
	if no != nil {
		p.refuse(w, no)
		return
	}
	betas, dropped := chooseBetas(r.Header, p.policy.Agent.Betas, p.token)
	raw, err := ask.encode(p.limits.MaxTokens, betas, len(body)+1024)
	if err != nil {
		p.refuse(w, refuse(ReasonInternal, "the request cannot be encoded"))
		return
	}
	held, no := p.budget.reserve(ask.inputBound(len(raw)), ask.MaxTokens)
	if no != nil {
		p.refuse(w, no)
		return
	}
	defer held.keep() // unless something below knows better
	p.budget.count(func(m *Meter) { m.DroppedBetas += dropped })
	x := exchange{proxy: p, w: w, held: held, stream: ask.Stream}
	if no := x.run(ctx, raw, newHeader(r.Header, p.token, betas, ask.Stream)); no != nil {
		x.fail(no)
	}
}

func (p *Proxy) readBody(w http.ResponseWriter, r *http.Request) ([]byte, *refusal) {
	control := http.NewResponseController(w)
	_ = control.SetReadDeadline(time.Now().Add(p.limits.BodyTime))
	// net/http goes on reading to see whether the client is there: a deadline left behind would end a long answer.
	defer func() { _ = control.SetReadDeadline(time.Time{}) }()
	var body bytes.Buffer
	if n := r.ContentLength; n > 0 && n <= p.limits.BodyBytes {
		body.Grow(int(n) + bytes.MinRead)
	}
	_, err := io.Copy(&body, http.MaxBytesReader(w, r.Body, p.limits.BodyBytes))
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge):
		return nil, refuse(ReasonSize, "the body is larger than %d bytes", p.limits.BodyBytes)
	case err != nil:
		return nil, refuse(ReasonSlow, "the body did not come whole within %v", p.limits.BodyTime)
	}
	return body.Bytes(), nil
}

// refuse answers before anything else was written.
func (p *Proxy) refuse(w http.ResponseWriter, no *refusal) {
	p.budget.count(func(m *Meter) { m.Refusals[no.reason]++ })
	status, _ := no.status()
	answerHeader(w.Header(), nil)
	w.Header().Set("Content-Type", "application/json")
	if no.reason == ReasonRunning {
		w.Header().Set("Retry-After", "1")
	}
	if slices.Contains([]Reason{ReasonKey, ReasonSize, ReasonSlow, ReasonRunning}, no.reason) {
		w.Header().Set("Connection", "close") // do not read on what a stranger sends
	}
	w.WriteHeader(status)
	_, _ = w.Write(no.body()) // the client may be gone
}
