package main

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"selffix/dagger/internal/dagger"
	"selffix/gates"
	"selffix/internal/demo"
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

// given is the ground of a test: the recorder, and the files and secrets that a caller brings.
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

func TestGate(t *testing.T) {
	g := begin(t)
	v, err := g.m.Gate(g.ctx, g.policyFile(), g.file("the event"), runID, 1, g.secret("env://READ"))
	if err != nil {
		t.Fatal(err)
	}
	call{
		plan: pipeline.Gate(), first: "gate", last: "gate", policy: g.parsed, files: g.gateFiles("status"),
		secrets: map[pipeline.SecretName]string{pipeline.SecretGitHubRead: "env://READ"},
	}.equals(t, g.recorder)
	if said, err := v.Require(); v.Decision != "act" || err != nil || said != "act" || v.Json() != verdictText(t, goesOn) {
		t.Errorf("verdict %+v, Require() = %q, %v", v, said, err)
	}
}

func TestGateThatDoesNotAct(t *testing.T) {
	g := begin(t)
	ask := func() (*Verdict, error) {
		return g.m.Gate(g.ctx, g.policyFile(), g.file("the event"), runID, 1, g.secret("env://READ"))
	}
	g.ends(map[pipeline.StepName]string{"gate": stops})
	v, err := ask()
	if err != nil || v.Decision != "nothing" || v.Rule != "SF-GATE-010" {
		t.Fatalf("a gate that stops: %+v, %v, want a verdict", v, err)
	}
	if said, err := v.Require(); err == nil || said != "" {
		t.Errorf("Require() = %q, %v, want an error", said, err)
	}
	for name, outcome := range map[string]string{"it doubts": doubts, "it left nothing": "", "it says something else": `{"decision":"act","rule":"","reason":""}`, "it left no outcome": `{}`} {
		g.ends(map[pipeline.StepName]string{"gate": outcome})
		if v, err := ask(); err == nil || v != nil {
			t.Errorf("%s: %+v, %v, want an error", name, v, err)
		}
	}
	// A step that stops and leaves a verdict that acts, or the reverse.
	for outcome, verdict := range map[string]string{stops: goesOn, goesOn: stops} {
		g.left = func(_ *node, path string) (string, bool) {
			return map[string]string{"/out/outcome.json": outcome, "/out/verdict.json": verdictText(t, verdict)}[path], true
		}
		if v, err := ask(); err == nil {
			t.Errorf("outcome %s with verdict %s: %+v, want an error", outcome, verdict, v)
		}
	}
}

func TestRunIsStated(t *testing.T) {
	g := begin(t)
	for _, bad := range [][2]int{{0, 1}, {runID, 0}, {-1, 1}} {
		if _, err := g.m.Gate(g.ctx, g.policyFile(), g.file(""), bad[0], bad[1], g.secret("env://READ")); !errors.Is(err, pipeline.ErrRun) {
			t.Errorf("run %d attempt %d: %v, want ErrRun", bad[0], bad[1], err)
		}
	}
	if _, err := g.m.ReviewGate(g.ctx, g.policyFile(), g.file(""), "push", runID, 1, g.secret("env://READ"), nil); !errors.Is(err, pipeline.ErrRun) {
		t.Errorf("event push: %v, want ErrRun", err)
	}
	if n := len(g.states()); n != 0 {
		t.Errorf("%d execs ran", n)
	}
}

