package github_test

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"slices"
	"testing"

	"selffix/internal/ghfake"
)

// How many single faults are tried in a scene in which nothing may be done, thinned out by a fixed seed, and for how many of those
// there is a pair. Scenes that are tried whole, or less because each evaluation reads many pages, say so. Where the truth allows it, every
// single fault is tried.
const (
	usual = 150
	few   = 50
	whole = 1 << 20

	perPair   = 5
	mostPairs = 100
)

// property is what must hold of an evaluation whatever goes wrong with any answer.
type property struct {
	server *ghfake.Server
	// evaluate answers what was done that a false answer must not lead to, or "".
	evaluate func() string
	// allowed says that the truth allows it. Then it is wrong only where an answer stayed broken for good; an answer that was
	// broken once and read again, or that said less than the truth and was made up for by another source, may lead there.
	allowed bool
	tried   int // single faults; 0 is usual
	reads   *memo
}

func (p *property) hold(t *testing.T) {
	t.Helper()
	start := p.server.Checkpoint()
	asked, did := p.trace(t, start)
	if p.allowed != (did != "") {
		t.Fatalf("the evaluation without a fault did %q, which is not what the scene says", did)
	}
	all := p.singles(asked)
	random := rand.New(rand.NewPCG(1, uint64(len(all))))
	random.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	most := min(len(all), cmp.Or(p.tried, usual))
	if p.allowed {
		most = len(all) // every single fault at every request
	}
	var tried []single
	struck := 0
	for _, f := range all {
		if len(tried) < most && p.changes(t, start, f) {
			tried = append(tried, f)
			struck += p.attempt(t, start, f)
		}
	}
	if struck < len(tried)*9/10 || len(tried) < min(most, len(asked)*10) {
		t.Errorf("%d of %d faults struck, of %d: the evaluation does not ask the same twice", struck, len(tried), len(all))
	}
	for range min(mostPairs, len(tried)/perPair) {
		a, b := tried[random.IntN(len(tried))], tried[random.IntN(len(tried))]
		if a.fault.Target != b.fault.Target { // else only the first of them would strike
			struck += p.attempt(t, start, a, b)
		}
	}
	t.Logf("%d requests, %d of %d single faults, %d evaluations with a fault that struck", len(asked), len(tried), len(all), struck)
}

// place is a request of the evaluation: its address, and the how-manieth with that address it is.
type place struct {
	method, target string
	call           int
}

// trace runs the evaluation once without a fault and lists its requests.
func (p *property) trace(t *testing.T, start ghfake.Checkpoint) ([]place, string) {
	t.Helper()
	fatal(t, p.server.Restore(start))
	did := p.evaluate()
	var list []place
	count := map[string]int{}
	for _, r := range p.server.Requests() {
		target := r.Path
		if r.Query != "" {
			target += "?" + r.Query
		}
		count[target]++
		list = append(list, place{r.Method, target, count[target]})
	}
	fatal(t, p.server.Restore(start))
	if len(list) == 0 {
		t.Fatal("the evaluation asked for nothing")
	}
	return list, did
}

// single is one fault. A fatal one leaves an answer broken for good.
type single struct {
	fault  ghfake.Fault
	method string
	fatal  bool
}

// singles lists every fault on every request, each once and for good.
func (p *property) singles(asked []place) []single {
	var list []single
	for _, at := range asked {
		for _, d := range ghfake.Broken() {
			list = append(list, single{ghfake.Fault{Target: at.target, From: at.call, Distortion: d}, at.method, true},
				single{ghfake.Fault{Target: at.target, Call: at.call, Distortion: d}, at.method, false})
		}
		for _, d := range ghfake.Odd() {
			list = append(list, single{ghfake.Fault{Target: at.target, Call: at.call, Distortion: d}, at.method, false})
		}
	}
	return list
}

// changes asks once, to learn whether a distortion makes any difference there.
func (p *property) changes(t *testing.T, start ghfake.Checkpoint, f single) bool {
	t.Helper()
	if f.method != http.MethodGet {
		return true
	}
	p.server.Inject(ghfake.Fault{Distortion: f.fault.Distortion})
	req, err := http.NewRequestWithContext(t.Context(), f.method, apiHost+f.fault.Target, http.NoBody)
	fatal(t, err)
	if resp, err := p.server.Transport(ghfake.ReadToken).RoundTrip(req); err == nil {
		fatal(t, resp.Body.Close())
	}
	struck := p.server.Requests()[0].Fault != ""
	fatal(t, p.server.Restore(start))
	return struck
}

// attempt evaluates with faults and reports 1 if one of them struck.
func (p *property) attempt(t *testing.T, start ghfake.Checkpoint, faults ...single) int {
	t.Helper()
	text, fatally, targets := "", false, []string{}
	for _, f := range faults {
		p.server.Inject(f.fault)
		targets = append(targets, f.fault.Target)
		fatally = fatally || f.fatal
		text += fmt.Sprintf("[%s, call %d, from %d, of %s] ", f.fault.Name, f.fault.Call, f.fault.From, f.fault.Target)
	}
	p.reads.not(targets...)
	did := p.evaluate()
	struck := slices.ContainsFunc(p.server.Requests(), func(r ghfake.Request) bool { return r.Fault != "" })
	fatal(t, p.server.Restore(start))
	p.reads.not()
	if did != "" && struck && (!p.allowed || fatally) {
		t.Errorf("%s with %s", did, text)
	}
	if struck {
		return 1
	}
	return 0
}

// memo answers from what the server answered before, but for the addresses that faults work on: in an evaluation that only reads, the
// answer is the same, and making it is the larger part of the work. A nil memo remembers nothing.
type memo struct {
	next   http.RoundTripper
	known  map[string]*remembered
	except []string
}

type remembered struct {
	resp http.Response
	body []byte
}

func (m *memo) not(targets ...string) {
	if m != nil {
		m.except = targets
	}
}

// RoundTrip answers a request that only reads.
func (m *memo) RoundTrip(req *http.Request) (*http.Response, error) {
	target := req.URL.RequestURI()
	if len(m.except) == 0 || slices.Contains(m.except, target) {
		return m.next.RoundTrip(req)
	}
	if m.known[target] == nil {
		resp, err := m.next.RoundTrip(req)
		if err != nil {
			return nil, err
		}
		raw, err := io.ReadAll(resp.Body)
		if err != nil {
			return nil, err
		}
		m.known[target] = &remembered{*resp, raw}
	}
	resp := m.known[target].resp
	resp.Header, resp.Request = resp.Header.Clone(), req
	resp.Body = io.NopCloser(bytes.NewReader(m.known[target].body))
	return &resp, nil
}
