package modelfake

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
)

// TokenPrefix begins every key that the fake takes.
const TokenPrefix = "sandbox-"

// The bounds of one request.
const (
	maxRequestBytes = 32 << 20
	oauthBeta       = "oauth-2025-04-20"
)

// ErrOptions is wrapped by New's errors.
var ErrOptions = errors.New("invalid options for the fake model")

// Options are what a fake needs. Key and Script are mandatory.
type Options struct {
	Key       string        // demanded as x-api-key, or as a bearer token with the OAuth beta
	Script    Script        //
	Delay     time.Duration // of FaultSlow before each event; zero is 200 ms
	HugeBytes int64         // of FaultHuge; zero is 64 MiB
}

// Request is one request that was answered with a turn or refused.
type Request struct {
	Method, Path, Query string
	Header              http.Header
	Body                []byte
	Status              int // what was answered
	Turn                int // index of the turn played, -1 if refused
}

// Server answers the Messages API from a script. It is an http.Handler; use Start for a listener of its own.
type Server struct {
	opt Options

	mu       sync.Mutex
	next     int
	requests []Request
}

// New checks the options and returns a server that has played nothing yet.
func New(o Options) (*Server, error) {
	if !strings.HasPrefix(o.Key, TokenPrefix) {
		return nil, fmt.Errorf("%w: its key must begin with %q, so that no real token is ever given to a fake", ErrOptions, TokenPrefix)
	}
	if err := o.Script.Validate(); err != nil {
		return nil, err
	}
	if o.Delay <= 0 {
		o.Delay = 200 * time.Millisecond
	}
	if o.HugeBytes <= 0 {
		o.HugeBytes = 64 << 20
	}
	return &Server{opt: o}, nil
}

// Requests returns what came in so far, in order.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.requests)
}

// Played returns how many turns were played, and how many the script has.
func (s *Server) Played() (played, turns int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.next, len(s.opt.Script.Turns)
}

// ServeHTTP answers one request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxRequestBytes))
	if err != nil {
		s.refuse(w, r, body, apiError{http.StatusRequestEntityTooLarge, "request_too_large", "the body is too large or was cut"})
		return
	}
	if e, ok := s.check(r); !ok {
		s.refuse(w, r, body, e)
		return
	}
	ask, err := parseAsk(body)
	if err != nil {
		s.refuse(w, r, body, apiError{http.StatusBadRequest, "invalid_request_error", err.Error()})
		return
	}
	index, turn, ok := s.take(r, body)
	if !ok {
		s.refuse(w, r, body, apiError{http.StatusBadRequest, "invalid_request_error", "the script has ended"})
		return
	}
	a := answer{opt: s.opt, index: index, turn: turn, ask: ask, w: w, done: r.Context().Done()}
	a.play()
}

// check refuses what the real service would refuse before it reads a body.
func (s *Server) check(r *http.Request) (apiError, bool) {
	switch {
	case r.URL.Path != "/v1/messages":
		return apiError{http.StatusNotFound, "not_found_error", "only /v1/messages is served"}, false
	case r.Method != http.MethodPost:
		return apiError{http.StatusMethodNotAllowed, "invalid_request_error", "only POST is served"}, false
	case !s.authentic(r.Header):
		return apiError{http.StatusUnauthorized, "authentication_error", "invalid x-api-key"}, false
	case r.Header.Get("anthropic-version") == "":
		return apiError{http.StatusBadRequest, "invalid_request_error", "anthropic-version: header is required"}, false
	}
	return apiError{}, true
}

// authentic demands one credential, as the service does: an API key, or a bearer token with the OAuth beta.
func (s *Server) authentic(h http.Header) bool {
	key, bearer := h.Get("x-api-key"), h.Get("Authorization")
	if key != "" && bearer != "" {
		return false
	}
	if key != "" {
		return key == s.opt.Key
	}
	betas := strings.Split(strings.ReplaceAll(h.Get("anthropic-beta"), " ", ""), ",")
	return bearer == "Bearer "+s.opt.Key && slices.Contains(betas, oauthBeta)
}

// take hands out the next turn and records the request that gets it.
func (s *Server) take(r *http.Request, body []byte) (int, Turn, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.next >= len(s.opt.Script.Turns) {
		return 0, Turn{}, false
	}
	index := s.next
	s.next++
	turn := s.opt.Script.Turns[index]
	s.requests = append(s.requests, record(r, body, status(turn.Fault), index))
	return index, turn, true
}

func (s *Server) refuse(w http.ResponseWriter, r *http.Request, body []byte, e apiError) {
	s.mu.Lock()
	s.requests = append(s.requests, record(r, body, e.status, -1))
	s.mu.Unlock()
	e.write(w)
}

func record(r *http.Request, body []byte, status, turn int) Request {
	return Request{
		Method: r.Method, Path: r.URL.Path, Query: r.URL.RawQuery, Header: r.Header.Clone(),
		Body: body, Status: status, Turn: turn,
	}
}

// status is the HTTP status that a turn with the fault begins with.
func status(f Fault) int {
	switch f {
	case FaultRateLimit:
		return http.StatusTooManyRequests
	case FaultOverloaded:
		return 529
	case FaultRedirect:
		return http.StatusTemporaryRedirect
	}
	return http.StatusOK
}

// apiError is the service's form of an error.
type apiError struct {
	status        int
	kind, message string
}

func (e apiError) write(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(e.status)
	_ = json.NewEncoder(w).Encode(map[string]any{ // the client may be gone; there is nobody to tell
		"type":  "error",
		"error": map[string]string{"type": e.kind, "message": e.message},
	})
}

// Running is a fake with a listener of its own on loopback.
type Running struct {
	*Server
	URL  string // "http://127.0.0.1:PORT"
	http *http.Server
}

// Start listens on a free loopback port and serves until Close.
func Start(o Options) (*Running, error) {
	s, err := New(o)
	if err != nil {
		return nil, err
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("listen for the fake model: %w", err)
	}
	r := &Running{Server: s, URL: "http://" + l.Addr().String(), http: &http.Server{Handler: s, ReadHeaderTimeout: 10 * time.Second}}
	go func() { _ = r.http.Serve(l) }() // ends with ErrServerClosed by Close
	return r, nil
}

// Close stops the listener and drops every connection, hanging ones too.
func (r *Running) Close() error { return r.http.Close() }
