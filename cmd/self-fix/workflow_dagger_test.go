package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"selffix/internal/tokens"
	"selffix/pipeline"
	"selffix/pipeline/agent"
	"selffix/pipeline/evidence"
	"selffix/pipeline/local"
	"selffix/pipeline/proxy"
)

// standIn is what the workflows install as the dagger command line. It holds the call to the form that it must have and to the
// engine that is pinned, and plays it by playDagger.
const standIn = `#!/bin/bash
set -euo pipefail
[[ "$1 $2 $3 $4" == "--progress plain call --mod" && $5 == github.com/o/self-fix@* && $6 == --output ]] || { echo "odd call: $*" >&2; exit 1; }
[[ -z ${OTEL_EXPORTER_OTLP_ENDPOINT:-} && $_EXPERIMENTAL_DAGGER_RUNNER_HOST == image://registry.dagger.io/engine:v0.21.8@sha256:* ]] || exit 1
exec played-dagger "${@:7}"
`

// daggerCall is one call of a function of the module, played by the same steps of the same plans without an engine.
type daggerCall struct {
	out  string
	args map[string]string
	ip   *local.Interpreter
	have map[pipeline.Ref]string
}

// playDagger plays the call whose command line is OUT FUNCTION [--NAME VALUE]… and returns its exit code.
func playDagger(ctx context.Context, args []string, e env) int {
	if err := playCall(ctx, args, e); err != nil {
		fmt.Fprintln(e.Stderr, "played dagger:", err)
		return 1
	}
	return 0
}

func playCall(ctx context.Context, args []string, e env) (err error) {
	c := daggerCall{out: args[0], args: map[string]string{}, have: map[pipeline.Ref]string{}}
	for i := 2; i+1 < len(args); i++ {
		if name, ok := strings.CutPrefix(args[i], "--"); ok {
			i++
			c.args[name] = args[i]
		}
	}
	o := local.Options{Getenv: e.Getenv, Stderr: e.Stderr, Secrets: map[pipeline.SecretName]tokens.Token{}}
	if o.Worker, err = os.Executable(); err != nil {
		return err
	}
	worker, err := os.MkdirTemp("", "played-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(worker)
	// The test's program is the worker only under that name.
	if err := os.Link(o.Worker, filepath.Join(worker, "self-fix")); err != nil {
		return err
	}
	o.Worker = filepath.Join(worker, "self-fix")
	cache, err := agent.CacheDir(e.Getenv)
	if err != nil {
		return err
	}
	o.Keep = map[pipeline.Ref]string{"tools.tools": cache}
	if err := c.secrets(e, args[1], o.Secrets); err != nil {
		return err
	}
	if variable, ok := strings.CutPrefix(c.args["app-key"], "env://"); ok {
		o.Keys = map[pipeline.SecretName][]byte{pipeline.SecretReviewAppKey: []byte(e.Getenv(variable))}
	}
	if c.ip, err = local.New(o); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.ip.Close()) }()
	return c.play(ctx, e, args[1])
}

// secrets grants what each function's arguments may hold, and refuses a call in whose environment another secret stands.
func (c daggerCall) secrets(e env, function string, all map[pipeline.SecretName]tokens.Token) error {
	if function == "agent" && e.Getenv("GITHUB_TOKEN")+e.Getenv("TESTSPRITE_API_KEY") != "" {
		return errors.New("the agent's call has another secret")
	}
	for argument, names := range map[string][]pipeline.SecretName{
		"token":   {pipeline.SecretGitHubRead, pipeline.SecretGitHubWrite, pipeline.SecretGitHubStatus},
		"bot-key": {pipeline.SecretBot}, "model-token": {pipeline.SecretModel},
	} {
		variable, ok := strings.CutPrefix(c.args[argument], "env://")
		if !ok {
			continue
		}
		for _, name := range names {
			t, err := tokens.New(e.Getenv(variable))
			if err != nil {
				return fmt.Errorf("--%s: %w", argument, err)
			}
			all[name] = t
		}
	}
	return nil
}

