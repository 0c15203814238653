package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"selffix/internal/modelfake"
	"selffix/internal/play"
	"selffix/internal/testrepo"
	"selffix/internal/testuser"
	"selffix/pipeline/agent"
	"selffix/pipeline/fence"
	"selffix/pipeline/verify"
	"selffix/testdata"
)

// verifyBlock enables the application's own tests.
const verifyBlock = "\nverify:\n  enabled: true\n  command: [npm, test]\n  timeout: 2m\n"

// repairPlay is the play of a right repair.
func repairPlay(t *testing.T) play.Play {
	t.Helper()
	plays, err := play.Load(testdata.Files, "plays")
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(plays, func(p play.Play) bool { return p.Name == "repair" })
	return plays[i]
}

// wrongRepair changes code in a way that the checker accepts and the tests do not.
func wrongRepair() play.Play {
	edit := json.RawMessage(`{"file_path":"{CHECKOUT}/packages/core/src/split.ts","old_string":"shares.push(each);","new_string":"shares.push(each + 1);"}`)
	read := json.RawMessage(`{"file_path":"{CHECKOUT}/packages/core/src/split.ts"}`)
	return play.Play{Name: "wrong", Doc: "d", Report: "red", Turns: []modelfake.Turn{
		{Calls: []modelfake.Call{{Tool: "Read", Input: read}}}, {Calls: []modelfake.Call{{Tool: "Edit", Input: edit}}}, {Text: "done"},
	}}
}

// stageVerify lays a play out under a policy that enables verify. add are files of the tested commit which the default branch
// does not have.
func stageVerify(t *testing.T, p play.Play, add map[string]string) fixed {
	t.Helper()
	if r := fence.Explain(t.Context(), fence.Enter()); r.Err != nil || !r.Layers.Namespaces || !r.Layers.Scope {
		t.Skip("this machine cannot keep a pull request's code apart in full")
	}
	f := stageFix(t, p)
	text, err := os.ReadFile(f.scene.Policy)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(f.scene.Policy, []byte(string(text)+verifyBlock), 0o644); err != nil {
		t.Fatal(err)
	}
	if len(add) > 0 {
		testrepo.Git(t, f.scene.Repo, "checkout", "-q", "-b", "feature")
		f.scene.Commit = testrepo.Commit(t, f.scene.Repo, add)
	}
	return f
}

func TestFixWithVerify(t *testing.T) {
	for name, tt := range map[string]struct {
		play    play.Play
		add     map[string]string
		outcome string
		by      []string
		claimed string
	}{
		"a right repair passes": {play: repairPlay(t), outcome: "accepted", claimed: verify.Passed},
		"a wrong one is stopped before it is handed on": {
			play: wrongRepair(), outcome: "stopped", by: []string{"verify SF-VERIFY-001"}, claimed: verify.Failed,
		},
		"a changed package.json is refused unrun": {
			play: repairPlay(t), add: map[string]string{"packages/web/package.json": `{"name":"web","scripts":{"test":"true"}}`},
			outcome: "stopped", by: []string{"verify-tree SF-VERIFY-002"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := stageVerify(t, tt.play, tt.add)
			f.run(t, f.args()...)
			if strings.Contains(f.stderr, "npm ci") && exec.Command("npm", "ping").Run() != nil {
				t.Skipf("npm cannot reach its registry: %s", f.stderr)
			}
			if f.report.Outcome != tt.outcome || !slices.Equal(f.report.StoppedBy, append([]string{}, tt.by...)) || f.report.ClaimedVerify != tt.claimed {
				t.Fatalf("%+v, want %s by %v (%q)\n%s", f.report, tt.outcome, tt.by, tt.claimed, f.stderr)
			}
			for _, file := range []string{"fix.patch", "candidate.json"} {
				if _, err := os.Stat(filepath.Join(f.out, file)); (err == nil) != (tt.outcome == "accepted") {
					t.Errorf("%s was handed on: %v", file, err == nil)
				}
			}
			// What the tests printed is nowhere: node's runner names each of them.
			run, err := os.ReadFile(filepath.Join(f.out, "run.json"))
			if err != nil || strings.Contains(string(run)+f.stdout+f.stderr, "shares add up to the amount") {
				t.Errorf("the check's output came out: %v\n%s", err, f.stderr)
			}
		})
	}
}

// An ordinary user's run keeps a pull request's code apart by namespaces of that user's own, where the kernel gives them.
func TestFixWithVerifyAsOrdinaryUser(t *testing.T) {
	needAgent(t)
	cache, err := agent.CacheDir(os.Getenv)
	if err != nil {
		t.Fatal(err)
	}
	testuser.Again{
		Tests: "^TestFixWithVerify$/right", Pass: []string{"NODE_EXTRA_CA_CERTS", "HTTPS_PROXY", "https_proxy", "NO_PROXY", "no_proxy"},
		Copy: map[string]string{filepath.Join(cache, "agent"): ".cache/self-fix/agent"}, Getenv: os.Getenv,
	}.Run(t)
}
