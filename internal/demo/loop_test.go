package demo

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"selffix/pipeline"
)

// thing is an artifact that is no path: an engine's.
type thing struct{ text string }

const (
	red    = "1111111111111111111111111111111111111111"
	pushed = "2222222222222222222222222222222222222222"
)

// world is the stand-ins and the interpreter of a play, as a test wants them.
type world struct {
	log     []string
	head    string
	answers map[Message]string // instead of the usual ones
	fail    map[Message]error
	outcome map[pipeline.StepName]pipeline.Outcome
	left    map[pipeline.Ref]string // what steps hand on, where it matters
	green   bool                    // the tests of the pull request succeed
	tested  string                  // "": the commit that was asked for
	given   map[pipeline.Ref]thing
}

func (w *world) call(_ context.Context, name Message, in []byte) ([]byte, error) {
	w.log = append(w.log, "ask "+string(name))
	if err := w.fail[name]; err != nil {
		return nil, err
	}
	if text, ok := w.answers[name]; ok {
		return []byte(text), nil
	}
	usual := map[Message]any{
		MessageVerdict: Judged{Event: "event", Tools: []File{{Path: "bin/cli", Text: "x", Program: true}}},
		MessageRun:     Started{Run: "run"}, MessageFix: struct{}{}, MessageLabel: Started{Event: "labelled", Run: "run 2"},
		MessageState: State{Head: w.head, Bot: []string{"failure"}, Review: []string{"pending"}, Stopped: []Stopped{{"fence", "Edit", "EACCES"}}},
		MessageEnd:   Ended{Wrong: []string{}},
	}
	return json.Marshal(usual[name])
}

func (w *world) Run(_ context.Context, s pipeline.Step, in map[pipeline.Ref]thing, _ map[pipeline.StepName]pipeline.Service[thing]) (map[pipeline.Ref]thing, pipeline.Outcome, error) {
	w.log = append(w.log, "run "+string(s.Name))
	for ref, x := range in {
		w.given[ref] = x
	}
	if s.Name == "publish" {
		w.head = pushed
	}
	o, ok := w.outcome[s.Name]
	if !ok {
		o.Decision = pipeline.Continue
	}
	return w.outputs(s), o, nil
}

func (w *world) outputs(s pipeline.Step) map[pipeline.Ref]thing {
	out := map[pipeline.Ref]thing{}
	for _, o := range s.Out {
		out[s.Ref(o.Name)] = thing{w.left[s.Ref(o.Name)]}
	}
	return out
}

func (w *world) Serve(_ context.Context, s pipeline.Step, _ map[pipeline.Ref]thing) (pipeline.Service[thing], error) {
	return served{w, s}, nil
}

type served struct {
	w *world
	s pipeline.Step
}

func (s served) Stop(context.Context) (map[pipeline.Ref]thing, error) { return s.w.outputs(s.s), nil }

func (w *world) stage() Stage[thing] {
	return Stage[thing]{
		Call: w.call, Voice: NewVoice(io.Discard, time.Now),
		Steps: func(pipeline.Plan) pipeline.Interpreter[thing] { return w },
		Give: func(_ context.Context, ref pipeline.Ref, data []byte) (thing, error) {
			return thing{string(ref) + "=" + string(data)}, nil
		},
		Key:    func(context.Context) (thing, error) { return thing{"key"}, nil },
		Folder: func(_ context.Context, files []File) (thing, error) { return thing{fmt.Sprint(files)}, nil },
		Read:   func(_ context.Context, x thing) ([]byte, error) { return []byte(x.text), nil },
		Test: func(_ context.Context, commit string) (TestRun, error) {
			w.log = append(w.log, "test "+commit[:1])
			r := TestRun{Commit: commit, State: "failure", Began: time.Unix(1, 0), Failing: []string{"shares add up"}}
			if commit != red || w.green {
				r.State, r.Failing = "success", []string{}
			}
			if w.tested != "" {
				r.Commit = w.tested
			}
			return r, nil
		},
	}
}

