package checker

import (
	"bytes"
	"compress/zlib"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"selffix/internal/scratch"
	"selffix/internal/testrepo"
)

// goodPatch and its result tree on the base, as "git apply --index" and "git write-tree" make it.
const goodPatch = `diff --git a/packages/core/src/money.ts b/packages/core/src/money.ts
--- a/packages/core/src/money.ts
+++ b/packages/core/src/money.ts
@@ -5,3 +5,3 @@
 export function isWhole(value: number): boolean {
-  return value % 100 === 0;
+  return value % 10 === 0;
 }
`

// badPatch differs from it in one path only.
var badPatch = strings.ReplaceAll(`diff --git a/P b/P
--- a/P
+++ b/P
@@ -1 +1 @@
-notes
+more notes
`, "P", "docs/notes.md")

// resultOf lets git make the result tree of the good patch in a clone.
func resultOf(t *testing.T, base string) string {
	t.Helper()
	clone := filepath.Join(t.TempDir(), "clone")
	testrepo.Git(t, base, "clone", "-q", base, clone)
	cmd := exec.Command("git", "-C", clone, "apply", "--index", "-")
	cmd.Stdin = strings.NewReader(goodPatch)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return strings.TrimSpace(testrepo.Git(t, clone, "write-tree"))
}

func write(t *testing.T, p, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
		t.Fatal(err)
	}
	os.Remove(p)
	if err := os.WriteFile(p, []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
}

// TestSurroundings wants the same verdicts and the same tree whatever lies around the objects of the base.
func TestSurroundings(t *testing.T) {
	mark := filepath.Join(t.TempDir(), "ran")
	hook := filepath.Join(t.TempDir(), "hook")
	write(t, hook, "#!/bin/sh\ntouch "+mark+"\n")
	tests := []struct {
		name string
		make func(t *testing.T, dir string) string
	}{
		{"plain", func(t *testing.T, dir string) string { return dir }},
		{"a folder in the work tree", func(t *testing.T, dir string) string { return filepath.Join(dir, "packages", "web", "src") }},
		{"bare and packed", func(t *testing.T, dir string) string {
			testrepo.Git(t, dir, "clone", "-q", "--bare", "file://"+dir, dir+".git")
			return dir + ".git"
		}},
		{"shallow", func(t *testing.T, dir string) string {
			testrepo.Git(t, dir, "clone", "-q", "--depth=1", "file://"+dir, dir+"-shallow")
			return dir + "-shallow"
		}},
		{"borrowed objects", func(t *testing.T, dir string) string {
			testrepo.Git(t, dir, "clone", "-q", "--shared", dir, dir+"-shared")
			return dir + "-shared"
		}},
		{"linked work tree", func(t *testing.T, dir string) string {
			testrepo.Git(t, dir, "worktree", "add", "-q", dir+"-linked")
			return dir + "-linked"
		}},
		{"hostile configuration", func(t *testing.T, dir string) string {
			write(t, filepath.Join(dir, ".git", "config"), "[core]\n\trepositoryformatversion = 0\n\tfsmonitor = "+hook+"\n\thooksPath = "+filepath.Dir(hook)+
				"\n\tattributesFile = "+hook+"\n\tautocrlf = true\n\tsparseCheckout = true\n[apply]\n\twhitespace = fix\n\tignoreWhitespace = change\n[filter \"x\"]\n\tclean = "+hook+"\n\tsmudge = "+hook+
				"\n[diff]\n\texternal = "+hook+"\n\tnoprefix = true\n[include]\n\tpath = "+hook+"\n")
			return dir
		}},
		{"unreadable configuration", func(t *testing.T, dir string) string {
			write(t, filepath.Join(dir, ".git", "config"), "[core\nnonsense")
			return dir
		}},
		{"hooks", func(t *testing.T, dir string) string {
			for _, h := range []string{"post-index-change", "pre-applypatch", "reference-transaction", "fsmonitor-watchman"} {
				write(t, filepath.Join(dir, ".git", "hooks", h), "#!/bin/sh\ntouch "+mark+"\n")
			}
			return dir
		}},
		{"replaced objects", func(t *testing.T, dir string) string {
			for _, pair := range [][2]string{
				{"HEAD:packages/core/src/money.ts", "HEAD:docs/notes.md"}, {"HEAD:docs", "HEAD:packages/core/src"}, {"HEAD^{tree}", "HEAD:packages"},
			} {
				testrepo.Git(t, dir, "replace", "-f", strings.TrimSpace(testrepo.Git(t, dir, "rev-parse", pair[0])), strings.TrimSpace(testrepo.Git(t, dir, "rev-parse", pair[1])))
			}
			return dir
		}},
		{"locks, a broken index and no work tree", func(t *testing.T, dir string) string {
			write(t, filepath.Join(dir, ".git", "index.lock"), "")
			write(t, filepath.Join(dir, ".git", "index"), "nonsense")
			os.RemoveAll(filepath.Join(dir, "packages"))
			return dir
		}},
		{"attributes beside the tree", func(t *testing.T, dir string) string {
			write(t, filepath.Join(dir, ".git", "info", "attributes"), "* filter=x eol=crlf\n")
			write(t, filepath.Join(dir, ".gitattributes"), "* filter=x eol=crlf\n")
			return dir
		}},
		{"grafts and a commit graph", func(t *testing.T, dir string) string {
			write(t, filepath.Join(dir, ".git", "info", "grafts"), testrepo.BaseCommit+" "+strings.Repeat("1", 40)+"\n")
			testrepo.Git(t, dir, "-c", "core.commitGraph=true", "commit-graph", "write", "--reachable")
			return dir
		}},
		{"variables", func(t *testing.T, dir string) string {
			for k, v := range map[string]string{
				"GIT_DIR": "/nowhere", "GIT_INDEX_FILE": "/nowhere", "GIT_OBJECT_DIRECTORY": "/nowhere", "GIT_WORK_TREE": "/", "GIT_EXTERNAL_DIFF": hook,
				"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "core.fsmonitor", "GIT_CONFIG_VALUE_0": hook, "GIT_CONFIG_GLOBAL": hook, "GIT_ATTR_SOURCE": "HEAD",
				"GIT_TRACE": mark, "GIT_LITERAL_PATHSPECS": "1", "GIT_ICASE_PATHSPECS": "1", "GIT_NAMESPACE": "x", "GIT_DEFAULT_HASH": "sha256", "LC_ALL": "xx", "HOME": "/nowhere",
			} {
				t.Setenv(k, v)
			}
			return dir
		}},
	}
	want := resultOf(t, testrepo.Base(t))
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			in := Input{Base: testrepo.BaseCommit, Policy: seedPolicy(t), Patch: []byte(goodPatch), Scratch: scratch.Options{Parent: t.TempDir()}}
			in.Repo = tt.make(t, testrepo.Base(t))
			report, err := Check(t.Context(), in)
			if err != nil || report.Verdict != Accept || report.ResultTree != want {
				t.Errorf("good patch: %s, tree %s, want %s; %v, %v", report.Verdict, report.ResultTree, want, report.Findings, err)
			}
			in.Patch = []byte(badPatch)
			report, err = Check(t.Context(), in)
			if err != nil || report.Verdict != Refuse || report.ResultTree != "" || report.Changed != nil {
				t.Errorf("bad patch: %s, tree %s; %v", report.Verdict, report.ResultTree, err)
			}
			if _, err := os.Stat(mark); err == nil {
				t.Error("a command ran that the repository or a variable named")
			}
			if left, _ := os.ReadDir(in.Scratch.Parent); len(left) > 0 {
				t.Errorf("%d entries stay behind", len(left))
			}
		})
	}
}

