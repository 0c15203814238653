package ghfake

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// maxBody bounds a request: a push of 64 MiB is far beyond what any scenario sends.
const maxBody = 64 << 20

// Answer is a whole answer, before it is sent and after a [Distortion] worked on it.
type Answer struct {
	Status int
	Header http.Header
	Body   []byte
	Cut    int  // above 0: the connection is reset after so many bytes of the body
	Lost   bool // the connection is reset without an answer
	Hang   bool // half the body is sent, and then nothing until the client gives up

	changed bool // a fault made it another answer than the true one
}

// Request is one line of the log.
type Request struct {
	Method string
	Path   string // as it was asked for
	Query  string
	Route  string // the pattern it matched; "git" routes are [RouteFetch], [RoutePush] and [RouteRefs]
	Login  string // of the token's account; "" without a token
	Status int    // of the answer as sent; 0: it was lost
	Fault  string // name of the distortion that changed the answer
	Body   []byte // of a request that changes something; nil for git
}

// Requests is the log so far, in the order of arrival.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Request(nil), s.log...)
}

// ForgetRequests empties the log.
func (s *Server) ForgetRequests() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.log = nil
}

// ServeHTTP answers one request of the API or of git.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		http.Error(w, "body not readable", http.StatusBadRequest)
		return
	}
	if !s.enter() {
		http.Error(w, "closed", http.StatusServiceUnavailable)
		return
	}
	defer s.busy.Done()
	send(w, r, s.exchange(r, body))
}

// enter counts a request in that Close has to wait for; false once the server is closed.
func (s *Server) enter() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return false
	}
	s.busy.Add(1)
	return true
}

// exchange carries a request out, or what a fault makes of it.
func (s *Server) exchange(r *http.Request, body []byte) Answer {
	r.Body = io.NopCloser(bytes.NewReader(body))
	s.resolveID(r)
	route := s.routeOf(r)
	fault := s.take(route, r.RequestURI, pageOf(r))
	var a Answer
	switch {
	case fault != nil && fault.Instead != nil:
		a = s.shell()
		fault.Instead(&a)
	case isGit(route):
		a = s.git(r, route, body)
	default:
		a = s.rest(r, fault, body)
	}
	struck := ""
	if fault != nil && fault.strike(&a) {
		struck = fault.Name
	}
	s.note(r, route, struck, body, a)
	return a
}

// resolveID turns /repositories/ID/…, which GitHub writes into every Link, into /repos/OWNER/NAME/….
func (s *Server) resolveID(r *http.Request) {
	rest, ok := strings.CutPrefix(r.URL.EscapedPath(), "/repositories/")
	if !ok {
		return
	}
	number, tail, _ := strings.Cut(rest, "/")
	id, err := strconv.ParseInt(number, 10, 64)
	if err != nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	repo := s.st.repoByID(id)
	if repo == nil {
		return
	}
	path := "/repos/" + repo.fullName()
	if tail != "" {
		path += "/" + tail
	}
	if u, err := r.URL.Parse(path); err == nil {
		r.URL.Path, r.URL.RawPath = u.Path, u.RawPath
	}
}

func pageOf(r *http.Request) int {
	n, err := strconv.Atoi(r.URL.Query().Get("page"))
	if err != nil || n < 1 {
		return 1
	}
	return n
}

// shell is an answer with the headers that every answer of the API has.
func (s *Server) shell() Answer {
	h := http.Header{}
	h.Set("Date", s.Clock.Now().Format(http.TimeFormat))
	h.Set("Content-Type", "application/json; charset=utf-8")
	h.Set("X-GitHub-Media-Type", "github.v3; format=json")
	h.Set("Server", "github.com")
	return Answer{Status: http.StatusOK, Header: h}
}

// rest answers a request of the API under the lock, so that every answer is of one moment.
func (s *Server) rest(r *http.Request, fault *armed, body []byte) (a Answer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	a = s.shell()
	c := &call{srv: s, req: r, body: body, fault: fault}
	if fault.lists() && r.Method == http.MethodGet {
		defer s.compare(r, &a)
	}
	if r.Method != http.MethodGet {
		s.change()
	}
	if fault != nil && fault.Stale && s.mark != nil && r.Method == http.MethodGet {
		present := s.st
		s.st = s.mark
		defer func() { s.st = present }()
	}
	out := c.answer()
	a.Header.Set("X-GitHub-Request-Id", fmt.Sprintf("FA4E:%06X", len(s.log)+1))
	s.countRate(c, a.Header)
	for name, values := range out.header {
		a.Header[name] = values
	}
	a.Status, a.Body = out.write()
	return a
}

// countRate writes the rate headers of the token's hour.
func (s *Server) countRate(c *call, h http.Header) {
	s.used[c.secret]++
	used := s.used[c.secret]
	h.Set("X-RateLimit-Limit", strconv.Itoa(s.rate))
	h.Set("X-RateLimit-Remaining", strconv.Itoa(max(0, s.rate-used)))
	h.Set("X-RateLimit-Used", strconv.Itoa(used))
	h.Set("X-RateLimit-Resource", "core")
	h.Set("X-RateLimit-Reset", strconv.FormatInt(s.Clock.Now().Truncate(time.Hour).Add(time.Hour).Unix(), 10))
}

func (s *Server) note(r *http.Request, route, fault string, body []byte, a Answer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := Request{Method: r.Method, Path: r.RequestURI, Query: r.URL.RawQuery, Route: route, Status: a.Status, Fault: fault}
	n.Path, _, _ = strings.Cut(n.Path, "?")
	if a.Lost {
		n.Status = 0
	}
	if t, _, ok := s.credential(r); ok {
		n.Login = t.User.Login
	}
	if r.Method != http.MethodGet && !isGit(route) {
		n.Body = body
	}
	s.log = append(s.log, n)
}

// send writes the answer, or as much of it as a fault leaves.
func send(w http.ResponseWriter, r *http.Request, a Answer) {
	if a.Lost {
		reset(w)
		return
	}
	for name, values := range a.Header {
		w.Header()[name] = values
	}
	w.Header().Set("Content-Length", strconv.Itoa(len(a.Body)))
	if a.Status == http.StatusNoContent || a.Status == http.StatusNotModified {
		w.Header().Del("Content-Length")
		w.WriteHeader(a.Status)
		return
	}
	w.WriteHeader(a.Status)
	switch {
	case a.Hang:
		_, _ = w.Write(a.Body[:len(a.Body)/2])
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
	case a.Cut > 0 && a.Cut < len(a.Body):
		_, _ = w.Write(a.Body[:a.Cut])
		_ = http.NewResponseController(w).Flush()
		reset(w)
	default:
		_, _ = w.Write(a.Body) // the client may be gone: nobody is left to tell
	}
}

// reset drops the connection with a TCP reset rather than an orderly end.
func reset(w http.ResponseWriter) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	if tcp, ok := conn.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0)
	}
	_ = conn.Close()
}