func TestEvidence(t *testing.T) {
	g := begin(t)
	f, err := g.m.Evidence(g.ctx, g.policyFile(), g.file("the verdict"), g.file("the lockfile"), g.secret("env://BOT"))
	if err != nil {
		t.Fatal(err)
	}
	call{
		plan: pipeline.Fix(), first: "bot-tools", last: "evidence-read", policy: g.parsed,
		files:   map[pipeline.Ref]string{"in.policy": g.policy, "fix-regate.verdict": "the verdict", "in.bot-lockfile": "the lockfile"},
		secrets: map[pipeline.SecretName]string{pipeline.SecretBot: "env://BOT"},
	}.equals(t, g.recorder)
	if text, err := f.Contents(g.ctx); err != nil || text != "evidence-read made bundle" {
		t.Errorf("bundle %q, %v", text, err)
	}
	g.ends(map[pipeline.StepName]string{"evidence-fetch": stops})
	if f, err := g.m.Evidence(g.ctx, g.policyFile(), g.file("the verdict"), g.file("the lockfile"), g.secret("env://BOT")); err == nil || f != nil {
		t.Errorf("without evidence: %v, %v, want an error", f, err)
	}
}

func TestCheckout(t *testing.T) {
	g := begin(t)
	d, err := g.m.Checkout(g.ctx, g.policyFile(), g.file("the verdict"), g.secret("env://READ"))
	if err != nil {
		t.Fatal(err)
	}
	call{
		plan: pipeline.Fix(), first: "fetch", last: "materialise", policy: g.parsed,
		files:   map[pipeline.Ref]string{"in.policy": g.policy, "fix-regate.verdict": "the verdict"},
		secrets: map[pipeline.SecretName]string{pipeline.SecretGitHubRead: "env://READ"},
	}.equals(t, g.recorder)
	if text, err := d.File("trees.json").Contents(g.ctx); err != nil || text != "materialise made trees" {
		t.Errorf("trees %q, %v", text, err)
	}
}

// agent runs the agent on a folder of the caller's.
func (g ground) agent() (*Repair, *dagger.Directory, error) {
	tree := g.folder("the commit")
	r, err := g.m.Agent(g.ctx, g.policyFile(), g.file("the verdict"), tree, g.file("the bundle"), g.secret("env://MODEL"))
	return r, tree, err
}

func TestAgentAndCheck(t *testing.T) {
	g := begin(t)
	r, tree, err := g.agent()
	if err != nil {
		t.Fatal(err)
	}
	files := map[pipeline.Ref]string{"in.policy": g.policy, "evidence-read.bundle": "the bundle", "materialise.trees": "trees of the commit"}
	call{
		plan: pipeline.Fix(), first: "tools", last: "diff", policy: g.parsed, files: files,
		folders: map[pipeline.Ref]*node{"materialise.tree": g.of(tree.Directory("tree"))},
		secrets: map[pipeline.SecretName]string{pipeline.SecretModel: "env://MODEL"},
	}.equals(t, g.recorder)
	// Nothing of GitHub's or the bot's is in this session at all, and the run's key is in no query but the one that makes it a secret.
	for _, n := range g.nodes {
		if n.field == "secret" && n.str("uri") != "env://MODEL" {
			t.Errorf("the session of the agent's call has the secret %q", n.str("uri"))
		}
		if n.field == "setSecret" {
			for _, q := range g.queries {
				if strings.Contains(q, n.str("plaintext")) && !strings.Contains(q, "setSecret") {
					t.Errorf("the run's key stands in %q", q)
				}
			}
		}
	}

	left := r.Left
	ran := len(g.states())
	d, err := r.Check(g.ctx, nil)
	if err != nil {
		t.Fatal(err)
	}
	checks := g.states()[ran:]
	if len(checks) != 1 || checks[0].name() != "check" || len(checks[0].secrets) != 0 || len(checks[0].bindings) != 0 {
		t.Fatalf("Check ran %v", checks)
	}
	s, _ := pipeline.Fix().Step("check")
	c := call{plan: pipeline.Fix(), policy: g.parsed, folders: map[pipeline.Ref]*node{"fetch.objects": g.of(left.Directory("objects"))}, files: map[pipeline.Ref]string{
		"in.policy": g.policy, "fix-regate.verdict": "the verdict", "materialise.trees": "trees of the commit", "diff.patch": "diff made patch",
		"diff.inventories": "diff made inventories", "agent.summary": "agent made summary", "model-proxy.meter": "model-proxy-meter made meter",
	}}
	c.one(t, g.recorder, s, map[pipeline.StepName]state{"check": checks[0]})
	for name, want := range map[string]string{"outcome.json": goesOn, "report.json": "check made report", "candidate.json": "check made candidate", "fix.patch": "check made patch"} {
		if text, err := d.File(name).Contents(g.ctx); err != nil || text != want {
			t.Errorf("%s is %q, %v, want %q", name, text, err, want)
		}
	}
}

