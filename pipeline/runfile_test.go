package pipeline

import (
	"errors"
	"strings"
	"testing"
)

func TestRunFile(t *testing.T) {
	text, err := WriteRun(ThisRun{RunID: 5, Attempt: 2, EventName: "status"})
	if err != nil {
		t.Fatal(err)
	}
	if r, err := ReadRun(text); err != nil || r != (ThisRun{RunSchema, 5, 2, "status"}) {
		t.Fatalf("%+v, %v", r, err)
	}
	for name, change := range map[string][2]string{
		"another schema": {"v1", "v2"},
		"zero id":        {":5", ":0"},
		"negative id":    {":5", ":-5"},
		"fraction":       {":5", ":5.5"},
		"text":           {":5", `:"5"`},
		"too large":      {":5", ":92233720368547758070"},
		"zero attempt":   {":2", ":0"},
		"another event":  {"status", "workflow_dispatch"},
		"no event":       {`"status"`, `""`},
		"missing key":    {`"run_id":5,`, ``},
		"unknown key":    {`{`, `{"job":"push",`},
		"duplicate key":  {`{`, `{"run_id":6,`},
		"null":           {":5", ":null"},
		"trailing":       {`}`, `}{}`},
		"cut":            {`}`, ``},
		"large":          {`{`, `{` + strings.Repeat(" ", MaxRunBytes)},
	} {
		changed := strings.Replace(string(text), change[0], change[1], 1)
		if changed == string(text) {
			t.Errorf("%s: nothing was changed", name)
		}
		if _, err := ReadRun([]byte(changed)); !errors.Is(err, ErrRun) {
			t.Errorf("%s: %v, want ErrRun", name, err)
		}
	}
	for _, r := range []ThisRun{{}, {RunID: 1, Attempt: 1}, {RunID: 1, EventName: "status"}, {Attempt: 1, EventName: "status"}} {
		if _, err := WriteRun(r); !errors.Is(err, ErrRun) {
			t.Errorf("%+v was written: %v", r, err)
		}
	}
}
