package worker

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"selffix/internal/scratch"
	"selffix/internal/testrepo"
	"selffix/pipeline"
	"selffix/pipeline/tree"
	"selffix/pipeline/verify"
)

// acceptedChange is a tested commit with a patch that the checker accepts, and the candidate that names both.
type acceptedChange struct {
	repo, commit, patch string
	candidate           pipeline.Candidate
}

func acceptChange(t *testing.T, add map[string]string) acceptedChange {
	t.Helper()
	a := acceptedChange{repo: testrepo.Base(t)}
	a.commit = testrepo.Commit(t, a.repo, add)
	const file = "packages/core/src/added.ts"
	if err := os.WriteFile(filepath.Join(a.repo, file), []byte("export const one = 1;\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	testrepo.Git(t, a.repo, "add", file)
	a.patch = testrepo.Git(t, a.repo, "diff", "--cached", "--full-index", "--no-renames")
	id := func(args ...string) string { return strings.TrimSpace(testrepo.Git(t, a.repo, args...)) }
	sum := sha256.Sum256([]byte(a.patch))
	side := pipeline.Inventory{SHA256: strings.Repeat("a", 64)}
	a.candidate = pipeline.Candidate{
		Schema: pipeline.CandidateSchema, TestedCommit: a.commit, TestedTree: id("rev-parse", a.commit+"^{tree}"), ScrubbedTree: strings.Repeat("b", 40),
		PolicySHA256: strings.Repeat("c", 64), PatchSHA256: hex.EncodeToString(sum[:]), PatchBytes: int64(len(a.patch)), ResultTree: id("write-tree"),
		Before: side, After: side, Changed: []pipeline.Entry{{Path: file, After: id("rev-parse", ":"+file)}}, Check: pipeline.Check{Verdict: "accept"},
	}
	return a
}

// work lays verify-tree out for the change, with the package files of the commit called branch.
func (a acceptedChange) work(t *testing.T, branch string, c pipeline.Candidate) work {
	t.Helper()
	w := ground(t, "verify-tree")
	objects := filepath.Join(a.repo, ".git", "objects")
	w.at = append(w.at, Mount{Inside: "/in/objects.git", Outside: filepath.Join(a.repo, ".git")})
	policyText := sandboxPolicy(t)
	w.give(t, "/in/policy.yaml", policyText)
	w.give(t, "/in/verdict.json", act(t, policyText, a.commit))
	w.give(t, "/in/fix.patch", []byte(a.patch))
	text, err := pipeline.WriteCandidate(c)
	if err != nil {
		t.Fatal(err)
	}
	w.give(t, "/in/candidate.json", text)
	if err := errors.Join(os.MkdirAll(w.temp(), 0o755), os.MkdirAll(w.in("/in/packages"), 0o755)); err != nil {
		t.Fatal(err)
	}
	if err := verify.Packages(t.Context(), scratch.Repository{Objects: objects}, branch, w.in("/in/packages"), w.temp()); err != nil {
		t.Fatal(err)
	}
	return w
}

// What verify gets is the tree of the candidate that the checker accepts, or nothing.
func TestVerifyTree(t *testing.T) {
	a := acceptChange(t, map[string]string{"packages/core/src/other.ts": "export {};\n"})
	pulled := acceptChange(t, map[string]string{"packages/core/package.json": `{"name":"other"}`})
	base := func(a acceptedChange) string {
		return strings.TrimSpace(testrepo.Git(t, a.repo, "rev-parse", a.commit+"^"))
	}
	otherTree, otherPatch := a.candidate, a.candidate
	otherTree.ResultTree = strings.Repeat("d", 40)
	otherPatch.PatchSHA256 = strings.Repeat("d", 64)
	for name, tt := range map[string]struct {
		change    acceptedChange
		candidate pipeline.Candidate
		decision  pipeline.Decision
		rule      string
	}{
		"the accepted tree":             {a, a.candidate, pipeline.Continue, ""},
		"a candidate of another tree":   {a, otherTree, pipeline.Undecided, "SF-CHECK-002"},
		"a candidate of another patch":  {a, otherPatch, pipeline.Undecided, "SF-CHECK-002"},
		"a pull request with a package": {pulled, pulled.candidate, pipeline.Stop, "SF-VERIFY-002"},
	} {
		t.Run(name, func(t *testing.T) {
			w := tt.change.work(t, base(tt.change), tt.candidate)
			o, err := verifyTree(t.Context(), w)
			if err == nil {
				err = w.makeLinks()
			}
			if err != nil {
				o = explain(err)
			}
			if o.Decision != tt.decision || o.Rule != tt.rule {
				t.Fatalf("%+v, %v", o, err)
			}
			links, err := tree.Links(w.in("/out"), tree.DefaultLimits())
			if err != nil {
				t.Fatal(err)
			}
			if tt.decision != pipeline.Continue {
				if l, err := tree.List(w.in("/out"), links, tree.DefaultLimits()); err != nil || len(l) != 0 {
					t.Errorf("%d files were handed on, %v", len(l), err)
				}
				return
			}
			if links, err = tree.Links(w.in("/out/tree"), tree.DefaultLimits()); err != nil {
				t.Fatal(err)
			}
			l, err := tree.List(w.in("/out/tree"), links, tree.DefaultLimits())
			if err != nil {
				t.Fatal(err)
			}
			if id, err := l.TreeID(); err != nil || id != tt.candidate.ResultTree {
				t.Errorf("tree %s, want %s, %v", id, tt.candidate.ResultTree, err)
			}
		})
	}
}

// Packages are installed from a lockfile of the default branch that holds the rule, or not at all.
func TestVerifyToolsRefuses(t *testing.T) {
	for name, lock := range map[string]string{
		"no lockfile": "",
		"no JSON":     "{",
		"an address":  `{"lockfileVersion":3,"packages":{"":{},"node_modules/x":{"version":"1.0.0","resolved":"https://example.com/x.tgz","integrity":"sha512-x"}}}`,
		"a link":      `{"lockfileVersion":3,"packages":{"":{},"node_modules/x":{"resolved":"packages/x","link":true}}}`,
	} {
		w := ground(t, "verify-tools")
		if lock != "" {
			w.give(t, "/in/packages/package-lock.json", []byte(lock))
		}
		_, err := verifyTools(t.Context(), w)
		if o := explain(err); o.Rule != "SF-VERIFY-007" || o.Decision != pipeline.Undecided {
			t.Errorf("%s: %v: %+v", name, err, o)
		}
		if _, err := os.Stat(w.in("/out/project")); err == nil {
			t.Errorf("%s: something was installed", name)
		}
	}
}
