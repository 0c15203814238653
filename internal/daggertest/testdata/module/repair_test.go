package main

import (
	"errors"
	"strings"
	"testing"

	"selffix/dagger/internal/dagger"
	"selffix/pipeline"
)

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