func TestAgentThatChangedNothing(t *testing.T) {
	g := begin(t)
	g.ends(map[pipeline.StepName]string{"diff": stops})
	r, _, err := g.agent()
	if err != nil {
		t.Fatal(err)
	}
	ran := len(g.states())
	d, err := r.Check(g.ctx, nil)
	if err != nil || len(g.states()) != ran {
		t.Fatalf("Check = %v, and ran %d execs, want none", err, len(g.states())-ran)
	}
	if text, err := d.File("outcome.json").Contents(g.ctx); err != nil || text != stops {
		t.Errorf("outcome %q, %v", text, err)
	}
	for _, step := range []pipeline.StepName{"tools", "agent", "model-proxy-meter", "diff"} {
		g.ends(map[pipeline.StepName]string{step: doubts})
		if r, _, err := g.agent(); err == nil || r != nil {
			t.Errorf("%s doubts: %v, %v, want an error", step, r, err)
		}
	}
}

func TestRefusedPatchIsNotHandedOn(t *testing.T) {
	g := begin(t)
	r, _, err := g.agent()
	if err != nil {
		t.Fatal(err)
	}
	g.ends(map[pipeline.StepName]string{"check": stops})
	inner := g.left
	g.left = func(exec *node, path string) (string, bool) { // one that was refused and left all files all the same
		if text, ok := inner(exec, path); ok || !strings.HasPrefix(path, "/out/") {
			return text, ok
		}
		return "refused", true
	}
	d, err := r.Check(g.ctx, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"candidate.json", "fix.patch"} {
		if text, err := d.File(name).Contents(g.ctx); err == nil {
			t.Errorf("%s of a refused patch is handed on: %q", name, text)
		}
	}
	if text, err := d.File("report.json").Contents(g.ctx); err != nil || text != "refused" {
		t.Errorf("report %q, %v", text, err)
	}
}

func TestRecheck(t *testing.T) {
	g := begin(t)
	folder := g.folder("the commit")
	d, err := g.m.Recheck(g.ctx, g.policyFile(), g.file("the verdict"), folder, g.file("the candidate"), g.file("the patch"))
	if err != nil {
		t.Fatal(err)
	}
	call{
		plan: pipeline.Recheck(), first: "recheck", last: "recheck", policy: g.parsed,
		files: map[pipeline.Ref]string{
			"in.policy": g.policy, "recheck-regate.verdict": "the verdict", "in.candidate": "the candidate", "in.patch": "the patch",
		},
		folders: map[pipeline.Ref]*node{"recheck-fetch.objects": g.of(folder.Directory("objects.git"))},
	}.equals(t, g.recorder)
	if text, err := d.File("result.pack").Contents(g.ctx); err != nil || text != "recheck made pack" {
		t.Errorf("pack %q, %v", text, err)
	}
	g.ends(map[pipeline.StepName]string{"recheck": stops})
	d, err = g.m.Recheck(g.ctx, g.policyFile(), g.file("the verdict"), folder, g.file("another candidate"), g.file("the patch"))
	if err != nil {
		t.Fatal(err)
	}
	if text, err := d.File("outcome.json").Contents(g.ctx); err != nil || text != stops {
		t.Errorf("outcome %q, %v", text, err)
	}
}

func (g ground) push() (*Verdict, error) {
	return g.m.Push(g.ctx, g.policyFile(), g.file("the event"), runID, 1, g.folder(""), g.secret("env://WRITE"))
}

