package verify

import (
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"selffix/pipeline"
	"selffix/pipeline/fence"
	"selffix/pipeline/policy"
)

func enabled() policy.Policy {
	return policy.Policy{Verify: policy.Verify{Enabled: true, Command: []string{"npm", "test"}, Timeout: time.Minute}}
}

func folders() Folders {
	return Folders{Checkout: "/src/checkout", Scratch: "/agent", Home: "/agent/home", Temp: "/agent/tmp"}
}

func planned(t *testing.T) pipeline.Limits {
	t.Helper()
	s, ok := pipeline.FixWithVerify().Step("verify")
	if !ok {
		t.Fatal("the plan has no verify")
	}
	return s.Limits
}

// The command sees its tree, a scratch folder and the machine's programs: not the step's inputs, outputs or secrets. Nothing takes
// what it prints, and nothing of this process's environment reaches it.
func TestCommand(t *testing.T) {
	t.Setenv("SELF_FIX_TEST_SECRET", "x")
	o, err := Command(enabled(), folders(), planned(t))
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(o.Args, []string{"npm", "test"}) || o.Dir != "/src/checkout" || o.Profile != fence.Tools || o.Timeout != time.Minute {
		t.Errorf("%+v", o)
	}
	if !slices.Equal(o.Read, []string{"/src/checkout"}) || !slices.Equal(o.Write, []string{"/src/checkout", "/agent"}) {
		t.Errorf("it sees %v and writes %v", o.Read, o.Write)
	}
	if o.Stdout != nil || o.Stderr != nil || o.Stdin != nil || o.Relay != "" {
		t.Errorf("something listens to it, or it to something: %+v", o)
	}
	if env := strings.Join(o.Env, "\n"); strings.Contains(env, "SELF_FIX_TEST_SECRET") || !strings.HasPrefix(env, "PATH=/src/checkout/node_modules/.bin:") {
		t.Errorf("environment %s", env)
	}
	if l := o.Limits; l.OutputBytes <= 0 || l.DataBytes == 0 || l.Processes == 0 || l.DiskBytes <= 0 || l.DiskFiles <= 0 || l.FileBytes == 0 {
		t.Errorf("a limit is left to the fence: %+v", l)
	}
}

func TestCommandKeepsThePlansTime(t *testing.T) {
	p := enabled()
	p.Verify.Timeout = 100 * time.Hour
	if o, err := Command(p, folders(), planned(t)); err != nil || o.Timeout != planned(t).Timeout {
		t.Errorf("%v, %v", o.Timeout, err)
	}
}

func TestCommandNeedsThePolicysWord(t *testing.T) {
	for name, spoil := range map[string]func(*policy.Verify){
		"zero":     func(v *policy.Verify) { *v = policy.Verify{} },
		"disabled": func(v *policy.Verify) { v.Enabled = false },
		"no words": func(v *policy.Verify) { v.Command = nil },
		"no time":  func(v *policy.Verify) { v.Timeout = 0 },
	} {
		p := enabled()
		spoil(&p.Verify)
		if _, err := Command(p, folders(), planned(t)); !errors.Is(err, ErrOff) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Only an end by itself with zero goes on. A number is all that is taken over.
func TestOutcome(t *testing.T) {
	for _, tt := range []struct {
		end      fence.Result
		decision pipeline.Decision
		rule     string
		result   Result
	}{
		{fence.Result{End: fence.Exited}, pipeline.Continue, "", Result{Passed, 0}},
		{fence.Result{End: fence.Exited, Code: 1}, pipeline.Stop, "SF-VERIFY-001", Result{Failed, 1}},
		{fence.Result{End: fence.Exited, Code: 255}, pipeline.Stop, "SF-VERIFY-001", Result{Failed, 255}},
		{fence.Result{End: fence.Deadline, Reason: "evil"}, pipeline.Undecided, "SF-VERIFY-003", Result{NotFinished, -1}},
		{fence.Result{End: fence.Exceeded, Reason: "evil"}, pipeline.Undecided, "SF-VERIFY-004", Result{NotFinished, -1}},
		{fence.Result{End: fence.Cancelled, Reason: "evil"}, pipeline.Undecided, "SF-VERIFY-005", Result{NotFinished, -1}},
		{fence.Result{End: fence.Signalled, Signal: 9, Reason: "evil"}, pipeline.Undecided, "SF-VERIFY-006", Result{NotFinished, -1}},
		{fence.Result{}, pipeline.Undecided, "SF-VERIFY-006", Result{NotFinished, -1}},
	} {
		result, o := Outcome(tt.end)
		if o.Decision != tt.decision || o.Rule != tt.rule || result != tt.result || strings.Contains(o.Reason, "evil") {
			t.Errorf("%+v: %+v, %+v", tt.end, result, o)
		}
	}
}

func TestRefused(t *testing.T) {
	other := errors.New("x")
	for err, want := range map[error]error{
		fmt.Errorf("%w: %w", fence.ErrOptions, exec.ErrNotFound): ErrCommand,
		fmt.Errorf("%w: x", fence.ErrUnavailable):                ErrApart,
		other: other,
	} {
		if got := Refused(err); !errors.Is(got, want) {
			t.Errorf("%v: %v, want %v", err, got, want)
		}
	}
}

// Each rule by which verify ends a run is described once.
func TestRules(t *testing.T) {
	seen := map[string]bool{}
	for _, r := range Rules() {
		if seen[r.ID] || r.Title == "" || r.Why == "" || !strings.HasPrefix(r.ID, "SF-VERIFY-") {
			t.Errorf("%+v", r)
		}
		seen[r.ID] = true
	}
	for _, end := range []fence.End{fence.Exited, fence.Deadline, fence.Exceeded, fence.Cancelled, fence.Signalled} {
		if _, o := Outcome(fence.Result{End: end, Code: 1}); !seen[o.Rule] {
			t.Errorf("%s: %s is not described", end, o.Rule)
		}
	}
}
