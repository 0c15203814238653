package main

import (
	"testing"

	"selffix/pipeline"
)

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