func TestPush(t *testing.T) {
	g := begin(t)
	inner := g.left
	g.left = func(exec *node, path string) (string, bool) {
		if path == "/out/receipt.json" {
			return receiptJ, true
		}
		return inner(exec, path)
	}
	v, err := g.push()
	if err != nil {
		t.Fatal(err)
	}
	files := g.gateFiles("status")
	files["in.result"], files["in.pack"] = "result", "pack"
	call{
		plan: pipeline.Push(), first: "regate", last: "publish", policy: g.parsed, files: files,
		secrets: map[pipeline.SecretName]string{pipeline.SecretGitHubRead: "env://WRITE", pipeline.SecretGitHubWrite: "env://WRITE"},
	}.equals(t, g.recorder)
	if said, err := v.Require(); said != "pushed" || err != nil || v.Json() != receiptJ {
		t.Errorf("verdict %+v, Require() = %q, %v", v, said, err)
	}
}

func TestPushThatDoesNot(t *testing.T) {
	g := begin(t)
	g.ends(map[pipeline.StepName]string{"regate": stops})
	if v, err := g.push(); err != nil || v.Decision != "nothing" || v.Json() != verdictText(t, stops) || len(g.states()) != 1 {
		t.Errorf("gates that do not act: %+v, %v, after %d execs, want their verdict after one", v, err, len(g.states()))
	}
	g.ends(map[pipeline.StepName]string{"publish": stops})
	v, err := g.push()
	if err != nil || v.Decision != "refused" || v.Rule != "SF-TEST-001" || v.Json() != `{"rule":"SF-TEST-001","reason":"for a test","pushed":false}` {
		t.Fatalf("a refused push: %+v, %v", v, err)
	}
	if _, err := v.Require(); err == nil {
		t.Error("a refused push passes Require")
	}
	g.ends(map[pipeline.StepName]string{"publish": doubts})
	if v, err := g.push(); err == nil {
		t.Errorf("a push that nobody knows about: %+v, want an error", v)
	}
}

func TestPushDryRun(t *testing.T) {
	g := begin(t)
	g.left = func(_ *node, path string) (string, bool) {
		return `{"rule":"SF-PUSH-002","reason":"dry","pushed":false}`, path == "stdout"
	}
	v, err := g.m.PushDryRun(g.ctx, g.policyFile(), g.folder(""))
	if err != nil {
		t.Fatal(err)
	}
	s := g.command(t, "push --dry-run --result /in --policy /in/policy.yaml --format json")
	if len(s.mounts) != 4 {
		t.Errorf("mounts %v", s.mounts)
	}
	if said, err := v.Require(); err != nil || v.Decision == "pushed" {
		t.Errorf("a dry run without fault: %+v, %q, %v", v, said, err)
	}
	g.code = func(*node) int { return 1 }
	if v, err := g.m.PushDryRun(g.ctx, g.policyFile(), g.folder("")); err != nil || v.Allows {
		t.Errorf("a dry run with a fault: %+v, %v", v, err)
	}
	g.code = func(*node) int { return 2 }
	if v, err := g.m.PushDryRun(g.ctx, g.policyFile(), g.folder("")); err == nil {
		t.Errorf("a dry run that could not: %+v, want an error", v)
	}
}

// command is the one exec that ran, which must be of a command without a secret, and asked for afresh.
func (g ground) command(t *testing.T, want string) state {
	t.Helper()
	all := g.states()
	if len(all) != 1 {
		t.Fatalf("%d execs ran, want one", len(all))
	}
	s := all[0]
	if s.name() != want {
		t.Errorf("ran %q, want %q", s.name(), want)
	}
	if len(s.secrets) != 0 || len(s.secretVs) != 0 || len(s.bindings) != 0 || len(s.env[nonceVariable]) < 20 || s.user != "0:0" {
		t.Errorf("secrets %v %v, services %v, nonce %q, user %q", s.secrets, s.secretVs, s.bindings, s.env[nonceVariable], s.user)
	}
	if len(s.options) != 1 || s.options[0] != "expect" {
		t.Errorf("options %v", s.options)
	}
	return s
}

