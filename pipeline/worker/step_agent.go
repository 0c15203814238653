package worker

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"selffix/internal/strictjson"
	"selffix/internal/tokens"
	"selffix/pipeline"
	"selffix/pipeline/agent"
	"selffix/pipeline/fence"
	"selffix/pipeline/policy"
)

// ErrAgentEnd marks an agent that the fence ended: by its deadline, a limit or a forbidden call.
var ErrAgentEnd = errors.New("the fence ended the agent")

// Summary is what is kept of a run of the agent. Nobody can recompute it, so it decides nothing.
type Summary struct {
	Turns    int     `json:"turns"`
	CostUSD  float64 `json:"cost_usd"`
	SelfTest string  `json:"self_test"`
}

// runAgent holds the program to its hash and runs it behind the fence. Its output is kept in memory only
// long enough to take two numbers from it.
func runAgent(ctx context.Context, w work) (pipeline.Outcome, error) {
	pol, err := policy.Load(w.in(pipeline.SupervisorDir + "/policy.yaml"))
	if err != nil {
		return pipeline.Outcome{}, err
	}
	tools, err := w.agentTools(ctx)
	if err != nil {
		return pipeline.Outcome{}, err
	}
	key, err := tokens.ReadFile(w.in(pipeline.SupervisorDir + "/run-key"))
	if err != nil {
		return pipeline.Outcome{}, err
	}
	call, err := tools.Command(agent.Call{
		Layout:   agent.Layout{Checkout: w.in(pipeline.CheckoutDir), Bundle: w.in(pipeline.InDir), Home: w.home(), Temp: w.temp()},
		Policy:   pol,
		Endpoint: agent.BySocket(filepath.Join(w.temp(), "model")), // every connect leads to the relay, whatever it names
		Key:      key,
	})
	if err != nil {
		return pipeline.Outcome{}, err
	}
	result, err := w.agentRun(ctx, pol, call)
	fmt.Fprintf(w.Stdout, "agent: %v\n", result)
	if err != nil {
		return pipeline.Outcome{}, err
	}
	if err := w.writeJSON("summary.json", Summary{Turns: result.Turns, CostUSD: result.CostUSD, SelfTest: ""}); err != nil {
		return pipeline.Outcome{}, err
	}
	return goOn()
}

// agentTools opens the folder that the tools step named and verifies the program in it.
func (w work) agentTools(ctx context.Context) (agent.Tools, error) {
	data, err := readBounded(w.in(pipeline.SupervisorDir+"/tools.json"), MaxOutcomeBytes)
	if err != nil {
		return agent.Tools{}, err
	}
	var at Installed
	if err := strictjson.Unmarshal(data, &at); err != nil {
		return agent.Tools{}, fmt.Errorf("%w: %w", agent.ErrTools, err)
	}
	if !filepath.IsLocal(at.Dir) {
		return agent.Tools{}, fmt.Errorf("%w: they lie outside their folder", agent.ErrTools)
	}
	tools, err := agent.Open(filepath.Join(w.in(pipeline.ToolsDir), at.Dir))
	if err != nil {
		return agent.Tools{}, err
	}
	return tools, tools.Verify(ctx)
}

// agentRun is the one exec of the model's process.
func (w work) agentRun(ctx context.Context, pol policy.Policy, call agent.Command) (agent.Result, error) {
	relay := w.Layout.Relay
	if relay == "" {
		relay = fmt.Sprintf("%s:%d", w.step.Net.Relay, pipeline.ModelProxyPort)
	}
	var said bytes.Buffer // bounded by the fence's limit on output
	r, err := fence.Run(ctx, fence.Options{
		Helper: w.Helper, Profile: fence.Agent, Timeout: min(pol.Agent.Timeout, w.step.Limits.Timeout), Limits: w.limits(),
		Args: call.Args, Env: call.Env, Dir: call.Dir, Read: append(system(), call.Read...), Write: call.Write,
		Relay: relay, Stdin: bytes.NewReader(call.Stdin), Stdout: &said,
	})
	if err != nil {
		return agent.Result{}, err
	}
	if r.End != fence.Exited {
		return agent.Result{}, fmt.Errorf("%w: %v", ErrAgentEnd, r)
	}
	return agent.ReadResult(&said, r.Code)
}
