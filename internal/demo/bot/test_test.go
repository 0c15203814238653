package bot

import (
	"errors"
	"strings"
	"testing"

	"selffix/internal/demo"
	"selffix/internal/tokens"
	"selffix/pipeline/fence"
)

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
		"not even a number":           {exited(0), "# pass 99999999999999999999\n# fail 0\n", ""},
	} {
		got, err := read(demo.TestRun{}, c.result, c.said)
		if got.State != c.state || (c.state == "") != errors.Is(err, ErrTests) {
			t.Errorf("%s: %q, %v", name, got.State, err)
		}
	}
	got, err := read(demo.TestRun{}, exited(1), tap)
	if err != nil || strings.Join(got.Failing, "|") != "shares add up|inner" || got.Passed != 1 {
		t.Errorf("%+v, %v", got, err)
	}
}

// Only a sandbox's GitHub is asked, and only with its token: before anything is made.
func TestOnlyOfASandbox(t *testing.T) {
	for host, secret := range map[string]string{"https://github.com": "gh" + "s_real", "http://127.0.0.1:1": "gh" + "s_real", "https://api.github.com": "sandbox-x"} {
		token, err := tokens.New(secret)
		if err != nil {
			t.Fatal(err)
		}
		err = Bring(t.Context(), strings.Repeat("a", 40), Source{GitHub: host, Repository: "maintainer/app", Token: token}, "/proc/none", "/proc/none")
		if !errors.Is(err, tokens.ErrMismatch) && !errors.Is(err, ErrTests) {
			t.Errorf("%s: %v", host, err)
		}
	}
}