func TestReviewGate(t *testing.T) {
	for _, tt := range []struct {
		name    string
		by      pipeline.ReviewSecret
		event   string
		key     string
		secrets map[pipeline.SecretName]string
	}{
		{"by the workflow's token", pipeline.ReviewByToken, "merge_group", "", map[pipeline.SecretName]string{pipeline.SecretGitHubStatus: "env://TOKEN"}},
		{"by the app", pipeline.ReviewByApp, "pull_request_target", "env://KEY", map[pipeline.SecretName]string{
			pipeline.SecretGitHubRead: "env://TOKEN", pipeline.SecretReviewAppKey: "env://KEY",
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			g := begin(t)
			var key *dagger.Secret
			if tt.key != "" {
				key = g.secret(tt.key)
			}
			v, err := g.m.ReviewGate(g.ctx, g.policyFile(), g.file("the event"), tt.event, runID, 1, g.secret("env://TOKEN"), key)
			if err != nil || !v.Allows {
				t.Fatalf("%+v, %v", v, err)
			}
			call{plan: pipeline.Review(tt.by), first: "review-gate", last: "review-gate", policy: g.parsed, files: g.gateFiles(tt.event), secrets: tt.secrets}.equals(t, g.recorder)
		})
	}
}

func TestCheckOfAPatch(t *testing.T) {
	g := begin(t)
	g.left = func(_ *node, path string) (string, bool) {
		return `{"verdict":"accept","findings":[]}`, path == "stdout"
	}
	repo := g.folder("")
	v, err := g.m.Check(g.ctx, repo, "--evil", g.policyFile(), g.file("the patch"))
	if err != nil {
		t.Fatal(err)
	}
	s := g.command(t, strings.Join(fenced("check", "--repo=/in/repository", "--base=--evil", "--policy=/in/policy.yaml", "--patch=/in/fix.patch", "--format=json"), " "))
	if s.args[1] != "fence" || s.mounts["/in/repository"].source != g.of(repo) || !s.mounts["/in/repository"].readOnly {
		t.Errorf("runs %q with %v", s.args, s.mounts)
	}
	if said, err := v.Require(); said != "accept" || err != nil {
		t.Errorf("Require() = %q, %v", said, err)
	}
	for _, tt := range []struct {
		name, said string
		code       int
		decision   string // "": an error
	}{
		{"a refusal", `{"verdict":"refuse","findings":[{"rule":"SF-PATH-001"}]}`, 1, "refuse"},
		{"a refusal that exits 0", `{"verdict":"refuse","findings":[{"rule":"SF-PATH-001"}]}`, 0, ""},
		{"a refusal without a finding", `{"verdict":"refuse","findings":[]}`, 1, ""},
		{"an acceptance that exits 1", `{"verdict":"accept","findings":[]}`, 1, ""},
		{"an acceptance with a finding", `{"verdict":"accept","findings":[{"rule":"SF-PATH-001"}]}`, 0, ""},
		{"no decision", `{"verdict":"undecided","findings":[]}`, 1, ""},
		{"a deadline", ``, 124, ""},
		{"no fence", ``, 125, ""},
	} {
		g.left = func(*node, string) (string, bool) { return tt.said, true }
		g.code = func(*node) int { return tt.code }
		v, err := g.m.Check(g.ctx, repo, "HEAD", g.policyFile(), g.file("the patch"))
		if (err == nil) != (tt.decision != "") || (err == nil && (v.Decision != tt.decision || v.Allows)) {
			t.Errorf("%s: %+v, %v, want %q", tt.name, v, err, tt.decision)
		}
	}
}