// TestUnusableBase wants no verdict, and no report, when the base cannot be read without doubt.
func TestUnusableBase(t *testing.T) {
	object := func(dir, id string) string { return filepath.Join(dir, ".git", "objects", id[:2], id[2:]) }
	id := func(t *testing.T, dir, name string) string {
		return strings.TrimSpace(testrepo.Git(t, dir, "rev-parse", name))
	}
	forge := func(t *testing.T, p, kind, data string) {
		var b bytes.Buffer
		z := zlib.NewWriter(&b)
		fmt.Fprintf(z, "%s %d\x00%s", kind, len(data), data)
		z.Close()
		write(t, p, b.String())
	}
	tests := []struct {
		name string
		make func(t *testing.T, dir string, in *Input)
	}{
		{"no repository", func(t *testing.T, dir string, in *Input) { in.Repo = t.TempDir() }},
		{"no such revision", func(t *testing.T, dir string, in *Input) { in.Base = "none" }},
		{"an option in place of a revision", func(t *testing.T, dir string, in *Input) { in.Base = "--help" }},
		{"a tree in place of a commit", func(t *testing.T, dir string, in *Input) { in.Base = id(t, dir, "HEAD^{tree}") }},
		{"zero policy", func(t *testing.T, dir string, in *Input) { in.Policy.Version = 0 }},
		{"missing commit", func(t *testing.T, dir string, in *Input) { os.Remove(object(dir, testrepo.BaseCommit)) }},
		{"missing tree", func(t *testing.T, dir string, in *Input) { os.Remove(object(dir, id(t, dir, "HEAD:packages/core"))) }},
		{"missing tree elsewhere", func(t *testing.T, dir string, in *Input) { os.Remove(object(dir, id(t, dir, "HEAD:docs"))) }},
		{"missing blob of a promisor", func(t *testing.T, dir string, in *Input) {
			testrepo.Git(t, dir, "config", "extensions.partialClone", "origin")
			testrepo.Git(t, dir, "config", "remote.origin.promisor", "true")
			testrepo.Git(t, dir, "config", "remote.origin.url", dir)
			os.Remove(object(dir, id(t, dir, "HEAD:packages/core/src/money.ts")))
		}},
		{"forged blob", func(t *testing.T, dir string, in *Input) {
			text, _ := os.ReadFile(filepath.Join(dir, "packages/core/src/money.ts"))
			forge(t, object(dir, id(t, dir, "HEAD:packages/core/src/money.ts")), "blob", string(text)+"// more\n")
		}},
		{"forged commit", func(t *testing.T, dir string, in *Input) {
			forge(t, object(dir, testrepo.BaseCommit), "commit", "tree "+id(t, dir, "HEAD^{tree}")+"\n")
		}},
		{"empty object", func(t *testing.T, dir string, in *Input) {
			write(t, object(dir, id(t, dir, "HEAD:packages/core/src/money.ts")), "")
		}},
		{"no git", func(t *testing.T, dir string, in *Input) { in.Scratch.Git = filepath.Join(dir, "none") }},
		{"no folder for scratch", func(t *testing.T, dir string, in *Input) { in.Scratch.Parent = filepath.Join(dir, "none") }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			in := Input{Base: "HEAD", Policy: seedPolicy(t), Patch: []byte(goodPatch), Scratch: scratch.Options{Parent: t.TempDir()}}
			in.Repo = testrepo.Base(t)
			parent := in.Scratch.Parent
			tt.make(t, in.Repo, &in)
			report, err := Check(t.Context(), in)
			if err == nil || report.Verdict != "" || report.ResultTree != "" {
				t.Errorf("Check = %+v, %v; want an error and no report", report, err)
			}
			if left, _ := os.ReadDir(parent); len(left) > 0 {
				t.Errorf("%d entries stay behind", len(left))
			}
		})
	}
}