// candidate is one that can be read.
func candidate(t *testing.T) string {
	t.Helper()
	d := strings.Repeat("a", 64)
	id := strings.Repeat("b", 40)
	text, err := pipeline.WriteCandidate(pipeline.Candidate{
		Schema: pipeline.CandidateSchema, Sandbox: true, TestedCommit: red, TestedTree: id, ScrubbedTree: id, PolicySHA256: d, PatchSHA256: d, PatchBytes: 1,
		ResultTree: pushed, Before: pipeline.Inventory{SHA256: d, Files: 1, Bytes: 1}, After: pipeline.Inventory{SHA256: d, Files: 1, Bytes: 1},
		Changed: []pipeline.Entry{{Path: "a.ts", Before: id, After: pushed}}, Check: pipeline.Check{Verdict: "accept"},
	})
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func newWorld(t *testing.T) *world {
	return &world{head: red, given: map[pipeline.Ref]thing{}, left: map[pipeline.Ref]string{
		"check.candidate": candidate(t), "publish.receipt": `{"pushed":true,"commit":"` + pushed + `","more":1}`,
		"check.report": `{"verdict":"refuse","findings":[{"rule":"SF-X-001","kind":"x","file":"a.ts","line":3,"column":1,"message":"no","policy_key":""}]}`,
	}}
}

func opened() Opened {
	return Opened{Play: "repair", Doc: "d", Policy: "policy", Head: red, Pull: 1, Context: "maintainer-review", Label: "reviewed"}
}

func TestPerformPushes(t *testing.T) {
	w := newWorld(t)
	act, err := Perform(t.Context(), w.stage(), opened())
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"test 1", "ask verdict", "ask run", "run gate", "ask fix", "run fix-regate", "run evidence-fetch", "run evidence-read", "run fetch", "run materialise",
		"run tools", "run agent", "run diff", "run check", "run recheck-regate", "run recheck-fetch", "run recheck", "run regate", "run publish", "ask state",
		"test 2", "ask verdict", "ask label", "run review-gate", "ask state",
	}
	if !slices.Equal(w.log, want) {
		t.Errorf("log:\n%s\nwant:\n%s", strings.Join(w.log, "\n"), strings.Join(want, "\n"))
	}
	if act.Play.Outcome != Pushed || act.Play.PushedCommit != pushed || !slices.Equal(act.Detail.Changed, []string{"a.ts"}) {
		t.Errorf("%+v", act)
	}
	for ref, text := range map[pipeline.Ref]string{
		"in.policy": "in.policy=policy", "in.event": "in.event=labelled", "in.run": "in.run=run 2", "in.run-key": "key", "bot-tools.tools": "[{bin/cli x true}]",
	} {
		if w.given[ref].text != text {
			t.Errorf("%s is %q, want %q", ref, w.given[ref].text, text)
		}
	}
	rows := map[string]Step{}
	for _, s := range act.Play.Steps {
		rows[s.Name] = s
	}
	for _, p := range pipeline.Loop(pipeline.ReviewByToken) {
		for _, r := range pipeline.Rows([]pipeline.Plan{p}) {
			if got := rows[string(r.Step)]; got.Outcome != string(pipeline.Continue) || !slices.Equal(got.Secrets, r.Secrets) {
				t.Errorf("%s: %+v", r.Step, got)
			}
		}
	}
}