func TestFix(t *testing.T) {
	g := begin(t)
	repo := g.folder("")
	d, err := g.m.Fix(g.ctx, repo, commit, g.file("the report"), g.policyFile(), g.secret("env://MODEL"), nil)
	if err != nil {
		t.Fatal(err)
	}
	target, err := pipeline.WriteTarget(pipeline.LocalTarget{TestedCommit: commit})
	if err != nil {
		t.Fatal(err)
	}
	c := call{
		plan: pipeline.LocalFix(), first: "target", last: "check", policy: g.parsed,
		files:   map[pipeline.Ref]string{"in.policy": g.policy, "in.event": string(target)},
		folders: map[pipeline.Ref]*node{"in.repository": g.of(repo.Directory(".git/objects"))},
		secrets: map[pipeline.SecretName]string{pipeline.SecretModel: "env://MODEL"},
	}
	for _, s := range g.states() {
		if m, ok := s.mounts["/in/report"]; ok {
			c.folders["in.report"] = m.source
			f := &node{parent: m.source, field: "file", args: map[string]any{"path": pipeline.ReportFile}}
			if text, err := g.content(f); err != nil || text != "the report" {
				t.Errorf("the report is %q, %v", text, err)
			}
		}
	}
	c.equals(t, g.recorder)
	if text, err := d.File("fix.patch").Contents(g.ctx); err != nil || text != "check made patch" {
		t.Errorf("patch %q, %v", text, err)
	}
}

func TestFixUnderAPolicyThatIsOff(t *testing.T) {
	g := begin(t, "enabled: true", "enabled: false")
	d, err := g.m.Fix(g.ctx, g.folder(""), commit, g.file("the report"), g.policyFile(), g.secret("env://MODEL"), nil)
	if err != nil || len(g.states()) != 0 {
		t.Fatalf("%v, after %d execs", err, len(g.states()))
	}
	if text, err := d.File("outcome.json").Contents(g.ctx); err != nil || !strings.Contains(text, `"stop"`) {
		t.Errorf("outcome %q, %v", text, err)
	}
}

func TestSelfTest(t *testing.T) {
	g := begin(t)
	g.left = func(*node, string) (string, bool) { return "all held", true }
	if text, err := g.m.SelfTest(g.ctx); err != nil || text != "all held" {
		t.Errorf("%q, %v", text, err)
	}
	g.command(t, "self-test")
	g.code = func(*node) int { return 1 }
	if text, err := g.m.SelfTest(g.ctx); err == nil || text != "" {
		t.Errorf("a fence with a hole: %q, %v, want an error", text, err)
	}
}

func TestDoctor(t *testing.T) {
	g := begin(t)
	g.left = func(*node, string) (string, bool) { return `{"findings":[]}`, true }
	v, err := g.m.Doctor(g.ctx, "o/r", g.policyFile(), g.secret("env://MINE"))
	if err != nil || v.Decision != "pass" {
		t.Fatalf("%+v, %v", v, err)
	}
	s := g.states()[0]
	if s.name() != "doctor --repository=o/r --policy=/in/policy.yaml --format=json" || len(s.secretVs) != 1 || s.secretVs["GITHUB_TOKEN"].str("uri") != "env://MINE" || len(s.secrets) != 0 {
		t.Errorf("ran %q with %v and %v", s.name(), s.secretVs, s.secrets)
	}
	g.code = func(*node) int { return 1 }
	if v, err := g.m.Doctor(g.ctx, "o/r", g.policyFile(), g.secret("env://MINE")); err != nil || v.Allows {
		t.Errorf("weaknesses: %+v, %v", v, err)
	}
}

func TestSecretsMapAsksNobody(t *testing.T) {
	g := begin(t)
	text, err := g.m.SecretsMap()
	if err != nil || len(g.queries) != 0 {
		t.Fatalf("%v, %d queries", err, len(g.queries))
	}
	for _, p := range pipeline.Plans() {
		for _, s := range p.Steps {
			if !strings.Contains(text, string(s.Name)) {
				t.Errorf("the map lacks %s", s.Name)
			}
		}
	}
}

