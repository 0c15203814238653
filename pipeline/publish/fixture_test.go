package publish

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"selffix/checker"
	"selffix/gates"
	"selffix/gates/github"
	"selffix/internal/ghfake"
	"selffix/internal/scratch"
	"selffix/internal/testrepo"
	"selffix/internal/tokens"
	"selffix/pipeline"
	"selffix/pipeline/checkout"
	"selffix/pipeline/policy"
	"selffix/pipeline/tree"
)

var noon = time.Date(2026, 3, 10, 12, 0, 0, 0, time.UTC)

// files is the default branch of the scene: something to repair, and what scrubbing hides from an agent.
var files = map[string]string{
	"CLAUDE.md":                     "Keep changes small.\n",
	"packages/web/.claude/hooks.sh": "echo\n",
	"packages/core/src/average.ts":  "export function average(sum: number, n: number): number {\n  return sum / n;\n}\n",
}

const repair = `diff --git a/packages/core/src/average.ts b/packages/core/src/average.ts
--- a/packages/core/src/average.ts
+++ b/packages/core/src/average.ts
@@ -1,3 +1,3 @@
 export function average(sum: number, n: number): number {
-  return sum / n;
+  return n === 0 ? 0 : sum / n;
 }
`

// situation is a red pull request on a fake GitHub with an accepted candidate for it.
type situation struct {
	t         *testing.T
	scene     *ghfake.Scene
	policy    policy.Policy
	target    gates.Target
	candidate pipeline.Candidate
	patch     []byte
}

func newSituation(t *testing.T) *situation {
	t.Helper()
	ctx := context.Background()
	sc, err := ghfake.NewScene(ctx, ghfake.Options{Now: noon}, ghfake.SceneOptions{Files: files})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { sc.Server.Close() })
	text, err := os.ReadFile(filepath.Join(testrepo.Root(t), "testdata", "policy", "seed.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	sandbox := strings.NewReplacer("sandbox: false", "sandbox: true",
		"github_api: https://api.github.com", "github_api: "+sc.Server.URL, "github_git: https://github.com", "github_git: "+sc.Server.URL).Replace(string(text))
	p, err := policy.Parse([]byte(sandbox))
	if err != nil {
		t.Fatal(err)
	}
	s := &situation{t: t, scene: sc, policy: p, patch: []byte(repair)}
	s.target = gates.Target{
		RepositoryID: sc.Repo.ID(), Repository: "maintainer/app", PullRequest: sc.Pull.Record().Number, Ref: "refs/heads/feature",
		TestedCommit: sc.Tested, PolicySHA256: p.Digest, RunID: sc.RunID, RunAttempt: 1,
		Evidence: gates.EvidenceWindow{Commit: sc.Tested, PreviewURL: "https://app.vercel.app", NotBefore: noon.Add(-time.Hour), NotAfter: noon},
	}
	s.candidate = s.propose(s.patch)
	return s
}

// propose makes the candidate that honest steps would have made of a patch.
func (s *situation) propose(patch []byte) pipeline.Candidate {
	s.t.Helper()
	ctx := context.Background()
	objects := filepath.Join(s.t.TempDir(), "objects")
	repo := scratch.Repository{Objects: filepath.Join(s.scene.Repo.Dir(), "objects")}
	if err := LayObjects(objects, repo.Objects); err != nil {
		s.t.Fatal(err)
	}
	r, err := checker.Check(ctx, checker.Input{Repo: s.scene.Repo.Dir(), Base: s.scene.Tested, Policy: s.policy, Patch: patch, Objects: objects})
	if err != nil || r.Verdict != checker.Accept {
		s.t.Fatalf("the fixture's patch is not accepted: %v %+v", err, r.Findings)
	}
	trees, err := checkout.Materialise(ctx, repo.Objects, s.scene.Tested, s.t.TempDir(), checkout.Options{Limits: tree.DefaultLimits()})
	if err != nil {
		s.t.Fatal(err)
	}
	list := func(id string) pipeline.Inventory {
		f, err := scratch.Open(scratch.Repository{Objects: objects}, scratch.Options{})
		if err != nil {
			s.t.Fatal(err)
		}
		defer f.Close()
		l, err := tree.FromGit(ctx, f, id)
		if err != nil {
			s.t.Fatal(err)
		}
		return l.Inventory()
	}
	sum := sha256.Sum256(patch)
	return pipeline.Candidate{
		Schema: pipeline.CandidateSchema, Sandbox: true, RepositoryID: s.target.RepositoryID, PullRequest: s.target.PullRequest, RunID: s.target.RunID,
		TestedCommit: s.scene.Tested, TestedTree: trees.TestedTree, ScrubbedTree: trees.ScrubbedTree, PolicySHA256: s.policy.Digest,
		PatchSHA256: hex.EncodeToString(sum[:]), PatchBytes: int64(len(patch)), ResultTree: r.ResultTree,
		Before: list(r.BaseTree), After: list(r.ResultTree), Changed: Entries(r.Changed), Check: pipeline.Check{Verdict: "accept", Rules: []string{}},
		ClaimedTurns: 7, ClaimedCostUSD: 0.2, ClaimedSelfTest: "passed", ClaimedEvidence: "run",
	}
}

func (s *situation) identity() Identity {
	return Identity{RepositoryID: s.target.RepositoryID, PullRequest: s.target.PullRequest, RunID: s.target.RunID, TestedCommit: s.target.TestedCommit}
}

// recheckInput is what the recheck job would be given.
func (s *situation) recheckInput() RecheckInput {
	s.t.Helper()
	text, err := pipeline.WriteCandidate(s.candidate)
	if err != nil {
		s.t.Fatal(err)
	}
	return RecheckInput{
		Repo: s.scene.Repo.Dir(), Candidate: text, Patch: s.patch, Policy: s.policy, Identity: s.identity(),
		Now: noon, Pack: filepath.Join(s.t.TempDir(), "result.pack"),
	}
}

// rechecked is the input of a push that all is well with.
func (s *situation) rechecked() Input {
	s.t.Helper()
	in := s.recheckInput()
	r, err := Recheck(context.Background(), in)
	if err != nil {
		s.t.Fatal(err)
	}
	return Input{Policy: s.policy, Target: s.target, Result: r, Pack: in.Pack, Now: noon}
}

func (s *situation) client() *github.Client {
	s.t.Helper()
	c, err := github.New(github.Options{
		Policy: s.policy, Token: s.token(), Repository: s.target.Repository, RepositoryID: s.target.RepositoryID,
		Now: s.scene.Server.Clock.Now, Sleep: noWait,
	})
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(c.Close)
	return c
}

func (s *situation) token() tokens.Token {
	s.t.Helper()
	token, err := tokens.New(ghfake.WriteToken)
	if err != nil {
		s.t.Fatal(err)
	}
	return token
}

func (s *situation) publish(in Input) (Receipt, error) {
	return Publish(context.Background(), in, s.token(), s.client(), noWait)
}

func noWait(context.Context, time.Duration) error { return nil }
