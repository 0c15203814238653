package demo

import (
	"errors"
	"io"
	"strings"
	"testing"
	"time"
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

func TestVoiceShowsNoControlCharacters(t *testing.T) {
	var said strings.Builder
	v := NewVoice(&said, func() time.Time { return time.Unix(5, 0) })
	v.Say("bot", "failing: %s", "\x1b]52;c;AAAA\a\r\u202e")
	v.Head("\x1b[2J")
	if strings.ContainsAny(said.String(), "\x1b\a\r\u202e") || strings.Count(said.String(), "\n") != 3 {
		t.Errorf("%q", said.String())
	}
	done := NewVoice(io.Discard, time.Now).While("a", "b")
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