// A stand-in is bound only where the policy is a sandbox's, names it, and the plan lets the step reach that host.
func TestSandbox(t *testing.T) {
	hosts := []string{
		"sandbox: false", "sandbox: true", "github_api: https://api.github.com", "github_api: http://sandbox-github:8080",
		"github_git: https://github.com", "github_git: http://sandbox-github:8080", "model: https://api.anthropic.com", "model: http://sandbox-model:8081",
	}
	g := begin(t, hosts...)
	github, model, bot := dag.Container().WithExposedPort(1).AsService(), dag.Container().WithExposedPort(2).AsService(), dag.Container().WithExposedPort(3).AsService()
	stands := map[string]*node{"sandbox-github": g.of(github), "sandbox-model": g.of(model), "sandbox-bot": g.of(bot)}
	g.m = g.m.WithSandbox(github, model, bot)
	if _, err := g.m.Checkout(g.ctx, g.policyFile(), g.file("the verdict"), g.secret("env://READ")); err != nil {
		t.Fatal(err)
	}
	if _, _, err := g.agent(); err != nil {
		t.Fatal(err)
	}
	want := map[string][]string{"fetch": {"sandbox-github"}, "model-proxy": {"sandbox-model"}}
	for _, s := range g.states() {
		for alias, service := range s.bindings {
			if alias == "model-proxy" {
				continue
			}
			if len(want[s.name()]) != 1 || want[s.name()][0] != alias || service != stands[alias] {
				t.Errorf("%s is bound to %s", s.name(), alias)
			}
			delete(want, s.name())
		}
	}
	if len(want) != 0 {
		t.Errorf("not bound: %v", want)
	}

	real := begin(t)
	real.m = real.m.WithSandbox(dag.Container().AsService(), dag.Container().AsService(), dag.Container().AsService())
	if _, err := real.m.Checkout(real.ctx, real.policyFile(), real.file("the verdict"), real.secret("env://READ")); err != nil {
		t.Fatal(err)
	}
	for _, s := range real.states() {
		if len(s.bindings) != 0 {
			t.Errorf("%s is bound to %v outside a sandbox", s.name(), s.bindings)
		}
	}
}

// The policy's reader refuses a stand-in's name outside a sandbox; the module does not lean on that.
func TestStandInsNeedASandbox(t *testing.T) {
	begin(t)
	m := (&SelfFix{}).WithSandbox(dag.Container().AsService(), nil, nil)
	if bound := m.stands(policy.Policy{}); len(bound) != 0 {
		t.Errorf("outside a sandbox: %v", bound)
	}
	if bound := m.stands(policy.Policy{Sandbox: true}); len(bound) != 1 || bound["sandbox-github"] == nil {
		t.Errorf("in a sandbox: %v, want the one that was given", bound)
	}
}

func TestOutputAboveItsBytes(t *testing.T) {
	g := begin(t)
	inner := g.left
	g.left = func(exec *node, path string) (string, bool) {
		if path == "/out/verdict.json" {
			return strings.Repeat(" ", 1<<20), true
		}
		return inner(exec, path)
	}
	if v, err := g.m.Gate(g.ctx, g.policyFile(), g.file("the event"), runID, 1, g.secret("env://READ")); err == nil || !strings.Contains(err.Error(), "the limit is") {
		t.Errorf("a verdict of 1 MiB: %+v, %v, want an error", v, err)
	}
}

// A meter counts only if the step that asked for it says that it is one.
func TestMeterOfAStepThatDoubts(t *testing.T) {
	g := begin(t)
	inner := g.left
	g.left = func(exec *node, path string) (string, bool) {
		if path == "/out/outcome.json" && stateOf(exec).name() == "model-proxy-meter" {
			return doubts, true
		}
		return inner(exec, path)
	}
	if r, _, err := g.agent(); err == nil || r != nil {
		t.Errorf("%v, %v, want an error", r, err)
	}
}