func (c daggerCall) play(ctx context.Context, e env, function string) error {
	for argument, refs := range map[string][]pipeline.Ref{
		"policy": {"in.policy"}, "event": {"in.event"}, "verdict": {"fix-regate.verdict", "recheck-regate.verdict"}, "tree": {"fetch.objects"},
		"objects": {"recheck-fetch.objects"}, "bundle": {"evidence-read.bundle"}, "candidate": {"in.candidate"}, "patch": {"in.patch"},
	} {
		for _, ref := range refs {
			if name, ok := c.args[argument]; ok {
				c.have[ref] = name
			}
		}
	}
	switch function {
	case "gate":
		return c.judge(ctx, pipeline.Gate(), "gate.verdict", "status")
	case "review-gate":
		by := pipeline.ReviewByToken
		if c.args["app-key"] != "" {
			by = pipeline.ReviewByApp
		}
		return c.judge(ctx, pipeline.Review(by), "review-gate.verdict", c.args["event-name"])
	case "push":
		c.have["in.result"], c.have["in.pack"] = filepath.Join(c.args["result"], "result.json"), filepath.Join(c.args["result"], "result.pack")
		return c.judge(ctx, pipeline.Push(), "publish.receipt", "status")
	case "evidence":
		return c.evidence(ctx, e.Getenv("PLAYED_REPORT"))
	case "checkout":
		return c.folder(ctx, pipeline.Fix(), "fetch", "fetch", map[pipeline.Ref]string{"fetch.objects": ""})
	case "agent":
		key, err := proxy.NewKey(nil)
		if err != nil {
			return err
		}
		if err := c.give("in.run-key", []byte(key.Reveal())); err != nil {
			return err
		}
		return c.folder(ctx, pipeline.Fix(), "materialise", "check", map[pipeline.Ref]string{
			"check.report": "report.json", "check.patch": "fix.patch", "check.candidate": "candidate.json"})
	case "recheck":
		return c.folder(ctx, pipeline.Recheck(), "recheck", "recheck", map[pipeline.Ref]string{"recheck.result": "result.json", "recheck.pack": "result.pack"})
	}
	return fmt.Errorf("no function %q", function)
}

// give lays a file out that the caller makes.
func (c daggerCall) give(ref pipeline.Ref, data []byte) error {
	dir, err := c.ip.Folder("given")
	if err != nil {
		return err
	}
	c.have[ref] = filepath.Join(dir, string(ref))
	return os.WriteFile(c.have[ref], data, 0o600)
}

// judge runs a plan that ends in a file: the one called last, or the verdict of the gates that did not let it come to that.
func (c daggerCall) judge(ctx context.Context, p pipeline.Plan, last pipeline.Ref, event string) error {
	run := pipeline.ThisRun{RunID: 1, Attempt: 1, EventName: event} // the review gate counts no runs
	if c.args["run"] != "" {
		var err, odd error
		run.RunID, err = strconv.ParseInt(c.args["run"], 10, 64)
		run.Attempt, odd = strconv.Atoi(c.args["attempt"])
		if err := errors.Join(err, odd); err != nil {
			return err
		}
	}
	text, err := pipeline.WriteRun(run)
	if err != nil {
		return err
	}
	if err := c.give("in.run", text); err != nil {
		return err
	}
	have, result, err := pipeline.Run(ctx, p, c.ip, c.have)
	if err != nil || result.Outcome.Decision == pipeline.Undecided {
		return fmt.Errorf("undecided: %+v, %w", result.Outcome, err)
	}
	for _, ref := range []pipeline.Ref{last, "regate.verdict"} {
		if name, ok := have[ref]; ok {
			return copyTo(c.out, name)
		}
	}
	return errors.New("the plan left nothing")
}

func (c daggerCall) evidence(ctx context.Context, report string) error {
	dir, err := c.ip.Folder("report")
	if err != nil {
		return err
	}
	if err := evidence.Give(dir, report); err != nil {
		return err
	}
	c.have["in.report"] = dir
	have, result, err := pipeline.RunPart(ctx, pipeline.LocalFix(), "evidence-file", "evidence-file", c.ip, c.have)
	if err != nil || result.Outcome.Decision != pipeline.Continue {
		return fmt.Errorf("no bundle: %+v, %w", result.Outcome, err)
	}
	return copyTo(c.out, have["evidence-file.bundle"])
}

// folder runs a part of a plan and leaves a folder: the outcome, and what keep names.
func (c daggerCall) folder(ctx context.Context, p pipeline.Plan, first, last pipeline.StepName, keep map[pipeline.Ref]string) error {
	have, result, err := pipeline.RunPart(ctx, p, first, last, c.ip, c.have)
	if err != nil || result.Outcome.Decision == pipeline.Undecided {
		return fmt.Errorf("undecided: %+v, %w", result.Outcome, err)
	}
	if err := os.MkdirAll(c.out, 0o755); err != nil {
		return err
	}
	for ref, name := range keep {
		at, ok := have[ref]
		switch {
		case !ok:
		case name == "":
			return os.CopyFS(c.out, os.DirFS(at))
		default:
			err = errors.Join(err, copyTo(filepath.Join(c.out, name), at))
		}
	}
	text, odd := json.Marshal(result.Outcome)
	return errors.Join(err, odd, os.WriteFile(filepath.Join(c.out, "outcome.json"), text, 0o644))
}

func copyTo(to, from string) error {
	data, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return os.WriteFile(to, data, 0o644)
}
