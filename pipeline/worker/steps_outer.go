package worker

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"time"

	"selffix/gates"
	"selffix/internal/strictjson"
	"selffix/internal/tokens"
	"selffix/pipeline"
	"selffix/pipeline/agent"
	"selffix/pipeline/checkout"
	"selffix/pipeline/evidence"
	"selffix/pipeline/policy"
	"selffix/pipeline/proxy"
)

type doer func(context.Context, work) (pipeline.Outcome, error)

// outerSteps are exposed to nothing, or are a named exception: they bring bytes and read none, or proxy.
func outerSteps() map[pipeline.StepName]doer {
	return map[pipeline.StepName]doer{
		"target": target, "tools": tools, "bot-tools": botTools, "model-proxy": modelProxy, "model-proxy-meter": askMeter,
		"evidence-fetch": evidenceFetch, "fetch": fetchTested, "recheck-fetch": fetchTested, "publish": publishStep,
		"verify-tools": verifyTools,
		"gate":         gateStep, "fix-regate": gateStep, "recheck-regate": gateStep, "regate": gateStep, "review-gate": reviewStep,
	}
}

func goOn() (pipeline.Outcome, error) { return pipeline.Outcome{Decision: pipeline.Continue}, nil }

func (w work) policy() (policy.Policy, error) {
	p, err := policy.Load(w.in(pipeline.InDir + "/policy.yaml"))
	if errors.Is(err, fs.ErrNotExist) {
		err = fmt.Errorf("%w: %w", policy.ErrPolicy, err)
	}
	return p, err
}

func (w work) secret(name pipeline.SecretName) (tokens.Token, error) {
	return tokens.ReadFile(w.in(pipeline.SecretDir + "/" + string(name)))
}

func (w work) writeOut(name string, data []byte) error {
	if err := os.WriteFile(filepath.Join(w.in(pipeline.OutDir), name), data, 0o644); err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	return nil
}

func (w work) writeJSON(name string, v any) error {
	text, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	return w.writeOut(name, append(text, '\n'))
}

func (w work) readJSON(name string, v any) error {
	data, err := os.ReadFile(w.in(pipeline.InDir + "/" + name))
	if err != nil {
		return fmt.Errorf("read %s: %w", name, err)
	}
	if err := strictjson.Unmarshal(data, v); err != nil {
		return fmt.Errorf("read %s: %w", name, err)
	}
	return nil
}

// target completes what a person named by the digest of the policy that is used.
func target(_ context.Context, w work) (pipeline.Outcome, error) {
	p, err := w.policy()
	if err != nil {
		return pipeline.Outcome{}, err
	}
	var t pipeline.LocalTarget
	if err := w.readJSON("event.json", &t); err != nil {
		return pipeline.Outcome{}, fmt.Errorf("%w: %w", ErrIdentity, err)
	}
	if !gates.IsSHA(t.TestedCommit) {
		return pipeline.Outcome{}, fmt.Errorf("%w: want 40 hexadecimal digits in lower case", checkout.ErrCommit)
	}
	t.PolicySHA256 = p.Digest
	text, err := pipeline.WriteTarget(t)
	if err != nil {
		return pipeline.Outcome{}, err
	}
	if err := w.writeOut("verdict.json", text); err != nil {
		return pipeline.Outcome{}, err
	}
	return goOn()
}

// Installed says where in the folder of tools the agent lies.
type Installed struct {
	Dir string `json:"dir"` // relative
}

func tools(ctx context.Context, w work) (pipeline.Outcome, error) {
	cache := w.in(pipeline.OutDir + "/agent")
	in := agent.Installer{Cache: cache, Source: w.source(), Getenv: w.Getenv}
	t, err := in.Install(ctx)
	if err != nil {
		return pipeline.Outcome{}, err
	}
	dir, err := filepath.Rel(cache, t.Dir)
	if err != nil {
		return pipeline.Outcome{}, fmt.Errorf("the tools lie elsewhere: %w", err)
	}
	if err := w.writeJSON("tools.json", Installed{dir}); err != nil {
		return pipeline.Outcome{}, err
	}
	return goOn()
}

func (w work) source() agent.Source {
	if w.Layout.Offline {
		return agent.CacheOnly
	}
	return agent.FromRegistry
}