// A policy that wants the project's own check is not served by a call that cannot run it.
func TestVerifyIsNotSkipped(t *testing.T) {
	g := begin(t, "\nrobot:\n", "\nverify:\n  enabled: true\n  command: [npm, test]\n  timeout: 5m\n\nrobot:\n")
	if _, err := g.m.Fix(g.ctx, g.folder(""), commit, g.file("the report"), g.policyFile(), g.secret("env://MODEL"), nil); !errors.Is(err, errPackages) {
		t.Errorf("without packages: %v, want errPackages", err)
	}
	packages := dag.Directory().WithNewFile("package-lock.json", "{}")
	if _, err := g.m.Fix(g.ctx, g.folder(""), commit, g.file("the report"), g.policyFile(), g.secret("env://MODEL"), packages); err != nil {
		t.Fatal(err)
	}
	all := g.states()
	if last := all[len(all)-1]; last.name() != "verify" || len(last.secrets) != 0 {
		t.Errorf("the last step is %s with %v", last.name(), last.secrets)
	}
}

// The demo takes no secret of anybody: what its stand-ins hand out begins with sandbox-, and it goes to them alone.
func TestDemo(t *testing.T) {
	g := begin(t)
	answers := map[string]any{
		"open":    demo.Opened{Play: "repair", Policy: g.policy, Head: commit, Pull: 7, Secrets: map[pipeline.SecretName]string{pipeline.SecretBot: "sandbox-bot-key"}},
		"verdict": demo.Judged{Event: "{}", Tools: []demo.File{}}, "state": demo.State{Head: commit, Bot: []string{}, Review: []string{}, Stopped: []demo.Stopped{}},
		"test": demo.TestRun{Commit: commit, State: "success", Began: time.Unix(1, 0).UTC(), Passed: 3, Failing: []string{}},
	}
	g.left = func(exec *node, path string) (string, bool) {
		args := stateOf(exec).args
		answer, ok := answers[args[2]]
		if args[2] == "control" {
			answer, ok = answers[args[3]]
		}
		text, err := json.Marshal(answer)
		return string(text), ok && err == nil && path == "/agent/answer"
	}
	if d, err := g.m.Demo(g.ctx); !errors.Is(err, demo.ErrPlay) || d != nil {
		t.Fatalf("a play whose tests are green: %v, %v, want ErrPlay", d, err)
	}
	var ran []string
	for _, s := range g.states() {
		ran = append(ran, s.args[2])
		if s.args[1] != "sandbox" || len(s.secrets) != 0 || len(s.secretVs) != 0 || s.user != "0:0" || len(s.options) != 0 {
			t.Errorf("ran %q with %v %v as %q, options %v", s.args, s.secrets, s.secretVs, s.user, s.options)
		}
		for alias, service := range s.bindings {
			if alias != demo.GitHubAlias || service.field != "asService" || service.id != g.states()[0].exec.id {
				t.Errorf("%q is bound to %s", s.args, alias)
			}
		}
		if pinned := s.args[2] == "modules"; pinned == (len(s.env[nonceVariable]) >= 20) {
			t.Errorf("%q has the nonce %q", s.args, s.env[nonceVariable])
		}
	}
	slices.Sort(ran)
	if !slices.Equal(ran, []string{"bring", "control", "control", "control", "modules", "serve", "test"}) {
		t.Errorf("ran %v", ran)
	}
	for _, n := range g.nodes {
		if n.field == "secret" || (n.field == "setSecret" && !strings.HasPrefix(n.str("plaintext"), "sandbox-") && !strings.HasPrefix(n.str("plaintext"), "self-fix-run-")) {
			t.Errorf("the demo's session has the secret %v", n.args)
		}
	}
}
