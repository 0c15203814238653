package demo

import (
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"selffix/internal/play"
	"selffix/pipeline/agent"
	"selffix/pipeline/fence"
	"selffix/testdata"
)

func TestReadReport(t *testing.T) {
	good := Report{Plays: []Play{
		{Name: "repair", Outcome: Pushed, TestedCommit: "a", PushedCommit: "b", Bot: []string{"failure", "success"}, Review: []string{"pending", "success"},
			StoppedBy: []string{}, Steps: []Step{{Name: "gate", Seconds: 0.1, Secrets: []string{"github-read"}, ExposedTo: []string{}, Outcome: "continue"}}},
		{Name: "hijacked", Outcome: Refused, TestedCommit: "a", Bot: []string{"failure"}, Review: []string{}, StoppedBy: []string{"fence Edit"}, Steps: []Step{}},
	}}
	text, err := good.Write()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := ReadReport(text); err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string][2]string{
		"unknown key":         {`"plays"`, `"more":1,"plays"`},
		"missing key":         {`"seconds": 0.1,`, ``},
		"duplicate key":       {`"name": "repair",`, `"name": "repair","name": "x",`},
		"null list":           {`"review": []`, `"review": null`},
		"unknown outcome":     {`"refused"`, `"accepted"`},
		"pushed nothing":      {`"pushed_commit": "b"`, `"pushed_commit": ""`},
		"refused and pushed":  {`"pushed_commit": ""`, `"pushed_commit": "b"`},
		"refused by nothing":  {"[\n        \"fence Edit\"\n      ]", `[]`},
		"cut":                 {`"plays"`, ``},
		"seconds are no text": {`0.1`, `"0.1"`},
	} {
		changed := strings.Replace(string(text), change[0], change[1], 1)
		if changed == string(text) {
			t.Errorf("%s: nothing was changed", name)
		}
		if _, err := ReadReport([]byte(changed)); !errors.Is(err, ErrReport) {
			t.Errorf("%s: %v, want ErrReport", name, err)
		}
	}
}

const tap = `TAP version 13
ok 1 - cents have two digits
not ok 2 - shares add up
    not ok 1 - inner
# pass 1
# fail 2
`

func TestVerdictOfTheBot(t *testing.T) {
	exited := func(code int) fence.Result { return fence.Result{End: fence.Exited, Code: code} }
	for name, c := range map[string]struct {
		result fence.Result
		said   string
		state  string
	}{
		"red":                         {exited(1), tap, "failure"},
		"green":                       {exited(0), "ok 1 - a\n# pass 1\n# fail 0\n", "success"},
		"red with a green exit":       {exited(0), tap, ""},
		"green with a red exit":       {exited(1), "ok 1 - a\n# pass 1\n# fail 0\n", ""},
		"no summary":                  {exited(0), "ok 1 - a\n", ""},
		"a failure but none counted":  {exited(1), "not ok 1 - a\n# pass 0\n# fail 0\n", ""},
		"killed at the deadline":      {fence.Result{End: fence.Deadline}, tap, ""},
		"ended by a limit":            {fence.Result{End: fence.Exceeded, Code: 1}, tap, ""},
		"nothing ran, nothing failed": {exited(0), "", ""},
	} {
		got, err := testRun{}.read(c.result, c.said)
		if got.state != c.state || (c.state == "") != errors.Is(err, errBot) {
			t.Errorf("%s: %q, %v", name, got.state, err)
		}
	}
	got, err := testRun{}.read(exited(1), tap)
	if err != nil || strings.Join(got.failing, "|") != "shares add up|inner" || got.passed != "1" {
		t.Errorf("%+v, %v", got, err)
	}
}

// The plays and lockfile of the demo are readable, and the bug of the pull request is one.
func TestWhatTheDemoPlays(t *testing.T) {
	for _, s := range scripts() {
		data, err := testdata.Files.ReadFile(s.file)
		if err != nil {
			t.Fatal(err)
		}
		if p, err := play.Parse(data); err != nil || p.Name == "" {
			t.Errorf("%s: %v", s.file, err)
		}
	}
	lock, err := testdata.Files.ReadFile("demo/runner-lock.json")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := agent.CheckLock(lock); err != nil {
		t.Error(err)
	}
	app, err := readTree(testdata.Files, "app")
	if err != nil {
		t.Fatal(err)
	}
	before, err := readTree(testdata.Files, "demo/before")
	if err != nil || len(before) == 0 {
		t.Fatal(err)
	}
	for name, text := range before {
		if app[name] == "" || app[name] == text {
			t.Errorf("%s: the pull request does not change it", name)
		}
	}
}

func TestVoiceShowsNoControlCharacters(t *testing.T) {
	var said strings.Builder
	v := newVoice(&said, func() time.Time { return time.Unix(5, 0) })
	v.say("bot", "failing: %s", "\x1b]52;c;AAAA\a\r\u202e")
	v.head("\x1b[2J")
	if strings.ContainsAny(said.String(), "\x1b\a\r\u202e") || strings.Count(said.String(), "\n") != 3 {
		t.Errorf("%q", said.String())
	}
	done := newVoice(io.Discard, time.Now).while("a", "b")
	done()
}

func TestTableNamesEveryStep(t *testing.T) {
	var out strings.Builder
	r := Report{Plays: []Play{{Name: "repair", Outcome: Refused, StoppedBy: []string{"fence \x1b"},
		Steps: []Step{{Name: "agent", Seconds: 1.25, ExposedTo: []string{"model"}, Outcome: "continue"}}}}}
	if err := r.WriteTable(&out); err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{"REPAIR: refused", "agent  1.25     –        model       continue", "stopped by: fence <U+001B>"} {
		if !strings.Contains(out.String(), part) {
			t.Errorf("no %q in\n%s", part, out.String())
		}
	}
}
