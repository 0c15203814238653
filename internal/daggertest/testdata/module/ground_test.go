package main

import (
	"context"
	"os"
	"strings"
	"testing"

	"selffix/dagger/internal/dagger"
	"selffix/gates"
	"selffix/pipeline"
	"selffix/pipeline/policy"
)

// The made-up identity that the tests act for.
const (
	commit   = "0123456789abcdef0123456789abcdef01234567"
	runID    = 77
	goesOn   = `{"decision":"continue","rule":"","reason":""}`
	stops    = `{"decision":"stop","rule":"SF-TEST-001","reason":"for a test"}`
	doubts   = `{"decision":"","rule":"SF-TEST-002","reason":"for a test"}`
	receiptJ = `{"rule":"SF-PUSH-001","reason":"one commit was pushed","pushed":true}`
)

// ground is what a test stands on: the recorder, and the files and secrets that a caller brings.
type ground struct {
	*recorder
	t      *testing.T
	ctx    context.Context
	policy string
	parsed policy.Policy
	m      *SelfFix
}

func begin(t *testing.T, change ...string) ground {
	t.Helper()
	seed, err := os.ReadFile("../testdata/policy/seed.yaml")
	if err != nil {
		t.Fatal(err)
	}
	g := ground{recorder: connect(t), t: t, ctx: t.Context(), policy: strings.NewReplacer(change...).Replace(string(seed)), m: &SelfFix{}}
	if g.parsed, err = policy.Parse([]byte(g.policy)); err != nil {
		t.Fatal(err)
	}
	g.ends(nil)
	return g
}

// ends makes the steps leave all their outputs and go on, but for those with another outcome, which leave that alone and their verdicts.
func (g *ground) ends(otherwise map[pipeline.StepName]string) {
	plans := append(pipeline.Plans(), pipeline.Plan{Steps: pipeline.Collectors()})
	g.left = func(exec *node, path string) (string, bool) {
		name := pipeline.StepName(stateOf(exec).name())
		outcome, other := otherwise[name]
		if !other {
			outcome = goesOn
		}
		if path == "/out/outcome.json" {
			return outcome, outcome != ""
		}
		for _, p := range plans {
			s, ok := p.Step(name)
			if !ok {
				continue
			}
			for _, o := range s.Out {
				if o.Path != path {
					continue
				}
				if o.Kind == pipeline.KindVerdict {
					return verdictText(g.t, outcome), true
				}
				return string(name) + " made " + o.Name, !other
			}
		}
		return "", false
	}
}

func verdictText(t *testing.T, outcome string) string {
	t.Helper()
	v := gates.Verdict{Decision: gates.Nothing, Rule: "SF-GATE-010", Reason: "for a test", Facts: []gates.Fact{}}
	if outcome == goesOn {
		v.Decision = gates.Act
		v.Target = &gates.Target{RepositoryID: 5, Repository: "o/r", PullRequest: 7, Ref: "refs/heads/f", TestedCommit: commit, RunID: runID, RunAttempt: 1}
	}
	text, err := v.JSON()
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func (g ground) file(text string) *dagger.File {
	return dag.Directory().WithNewFile("given", text).File("given")
}

func (g ground) policyFile() *dagger.File { return g.file(g.policy) }

func (g ground) folder(name string) *dagger.Directory {
	return dag.Directory().WithNewFile("trees.json", "trees of "+name).WithNewFile("result.json", "result").WithNewFile("result.pack", "pack")
}

// secret is one whose value stands in no query.
func (g ground) secret(uri string) *dagger.Secret { return dag.Secret(uri) }

// of is the node that an object of the client stands for.
func (g ground) of(id interface {
	ID(context.Context) (dagger.ID, error)
}) *node {
	g.t.Helper()
	name, err := id.ID(g.ctx)
	if err != nil {
		g.t.Fatal(err)
	}
	return g.byID(string(name))
}

func (g ground) run(event string) string {
	text, err := pipeline.WriteRun(pipeline.ThisRun{RunID: runID, Attempt: 1, EventName: event})
	if err != nil {
		g.t.Fatal(err)
	}
	return string(text)
}

func (g ground) gateFiles(event string) map[pipeline.Ref]string {
	return map[pipeline.Ref]string{"in.policy": g.policy, "in.event": "the event", "in.run": g.run(event)}
}
