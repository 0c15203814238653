package worker

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"selffix/gates"
	"selffix/internal/ghfake"
	"selffix/internal/tokens"
	"selffix/pipeline"
	"selffix/pipeline/checkout"
	"selffix/pipeline/evidence"
	"selffix/pipeline/policy"
)

var noon = time.Date(2026, 3, 10, 12, 0, 0, 0, time.UTC)

// ground is a step's folders without an interpreter, for the steps that are not fenced.
func ground(t *testing.T, name string) work {
	t.Helper()
	s, err := find(name)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	var at paths
	for _, p := range []string{"/in", "/out", "/agent", "/run/secrets", "/run/step", "/opt/agent"} {
		outside := filepath.Join(dir, strings.ReplaceAll(p, "/", "_"))
		if err := os.MkdirAll(outside, 0o755); err != nil {
			t.Fatal(err)
		}
		at = append(at, Mount{Inside: p, Outside: outside, Write: true})
	}
	return work{Options: Options{Getenv: os.Getenv, Stdout: io.Discard, Stderr: io.Discard}, step: s, at: at}
}

func (w work) give(t *testing.T, path string, text []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(w.in(path)), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(w.in(path), text, 0o644); err != nil {
		t.Fatal(err)
	}
}

// sandboxPolicy is the seed's policy with hosts on loopback.
func sandboxPolicy(t *testing.T, replace ...string) []byte {
	t.Helper()
	seed, err := os.ReadFile("../../testdata/policy/seed.yaml")
	if err != nil {
		t.Fatal(err)
	}
	return []byte(strings.NewReplacer(append([]string{"sandbox: false", "sandbox: true"}, replace...)...).Replace(string(seed)))
}

func act(t *testing.T, policyText []byte, commit string) []byte {
	t.Helper()
	text, err := gates.Verdict{Decision: gates.Act, Rule: "SF-GATE-001", Reason: "all hold", Target: &gates.Target{
		RepositoryID: 900001, Repository: "maintainer/app", PullRequest: 1, Ref: "refs/heads/feature", TestedCommit: commit,
		PolicySHA256: policy.Digest(policyText), RunID: 5, RunAttempt: 1,
		Evidence: gates.EvidenceWindow{Commit: commit, PreviewURL: "https://app-git-feature.vercel.app", NotBefore: noon.Add(-2 * time.Hour), NotAfter: noon},
	}}.JSON()
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func TestFetchSteps(t *testing.T) {
	sc, err := ghfake.NewScene(t.Context(), ghfake.Options{Dir: t.TempDir(), Now: noon}, ghfake.SceneOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer sc.Server.Close()
	pol := sandboxPolicy(t, "github_git: https://github.com", "github_git: "+sc.Server.URL)
	for _, name := range []string{"fetch", "recheck-fetch"} {
		w := ground(t, name)
		w.give(t, "/in/policy.yaml", pol)
		w.give(t, "/in/verdict.json", act(t, pol, sc.Tested))
		w.give(t, "/run/secrets/github-read", []byte(ghfake.ReadToken+"\n"))
		if o, err := outerSteps()[w.step.Name](t.Context(), w); err != nil || o.Decision != pipeline.Continue {
			t.Fatalf("%s: %+v, %v", name, o, err)
		}
		if _, err := os.Stat(w.in("/out/objects.git/objects")); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		// A real token never goes to loopback, nor a sandbox one to a real host.
		w.give(t, "/run/secrets/github-read", []byte("gh"+"p_real"))
		if _, err := outerSteps()[w.step.Name](t.Context(), w); !errors.Is(err, tokens.ErrMismatch) {
			t.Errorf("%s with a real token: %v, want ErrMismatch", name, err)
		}
	}
	w := ground(t, "fetch")
	w.give(t, "/in/policy.yaml", append([]byte("# changed since the gates looked\n"), pol...))
	w.give(t, "/in/verdict.json", act(t, pol, sc.Tested))
	if _, err := fetchTested(t.Context(), w); !errors.Is(err, ErrOtherPolicy) || explain(err).Decision != pipeline.Stop {
		t.Errorf("with another policy: %v, want ErrOtherPolicy", err)
	}
	w.give(t, "/in/policy.yaml", pol)
	w.give(t, "/in/verdict.json", []byte(`{"decision":"act"}`))
	if _, err := fetchTested(t.Context(), w); !errors.Is(err, ErrIdentity) {
		t.Errorf("without a verdict: %v, want ErrIdentity", err)
	}
}

func TestEvidenceFetchStep(t *testing.T) {
	w := ground(t, "evidence-fetch")
	bin := filepath.Join(w.in("/opt/agent"), "node_modules", ".bin")
	if err := os.CopyFS(bin, os.DirFS("../evidence/testdata/standin")); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(filepath.Join(bin, "testsprite"), 0o755); err != nil {
		t.Fatal(err)
	}
	const key = "sandbox-" + "bot"
	if err := os.WriteFile(filepath.Join(bin, "key"), []byte(key), 0o644); err != nil {
		t.Fatal(err)
	}
	pol := sandboxPolicy(t, "bot: https://api.testsprite.com", "bot: http://127.0.0.1:9")
	w.give(t, "/in/policy.yaml", pol)
	w.give(t, "/in/verdict.json", act(t, pol, strings.Repeat("a", 40)))
	w.give(t, "/run/secrets/bot", []byte(key))
	if o, err := evidenceFetch(t.Context(), w); err != nil || o.Decision != pipeline.Continue {
		t.Fatalf("%+v, %v", o, err)
	}
	r := ground(t, "evidence-read")
	r.give(t, "/in/verdict.json", act(t, pol, strings.Repeat("a", 40)))
	if err := os.CopyFS(r.in("/in/report"), os.DirFS(w.in("/out/report"))); err != nil {
		t.Fatal(err)
	}
	if o, err := evidenceRead(t.Context(), r); err != nil || o.Decision != pipeline.Continue {
		t.Fatalf("%+v, %v", o, err)
	}
	text, err := os.ReadFile(r.in("/out/bundle.json"))
	if err != nil {
		t.Fatal(err)
	}
	if b, err := evidence.ReadBundle(text); err != nil || b.Claimed || len(b.Runs) != 1 {
		t.Errorf("%+v, %v", b, err)
	}
	// A target that a person named has no window: nothing is brought for it.
	local, err := json.Marshal(pipeline.LocalTarget{Schema: pipeline.LocalSchema, TestedCommit: strings.Repeat("a", 40), PolicySHA256: policy.Digest(pol)})
	if err != nil {
		t.Fatal(err)
	}
	w.give(t, "/in/verdict.json", local)
	if _, err := evidenceFetch(t.Context(), w); !errors.Is(err, evidence.ErrReport) {
		t.Errorf("without a window: %v, want ErrReport", err)
	}
}

func TestTargetStep(t *testing.T) {
	w := ground(t, "target")
	w.give(t, "/in/policy.yaml", sandboxPolicy(t))
	for commit, want := range map[string]error{strings.Repeat("a", 40): nil, "HEAD": checkout.ErrCommit, "": checkout.ErrCommit} {
		text, err := pipeline.WriteTarget(pipeline.LocalTarget{TestedCommit: commit})
		if err != nil {
			t.Fatal(err)
		}
		w.give(t, "/in/event.json", text)
		if _, err := target(t.Context(), w); !errors.Is(err, want) {
			t.Errorf("%q: %v, want %v", commit, err, want)
		}
	}
	id, err := readIdentity(w.in("/out/verdict.json"))
	if err != nil || !id.local || len(id.PolicySHA256) != 64 {
		t.Errorf("%+v, %v", id, err)
	}
}
