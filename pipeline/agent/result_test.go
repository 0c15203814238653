package agent_test

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"selffix/pipeline/agent"
)

const canary = "CANARY-7d1f"

func TestReadResult(t *testing.T) {
	// What the model said stands where Claude Code puts it: in the result and in the denied calls.
	said := `,"result":"` + canary + `","permission_denials":[{"tool_input":{"x":"` + canary + `"}}],"session_id":"` + canary + `"}`
	good := `{"type":"result","subtype":"success","is_error":false,"num_turns":7,"total_cost_usd":0.0288` + said
	for _, c := range []struct {
		name, stdout string
		exit         int
		want         agent.Result
		why          string
	}{
		{"success", good, 0, agent.Result{Turns: 7, CostUSD: 0.0288}, ""},
		{"success with a newline", good + "\n", 0, agent.Result{Turns: 7, CostUSD: 0.0288}, ""},
		{"exit code", good, 1, agent.Result{Turns: 7, CostUSD: 0.0288}, "exit code 1"},
		{"exit code alone", canary, 143, agent.Result{}, "exit code 143"},
		{"is_error", `{"subtype":"success","is_error":true,"num_turns":2,"total_cost_usd":1` + said, 0, agent.Result{Turns: 2, CostUSD: 1}, "reports an error"},
		{"no is_error", `{"num_turns":2,"total_cost_usd":1` + said, 0, agent.Result{}, "expected JSON"},
		{"no turns", `{"is_error":false,"total_cost_usd":1` + said, 0, agent.Result{}, "expected JSON"},
		{"no cost", `{"is_error":false,"num_turns":1` + said, 0, agent.Result{}, "expected JSON"},
		{"null", `{"is_error":null,"num_turns":1,"total_cost_usd":1` + said, 0, agent.Result{}, "expected JSON"},
		{"text for a number", `{"is_error":false,"num_turns":"` + canary + `","total_cost_usd":1` + said, 0, agent.Result{}, "expected JSON"},
		{"negative turns", `{"is_error":false,"num_turns":-1,"total_cost_usd":1` + said, 0, agent.Result{}, "expected JSON"},
		{"negative cost", `{"is_error":false,"num_turns":1,"total_cost_usd":-1` + said, 0, agent.Result{}, "expected JSON"},
		{"is_error twice", `{"is_error":true,"num_turns":2,"total_cost_usd":1,"is_error":false` + said, 0, agent.Result{}, "expected JSON"},
		{"is_error in capitals", `{"is_error":true,"num_turns":2,"total_cost_usd":1,"IS_ERROR":false` + said, 0, agent.Result{}, "expected JSON"},
		{"other keys in capitals", `{"is_error":false,"num_turns":2,"total_cost_usd":1,"modelUsage":{"A":1,"a":2}` + said, 0, agent.Result{Turns: 2, CostUSD: 1}, ""},
		{"empty", "", 0, agent.Result{}, "expected JSON"},
		{"two values", good + good, 0, agent.Result{}, "expected JSON"},
		{"too long", strings.Repeat(" ", agent.MaxResultBytes) + good, 0, agent.Result{}, "expected JSON"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := agent.ReadResult(strings.NewReader(c.stdout), c.exit)
			if got != c.want {
				t.Errorf("got %+v", got)
			}
			if (err == nil) != (c.why == "") || (err != nil && (!errors.Is(err, agent.ErrRun) || !strings.Contains(err.Error(), c.why))) {
				t.Errorf("got the error %v, want %q", err, c.why)
			}
			if out := fmt.Sprintf("%v %+v %#v %v", got, got, got, err); strings.Contains(out, canary) {
				t.Errorf("what the model said came out: %s", out)
			}
		})
	}
	_, err := agent.ReadResult(failing{}, 0)
	if !errors.Is(err, agent.ErrRun) || strings.Contains(err.Error(), canary) {
		t.Errorf("got %v", err)
	}
	if got := (agent.Result{Turns: 7, CostUSD: 0.0288}).String(); got != "7 turns, $0.0288" {
		t.Errorf("got %q", got)
	}
}

type failing struct{}

func (failing) Read([]byte) (int, error) {
	return 0, errors.Join(io.ErrUnexpectedEOF, errors.New(canary))
}
