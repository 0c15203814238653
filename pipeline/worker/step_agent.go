package worker

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

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
	around := w.agentFence(pol, call)
	tested, err := w.selfTest(ctx, call, around)
	if err != nil {
		return pipeline.Outcome{}, err
	}
	result, err := agentRun(ctx, call, around)
	fmt.Fprintf(w.Stdout, "agent: %v\n", result)
	if err == nil || result != (agent.Result{}) { // a failed run has a cost too
		err = errors.Join(err, w.writeJSON("summary.json", Summary{Turns: result.Turns, CostUSD: result.CostUSD, SelfTest: tested.String()}))
	}
	if err != nil {
		return pipeline.Outcome{}, err
	}
	return goOn()
}

// agentTools opens the folder that the tools step named and verifies the program in it.
func (w work) agentTools(ctx context.Context) (agent.Tools, error) {
	data, err := readBounded(w.in(pipeline.SupervisorDir+"/tools.json"), pipeline.MaxOutcomeBytes)
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

// agentFence is the one fence of this step: the self-test and the agent run in the same.
func (w work) agentFence(pol policy.Policy, call agent.Command) fence.Options {
	return fence.Options{
		Helper: w.Helper, Profile: fence.Agent, Timeout: min(pol.Agent.Timeout, w.step.Limits.Timeout), Limits: w.limits(),
		Env: call.Env, Dir: call.Dir, Read: append(append(libraries(), w.Self), call.Read...), Write: call.Write, Relay: w.relay(),
	}
}

// selfTestTime bounds the self-test, which takes some milliseconds.
const selfTestTime = 30 * time.Second

// selfTest tries in that very fence, before the first request to the model, what must not be possible.
func (w work) selfTest(ctx context.Context, call agent.Command, o fence.Options) (agent.Report, error) {
	input, err := call.Ground(w.in(pipeline.SupervisorDir), "/root", "/home").Input()
	if err != nil {
		return agent.Report{}, fmt.Errorf("%w: %w", agent.ErrSelfTest, err)
	}
	var said bytes.Buffer
	o.Args, o.Timeout = []string{w.Self, InsideCommand, SelfTestName, "[]"}, selfTestTime
	o.Stdin, o.Stdout = bytes.NewReader(input), &said
	r, err := fence.Run(ctx, o)
	if err != nil {
		return agent.Report{}, err
	}
	if r.End != fence.Exited || r.Code != 0 {
		return agent.Report{}, fmt.Errorf("%w: %v", agent.ErrSelfTest, r)
	}
	return agent.ReadReport(said.Bytes())
}

// agentRun is the one exec of the model's process.
func agentRun(ctx context.Context, call agent.Command, o fence.Options) (agent.Result, error) {
	var said bytes.Buffer // bounded by the fence's limit on output
	o.Args, o.Stdin, o.Stdout = call.Args, bytes.NewReader(call.Stdin), &said
	r, err := fence.Run(ctx, o)
	if err != nil {
		return agent.Result{}, err
	}
	if r.End != fence.Exited {
		return agent.Result{}, fmt.Errorf("%w: %v", ErrAgentEnd, r)
	}
	return agent.ReadResult(&said, r.Code)
}
