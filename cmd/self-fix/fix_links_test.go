package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"selffix/internal/testrepo"
	"selffix/pipeline"
)

// A repository with links is repaired like any other: those that stay inside are in the tree that the agent works on, those that
// lead out are not, and all of them are in the tree that would be pushed.
func TestFixOfATreeWithLinks(t *testing.T) {
	f := stageFix(t, playNamed(t, "repair"))
	for at, target := range map[string]string{
		"packages/core/src/alias.ts": "money.ts",        // to a file
		"packages/web/src/core":      "../../core/src",  // to a folder
		"packages/web/src/elsewhere": "/etc/passwd",     // out of the tree
		"packages/web/src/above":     "../../../../..",  // likewise
		"packages/core/src/gone.ts":  "no-such-file.ts", // nowhere
		"links/only/here.ts":         "../../README.md", // in folders that hold nothing else
		"packages/core/src/round":    "../src",          // to a folder that holds it
		"packages/core/src/again.ts": "alias.ts",        // to another link
	} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(f.scene.Repo, at)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(target, filepath.Join(f.scene.Repo, at)); err != nil {
			t.Fatal(err)
		}
	}
	testrepo.Git(t, f.scene.Repo, "add", "-A", "-f")
	testrepo.Git(t, f.scene.Repo, "commit", "-q", "-m", "links")
	f.scene.Commit = strings.TrimSpace(testrepo.Git(t, f.scene.Repo, "rev-parse", "HEAD"))
	f.run(t, f.args()...)
	if f.code != exitYes {
		t.Fatalf("exit code %d, want %d\n%s\n%s", f.code, exitYes, f.stdout, f.stderr)
	}
	data, err := os.ReadFile(filepath.Join(f.out, "candidate.json"))
	if err != nil {
		t.Fatal(err)
	}
	c, err := pipeline.ReadCandidate(data)
	if err != nil {
		t.Fatal(err)
	}
	patch := filepath.Join(f.out, "fix.patch")
	testrepo.Git(t, f.scene.Repo, "apply", "--cached", "--whitespace=nowarn", patch)
	if want := strings.TrimSpace(testrepo.Git(t, f.scene.Repo, "write-tree")); c.ResultTree != want {
		t.Errorf("the candidate's tree is %s, want the tested tree with its links and the patch, %s", c.ResultTree, want)
	}
}
