package agent

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
)

// ErrRun is wrapped by every reason for which a run of the agent counts as failed.
var ErrRun = errors.New("the agent failed")

// MaxResultBytes bounds what ReadResult reads.
const MaxResultBytes = 16 << 20

// Result is all that is taken of what the agent says. It decides nothing: whoever steers the process can write any number.
type Result struct {
	Turns   int
	CostUSD float64
}

// String is the one line that may be printed about a run.
func (r Result) String() string { return fmt.Sprintf("%d turns, $%.4f", r.Turns, r.CostUSD) }

// ReadResult judges a run by its exit code and the one JSON object on its standard output. Only three typed fields are
// decoded; the model's text, tool inputs and standard error are never read, so they can reach no log. A run succeeded if
// its exit code is 0 and is_error is false; whether it changed anything is for the caller to see. "subtype" is not looked at: it says
// "success" after errors of the API too. The numbers are returned with an error as well, if there are any.
func ReadResult(stdout io.Reader, exitCode int) (Result, error) {
	raw, err := io.ReadAll(io.LimitReader(stdout, MaxResultBytes+1))
	if err != nil {
		return Result{}, fmt.Errorf("%w: its output could not be read", ErrRun)
	}
	var said struct {
		IsError *bool    `json:"is_error"`
		Turns   *int     `json:"num_turns"`
		Cost    *float64 `json:"total_cost_usd"`
	}
	// The decoder's error would quote the output, so it is dropped.
	unreadable := len(raw) > MaxResultBytes || once(raw, "is_error", "num_turns", "total_cost_usd") != nil || json.Unmarshal(raw, &said) != nil || said.IsError == nil || said.Turns == nil || said.Cost == nil
	var r Result
	if !unreadable {
		r = Result{Turns: *said.Turns, CostUSD: *said.Cost}
		unreadable = r.Turns < 0 || r.Turns > 1_000_000 || !(r.CostUSD >= 0) || r.CostUSD > math.MaxInt32
	}
	switch {
	case exitCode != 0:
		return r.orNone(unreadable), fmt.Errorf("%w: it ended with exit code %d", ErrRun, exitCode)
	case unreadable:
		return Result{}, fmt.Errorf("%w: its output is not the expected JSON", ErrRun)
	case *said.IsError:
		return r, fmt.Errorf("%w: it reports an error", ErrRun)
	}
	return r, nil
}

// once demands that an object has each of the keys at most once, in this spelling: a decoder takes the last that folds to it, so that
// {"is_error":true,"IS_ERROR":false} would be no error.
func once(raw []byte, keys ...string) error {
	d := json.NewDecoder(bytes.NewReader(raw))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return fmt.Errorf("%w: no object", ErrRun)
	}
	seen := make(map[string]bool)
	for d.More() {
		t, err := d.Token()
		if err != nil {
			return err
		}
		name, _ := t.(string) // a key is one
		for _, k := range keys {
			if !strings.EqualFold(name, k) {
				continue
			}
			if name != k || seen[k] {
				return fmt.Errorf("%w: %s stands twice, or in another case", ErrRun, k)
			}
			seen[k] = true
		}
		var skip json.RawMessage
		if err := d.Decode(&skip); err != nil {
			return err
		}
	}
	return nil
}

func (r Result) orNone(unreadable bool) Result {
	if unreadable {
		return Result{}
	}
	return r
}