func botTools(ctx context.Context, w work) (pipeline.Outcome, error) {
	lock, err := os.ReadFile(w.in(pipeline.InDir + "/bot-lock.json"))
	if err != nil {
		return pipeline.Outcome{}, fmt.Errorf("read the lockfile: %w", err)
	}
	in := agent.Installer{Source: w.source(), Getenv: w.Getenv}
	if err := in.Bring(ctx, lock, w.in(pipeline.OutDir+"/bot")); err != nil {
		return pipeline.Outcome{}, err
	}
	return goOn()
}

// proxyGrace is how long requests may go on after the service was told to end.
const proxyGrace = 2 * time.Second

func modelProxy(ctx context.Context, w work) (pipeline.Outcome, error) {
	pol, err := w.policy()
	if err != nil {
		return pipeline.Outcome{}, err
	}
	token, err := w.secret(pipeline.SecretModel)
	if err != nil {
		return pipeline.Outcome{}, err
	}
	key, err := tokens.ReadFile(w.in(pipeline.SupervisorDir + "/run-key"))
	if err != nil {
		return pipeline.Outcome{}, err
	}
	p, err := proxy.New(proxy.Options{Policy: pol, Token: token, Key: key})
	if err != nil {
		return pipeline.Outcome{}, err
	}
	address := w.Layout.Listen
	if address == "" {
		address = fmt.Sprintf(":%d", w.step.Serves)
	}
	l, err := net.Listen("tcp", address)
	if err != nil {
		return pipeline.Outcome{}, fmt.Errorf("listen for the agent: %w", err)
	}
	fmt.Fprintf(w.Stdout, "listening on %s\n", l.Addr())
	if err := p.Serve(ctx, l, proxyGrace); err != nil {
		return pipeline.Outcome{}, fmt.Errorf("serve the agent: %w", err)
	}
	if err := w.writeJSON("meter.json", p.Meter()); err != nil {
		return pipeline.Outcome{}, err
	}
	return goOn()
}

func evidenceFetch(ctx context.Context, w work) (pipeline.Outcome, error) {
	pol, id, err := w.forWhom()
	if err != nil {
		return pipeline.Outcome{}, err
	}
	key, err := w.secret(pipeline.SecretBot)
	if err != nil {
		return pipeline.Outcome{}, err
	}
	for _, d := range []string{w.home(), w.in(pipeline.OutDir + "/report")} {
		if err := os.MkdirAll(d, 0o755); err != nil {
			return pipeline.Outcome{}, fmt.Errorf("make a folder: %w", err)
		}
	}
	err = evidence.Fetch(ctx, w.in(pipeline.OutDir+"/report"), evidence.Options{
		Policy: pol, Window: id.Evidence, Key: key, Home: w.home(), Path: "/usr/local/bin:/usr/bin:/bin",
		CLI:   filepath.Join(w.in(pipeline.ToolsDir), "node_modules", ".bin", "testsprite"),
		Bytes: w.out("report").MaxBytes, Each: time.Minute,
	})
	if err != nil {
		return pipeline.Outcome{}, err
	}
	return goOn()
}

// fetchTested fetches the commit that this job's gate names.
func fetchTested(ctx context.Context, w work) (pipeline.Outcome, error) {
	pol, id, err := w.forWhom()
	if err != nil {
		return pipeline.Outcome{}, err
	}
	token, err := w.secret(pipeline.SecretGitHubRead)
	if err != nil {
		return pipeline.Outcome{}, err
	}
	if err := tokens.Check(pol.Sandbox, pol.Hosts.GitHubGit, token); err != nil {
		return pipeline.Outcome{}, fmt.Errorf("GitHub token: %w", err)
	}
	err = checkout.Fetch(ctx, w.in(w.out("objects").Path), checkout.Remote{
		Base: pol.Hosts.GitHubGit, Repository: id.Repository, Commit: id.TestedCommit, Token: token.Reveal(),
		MaxBytes: w.out("objects").MaxBytes, Timeout: w.step.Limits.Timeout,
	})
	if err != nil {
		return pipeline.Outcome{}, err
	}
	return goOn()
}

// out is the step's output called name.
func (w work) out(name string) pipeline.Output {
	for _, o := range w.step.Out {
		if o.Name == name {
			return o
		}
	}
	return pipeline.Output{}
}
