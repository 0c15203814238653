package ghfake

import (
	"bytes"
	"encoding/json"
	"net/http"
	"reflect"
)

// Fault says which answers go wrong, and how.
type Fault struct {
	Route  string // a pattern as in [Request.Route]; "": any
	Target string // exactly this path and query; "": any
	Page   int    // of a listing; 0: any
	Call   int    // 1: only the first request that matches the above, 2: only the second, …; 0: every one
	From   int    // 2: the second that matches and every later one; 0: from the first
	Distortion
}

// Distortion is one way for an answer to go wrong. The zero value leaves it as it is.
type Distortion struct {
	Name    string
	Instead func(*Answer)                     // answers in the request's place: nothing is carried out
	Other   func(page int) int                // answers another page than the one asked for
	Items   func(page int, items []any) []any // changes a listing before it is cut into pages
	Total   func(total int) int               // changes total_count
	Stale   bool                              // answers from the copy that [Server.Mark] took
	After   func(*Answer)                     // changes the answer; what the request does has happened
}

type armed struct {
	Fault
	seen int
}

// lists reports whether the fault works while the answer is made, on what it lists.
func (f *armed) lists() bool {
	return f != nil && (f.Items != nil || f.Total != nil || f.Other != nil || f.Stale)
}

// strike lets the fault work on a finished answer and reports whether the answer is another one now than the true one.
func (f *armed) strike(a *Answer) bool {
	if f.After == nil {
		return a.changed || f.Instead != nil
	}
	before := *a
	before.Header = a.Header.Clone()
	f.After(a)
	return a.changed || f.Instead != nil || !sameAnswer(before, *a)
}

func sameAnswer(a, b Answer) bool {
	return a.Status == b.Status && a.Cut == b.Cut && a.Lost == b.Lost && a.Hang == b.Hang && bytes.Equal(a.Body, b.Body) && reflect.DeepEqual(a.Header, b.Header)
}

// compare notes whether a fault of a listing changed anything: a list of one item reversed is the truth. The lock is held.
func (s *Server) compare(r *http.Request, a *Answer) {
	lags := map[*repoState]int{}
	for _, repo := range s.st.Repos {
		lags[repo] = repo.PullLag
	}
	truth := (&call{srv: s, req: r}).answer()
	for repo, lag := range lags {
		repo.PullLag = lag
	}
	status, body := truth.write()
	a.changed = status != a.Status || !bytes.Equal(body, a.Body) || truth.header.Get("Link") != a.Header.Get("Link")
}

// Inject adds a fault. Several may be active; the first that matches a request works on it.
func (s *Server) Inject(f ...Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, one := range f {
		s.faults = append(s.faults, &armed{Fault: one})
	}
}

// ClearFaults takes every fault away.
func (s *Server) ClearFaults() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults = nil
}

// take finds the fault for a request. Every fault counts every request that it could match.
func (s *Server) take(route, target string, page int) *armed {
	s.mu.Lock()
	defer s.mu.Unlock()
	var hit *armed
	for _, f := range s.faults {
		if differs(f.Route, route) || differs(f.Target, target) || (f.Page != 0 && f.Page != page) {
			continue
		}
		f.seen++
		if hit == nil && (f.Call == 0 || f.Call == f.seen) && f.seen >= f.From {
			hit = f
		}
	}
	return hit
}

// Rewrite is an After that changes the decoded JSON of an answer. A body that is no JSON is left alone.
func Rewrite(f func(any) any) func(*Answer) {
	return func(a *Answer) {
		var v any
		if json.Unmarshal(a.Body, &v) != nil {
			return
		}
		if raw, err := json.Marshal(f(v)); err == nil {
			a.Body = raw
		}
	}
}