func TestPerformStops(t *testing.T) {
	broken := errors.New("broken")
	stop := func(step pipeline.StepName, d pipeline.Decision) func(*world) {
		return func(w *world) {
			w.outcome = map[pipeline.StepName]pipeline.Outcome{step: {Decision: d, Rule: "SF-Y-001", Reason: "why"}}
		}
	}
	tests := map[string]struct {
		set     func(*world)
		outcome string
		by      []string
		last    string // the last step or test
		err     error
	}{
		"the checker refuses":     {stop("check", pipeline.Stop), Refused, []string{"fence Edit", "checker SF-X-001"}, "run check", nil},
		"a gate says no":          {stop("gate", pipeline.Stop), Refused, []string{"fence Edit", "gate SF-Y-001"}, "run gate", nil},
		"the job's gate says no":  {stop("fix-regate", pipeline.Stop), Refused, []string{"fence Edit", "fix-regate SF-Y-001"}, "run fix-regate", nil},
		"a recheck refuses":       {stop("recheck", pipeline.Stop), Refused, []string{"fence Edit", "recheck SF-Y-001"}, "run recheck", nil},
		"a push is undecided":     {stop("publish", pipeline.Undecided), Undecided, []string{"fence Edit", "publish SF-Y-001"}, "run publish", nil},
		"the tests are green":     {func(w *world) { w.green = true }, Undecided, []string{}, "test 1", ErrPlay},
		"the tests ran elsewhere": {func(w *world) { w.tested = pushed }, Undecided, []string{}, "test 1", ErrControl},
		"no run":                  {func(w *world) { w.fail = map[Message]error{MessageRun: broken} }, Undecided, []string{}, "test 1", broken},
		"an answer with more":     {func(w *world) { w.answers = map[Message]string{MessageRun: `{"event":"","run":"","more":1}`} }, Undecided, []string{}, "test 1", ErrControl},
		"tools that climb": {func(w *world) {
			w.answers = map[Message]string{MessageVerdict: `{"event":"","tools":[{"path":"../x","text":"","program":false}]}`}
		}, Undecided, []string{}, "test 1", ErrControl},
		"a receipt of another commit": {func(w *world) { w.left["publish.receipt"] = `{"pushed":true,"commit":"` + red + `"}` }, Undecided, []string{}, "run publish", ErrPlay},
		"a receipt of no push":        {func(w *world) { w.left["publish.receipt"] = `{"pushed":false,"commit":"` + pushed + `"}` }, Undecided, []string{}, "run publish", ErrPlay},
		"no state at the end":         {func(w *world) { w.fail = map[Message]error{MessageState: broken}; stop("gate", pipeline.Stop)(w) }, Refused, []string{}, "run gate", broken},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			tt.set(w)
			act, err := Perform(t.Context(), w.stage(), opened())
			if !errors.Is(err, tt.err) || act.Play.Outcome != tt.outcome || !slices.Equal(act.Play.StoppedBy, tt.by) {
				t.Errorf("%s by %v, %v; want %s by %v, %v", act.Play.Outcome, act.Play.StoppedBy, err, tt.outcome, tt.by, tt.err)
			}
			ran := slices.DeleteFunc(slices.Clone(w.log), func(l string) bool { return strings.HasPrefix(l, "ask ") })
			if got := ran[len(ran)-1]; got != tt.last {
				t.Errorf("the last was %q, want %q", got, tt.last)
			}
		})
	}
}

func TestOpenAndHold(t *testing.T) {
	w := newWorld(t)
	w.answers = map[Message]string{}
	for text, want := range map[string]error{
		`{"github-read":"sandbox-x"}`: nil, `{"github-read":"gh` + `s_real"}`: ErrControl, `{"admin":"sandbox-x"}`: ErrControl, `{"github-read":""}`: ErrControl,
	} {
		w.answers[MessageOpen] = `{"play":"p","doc":"","policy":"","head":"","pull_request":1,"review_context":"","review_label":"","secrets":` + text + `}`
		if o, err := Open(t.Context(), w.call); !errors.Is(err, want) || want != nil && o.Secrets != nil {
			t.Errorf("%s: %+v, %v", text, o, err)
		}
	}
	if err := Hold(t.Context(), w.call, Play{}); err != nil {
		t.Error(err)
	}
	w.answers[MessageEnd] = `{"wrong":["something was pushed"]}`
	if err := Hold(t.Context(), w.call, Play{}); !errors.Is(err, ErrPlay) {
		t.Errorf("%v, want ErrPlay", err)
	}
	w.answers[MessageEnd] = `{}`
	if err := Hold(t.Context(), w.call, Play{}); !errors.Is(err, ErrControl) {
		t.Errorf("%v, want ErrControl", err)
	}
}
