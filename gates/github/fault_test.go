package github_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"selffix/internal/ghfake"
)

// pairs is how many pairs of faults are tried in each scene, chosen by a fixed seed.
const pairs = 300

// property tries every single fault on every request of an evaluation, once and for good, and a sample of pairs. evaluate
// answers what was done that must not be done, or "".
//
// allowed says that the truth allows it. Then it is wrong only where an answer stayed broken for good; an answer that was broken once
// and read again, or that said less than the truth and was made up for by another source, may still lead there.
func property(t *testing.T, server *ghfake.Server, evaluate func() string, allowed bool) {
	t.Helper()
	start := server.Checkpoint()
	asked := trace(t, server, start, evaluate)
	if allowed == (evaluate() == "") {
		t.Fatal("the evaluation without a fault is not what the scene says")
	}
	fatal(t, server.Restore(start))
	all := singles(asked)
	tried := 0
	for _, f := range all {
		tried += attempt(t, server, start, evaluate, allowed && !f.fatal, f.fault)
	}
	random := rand.New(rand.NewPCG(1, uint64(len(all))))
	for range pairs {
		a, b := all[random.IntN(len(all))], all[random.IntN(len(all))]
		tried += attempt(t, server, start, evaluate, allowed && !a.fatal && !b.fatal, a.fault, b.fault)
	}
	if tried < len(asked)*20 {
		t.Errorf("only %d evaluations had a fault in them, for %d requests: the property tried too little", tried, len(asked))
	}
	t.Logf("%d requests, %d faults, %d evaluations with a fault that struck", len(asked), len(all), tried)
}

// place is a request of the evaluation: its address, and the how-manieth with that address it is.
type place struct {
	target string
	call   int
}

// trace runs the evaluation once without a fault and lists its requests.
func trace(t *testing.T, server *ghfake.Server, start ghfake.Checkpoint, evaluate func() string) []place {
	t.Helper()
	fatal(t, server.Restore(start))
	evaluate()
	var list []place
	count := map[string]int{}
	for _, r := range server.Requests() {
		target := r.Path
		if r.Query != "" {
			target += "?" + r.Query
		}
		count[target]++
		list = append(list, place{target, count[target]})
	}
	fatal(t, server.Restore(start))
	if len(list) == 0 {
		t.Fatal("the evaluation asked for nothing")
	}
	return list
}

// single is one fault. A fatal one leaves an answer broken for good.
type single struct {
	fault ghfake.Fault
	fatal bool
}

func singles(asked []place) []single {
	var list []single
	for _, p := range asked {
		for _, d := range ghfake.Broken() {
			list = append(list, single{ghfake.Fault{Target: p.target, Call: p.call, Distortion: d}, false})
			list = append(list, single{ghfake.Fault{Target: p.target, From: p.call, Distortion: d}, true})
		}
		for _, d := range ghfake.Odd() {
			list = append(list, single{ghfake.Fault{Target: p.target, Call: p.call, Distortion: d}, false})
			if p.call == 1 {
				list = append(list, single{ghfake.Fault{Target: p.target, Distortion: d}, false})
			}
		}
	}
	return list
}

// attempt evaluates with faults and reports 1 if one of them struck.
func attempt(t *testing.T, server *ghfake.Server, start ghfake.Checkpoint, evaluate func() string, allowed bool, faults ...ghfake.Fault) int {
	t.Helper()
	server.Inject(faults...)
	did := evaluate()
	struck := slices.ContainsFunc(server.Requests(), func(r ghfake.Request) bool { return r.Fault != "" })
	fatal(t, server.Restore(start))
	if did != "" && !allowed && struck {
		t.Errorf("%s with %s", did, describe(faults))
	}
	if struck {
		return 1
	}
	return 0
}

func describe(faults []ghfake.Fault) string {
	text := ""
	for _, f := range faults {
		text += fmt.Sprintf("[%s, call %d, from %d, of %s] ", f.Name, f.Call, f.From, f.Target)
	}
	return text
}
