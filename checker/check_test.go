package checker

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"selffix/internal/scratch"
	"selffix/internal/testrepo"
)

// TestObjects wants every accepted patch of the corpus to leave the objects of its result, and nothing else, and the tree to be the one
// that git itself makes of the patch.
func TestObjects(t *testing.T) {
	dir := testrepo.Base(t)
	bare := filepath.Join(t.TempDir(), "bare")
	testrepo.Git(t, dir, "clone", "-q", "--bare", dir, bare)
	baseTree := strings.TrimSpace(testrepo.Git(t, dir, "rev-parse", "HEAD^{tree}"))
	for _, c := range corpus(t) {
		if c.verdict != Accept {
			continue
		}
		t.Run(c.file, func(t *testing.T) {
			objects := t.TempDir()
			in := Input{Repo: bare, Base: "main", Policy: seedPolicy(t), Patch: c.patch, Objects: objects, Scratch: scratch.Options{Parent: t.TempDir()}}
			report, err := Check(t.Context(), in)
			if err != nil || report.Verdict != Accept {
				t.Fatal(report, err)
			}
			testrepo.Git(t, dir, "reset", "-q", "--hard")
			patch := filepath.Join(t.TempDir(), "patch")
			if err := os.WriteFile(patch, c.patch, 0o644); err != nil {
				t.Fatal(err)
			}
			testrepo.Git(t, dir, "apply", "--index", patch)
			if want := strings.TrimSpace(testrepo.Git(t, dir, "write-tree")); report.ResultTree != want {
				t.Errorf("result tree %s, git makes %s", report.ResultTree, want)
			}
			if report.BaseTree != baseTree {
				t.Errorf("base tree %s, want %s", report.BaseTree, baseTree)
			}
			t.Setenv("GIT_ALTERNATE_OBJECT_DIRECTORIES", objects)
			raw := testrepo.Git(t, bare, "diff-tree", "-r", "--no-abbrev", report.BaseTree, report.ResultTree)
			if got := strings.Count(raw, "\n"); got != len(report.Changed) {
				t.Errorf("%d changed files are reported, the trees differ in %d", len(report.Changed), got)
			}
			for _, f := range report.Changed {
				if _, err := os.Stat(filepath.Join(objects, f.After[:2], f.After[2:])); err != nil {
					t.Errorf("%s: blob %s was not written", f.Path, f.After)
				}
				if !strings.Contains(raw, f.After) {
					t.Errorf("%s: blob %s is not in the tree", f.Path, f.After)
				}
			}
		})
	}
}

// TestRefusedLeavesNoObjects wants nothing of a refused patch in the caller's folder.
func TestRefusedLeavesNoObjects(t *testing.T) {
	objects := t.TempDir()
	in := Input{Repo: testrepo.Base(t), Base: "HEAD", Policy: seedPolicy(t), Patch: []byte(badPatch), Objects: objects}
	if report, err := Check(t.Context(), in); err != nil || report.Verdict != Refuse {
		t.Fatal(report, err)
	}
	if left, _ := os.ReadDir(objects); len(left) > 0 {
		t.Errorf("%d entries in the object folder", len(left))
	}
}

// TestFindingsOfReading wants an offset inside the patch in each finding on the patch's text, and no text of the patch in any.
func TestFindingsOfReading(t *testing.T) {
	offset := regexp.MustCompile(`^byte (\d+): .`)
	in := Input{Repo: testrepo.Base(t), Base: "HEAD", Policy: seedPolicy(t)}
	const canary = "kanarienvogel"
	for _, r := range readingRules() {
		if !strings.HasPrefix(string(r.ID), "SF-PARSE") {
			continue
		}
		_, refuses, err := Examples(r)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range refuses {
			text := strings.ReplaceAll(e.Patch, "isWhole", canary)
			text = strings.ReplaceAll(text, "note", canary)
			in.Patch = []byte(strings.ReplaceAll(text, "fresh = ", canary+" = "))
			report, err := Check(t.Context(), in)
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range report.Findings {
				if strings.Contains(f.Message, canary) {
					t.Errorf("%s %s: %s quotes the patch: %q", r.ID, e.Name, f.Rule, f.Message)
				}
				if !strings.HasPrefix(string(f.Rule), "SF-PARSE") {
					continue
				}
				m := offset.FindStringSubmatch(f.Message)
				if m == nil {
					t.Errorf("%s %s: no offset in %q", r.ID, e.Name, f.Message)
					continue
				}
				if n, err := strconv.Atoi(m[1]); err != nil || n > len(in.Patch) {
					t.Errorf("%s %s: offset %s in a patch of %d bytes", r.ID, e.Name, m[1], len(in.Patch))
				}
			}
		}
	}
}

// TestOffsets pins where faults are reported.
func TestOffsets(t *testing.T) {
	at := func(part string) int { return strings.Index(goodPatch, part) }
	tests := []struct {
		name, patch string
		rule        RuleID
		at          int
	}{
		{"empty", "", idParseEmpty, 0},
		{"prose", "x\n" + goodPatch, idParsePreamble, 0},
		{"NUL", strings.Replace(goodPatch, "10 ", "\x000 ", 1), idParseEncoding, at("10 ")},
		{"not UTF-8", strings.Replace(goodPatch, "10 ", "\xff0 ", 1), idParseEncoding, at("10 ")},
		{"cut off", goodPatch[:len(goodPatch)-1], idParseEnd, len(goodPatch) - 1},
		{"header line", strings.Replace(goodPatch, "--- a", "x\n--- a", 1), idParseHeader, at("--- a")},
		{"range", strings.Replace(goodPatch, "@@ -5", "@@ -05", 1), idParseHunk, at("@@")},
		{"position", strings.Replace(goodPatch, "+5,3", "+6,3", 1), idParseHunk, at("@@")},
		{"marker", strings.Replace(goodPatch, "-  return", "\\ no\n-  return", 1), idParseMarker, at("-  return")},
		{"behind", goodPatch + "x\n", idParseTrailing, len(goodPatch)},
		{"twice", goodPatch + goodPatch, idParseDuplicate, len(goodPatch)},
	}
	for _, tt := range tests {
		s := readGrammar([]byte(tt.patch))
		if !slices.ContainsFunc(s.faults, func(f fault) bool { return f.rule == tt.rule && f.at == tt.at }) {
			t.Errorf("%s: faults %+v, want %s at %d", tt.name, s.faults, tt.rule, tt.at)
		}
	}
}

// TestFaultsAreBounded wants a report of bounded size from a patch of nothing but faults.
func TestFaultsAreBounded(t *testing.T) {
	s := readGrammar([]byte(strings.Repeat("diff --git x\n", 100_000)))
	if len(s.faults) > 100 {
		t.Errorf("%d faults", len(s.faults))
	}
}

// TestHugePatch wants a patch that is too long to be read refused by its size alone, and no verdict where that rule is off.
func TestHugePatch(t *testing.T) {
	in := Input{Repo: testrepo.Base(t), Base: "HEAD", Policy: seedPolicy(t)}
	in.Patch = []byte(newFilePatch("packages/core/src/huge.ts", strings.Repeat("x\n", maxPatchBytes/2)))
	report, err := Check(t.Context(), in)
	if err != nil || report.Verdict != Refuse || report.Findings[0].Kind != "size-bytes" {
		t.Errorf("Check = %+v, %v; want size-bytes", report, err)
	}
	off := slices.DeleteFunc(Rules(), func(r Rule) bool { return r.Kind == "size-bytes" })
	if report, err := CheckRules(t.Context(), in, off); !errors.Is(err, ErrUndecided) {
		t.Errorf("without the rule: %+v, %v; want %v", report, err, ErrUndecided)
	}
}

// TestMuchWork wants a small patch that makes readers go through much refused or undecided, without that work.
func TestMuchWork(t *testing.T) {
	dir := testrepo.Base(t)
	testrepo.Commit(t, dir, map[string]string{"packages/core/src/big.ts": "a\nb\nc\n" + strings.Repeat("x\n", 4<<20)})
	edit := "diff --git a/P b/P\n--- a/P\n+++ b/P\n@@ -1,3 +1,3 @@\n a\n-b\n+b\n c\n"
	in := Input{Repo: dir, Base: "HEAD", Policy: seedPolicy(t)}
	in.Patch = []byte(strings.Repeat(strings.ReplaceAll(edit, "P", "packages/core/src/big.ts"), 1500))
	report, err := Check(t.Context(), in)
	if err != nil || report.Verdict != Refuse {
		t.Errorf("Check = %s, %v", report.Verdict, err)
	}
	if report, err := CheckRules(t.Context(), in, nil); !errors.Is(err, ErrUndecided) {
		t.Errorf("without any rule: %s, %v; want %v", report.Verdict, err, ErrUndecided)
	}
}

// TestOddPathsWithAttributes wants a finding, not an error, for paths that git cannot look up attributes of.
func TestOddPathsWithAttributes(t *testing.T) {
	dir := testrepo.Base(t)
	testrepo.Commit(t, dir, map[string]string{".gitattributes": "* text=auto\n"})
	for _, path := range []string{"../x.ts", "/x.ts", "packages//x.ts", "./x.ts", "packages/core/src/../x.ts", "x\x00.ts", ""} {
		in := Input{Repo: dir, Base: "HEAD", Policy: seedPolicy(t), Patch: []byte(newFilePatch(path, "export const x = 1;\n"))}
		if report, err := Check(t.Context(), in); err != nil || report.Verdict != Refuse {
			t.Errorf("%q: %s, %v", path, report.Verdict, err)
		}
	}
}

// TestBinaryBomb wants packed content refused before anything unpacks it, wherever it stands.
func TestBinaryBomb(t *testing.T) {
	for _, text := range []string{
		"GIT binary patch\nliteral 1000000000\nzcmV", goodPatch + "GIT binary patch\n",
		strings.Repeat("diff --git x\n", 1000) + "diff --git a/x b/x\nGIT binary patch\nliteral 0\n",
	} {
		if s := readGrammar([]byte(text)); !s.binary {
			t.Errorf("%q is not seen as binary", excerpt(text))
		}
	}
	if s := readGrammar([]byte(strings.Replace(goodPatch, "-  return", "-GIT binary patch\n-  return", 1))); s.binary {
		t.Error("a line of a hunk is seen as binary")
	}
}

// TestHugeBaseFile wants a change of a file that is too large to be read refused for its size.
func TestHugeBaseFile(t *testing.T) {
	dir := testrepo.Base(t)
	testrepo.Commit(t, dir, map[string]string{"packages/core/src/huge.ts": strings.Repeat("x\n", maxBlobBytes/2+1)})
	in := Input{Repo: dir, Base: "HEAD", Policy: seedPolicy(t)}
	in.Patch = []byte(strings.ReplaceAll(goodPatch, "money.ts", "huge.ts"))
	report, err := Check(t.Context(), in)
	if err != nil || report.Verdict != Refuse || !finds(report, "SF-SIZE-005") {
		t.Errorf("Check = %+v, %v; want a refusal by SF-SIZE-005", report, err)
	}
}

// TestRulePanics wants a rule that breaks down to refuse the patch.
func TestRulePanics(t *testing.T) {
	in := Input{Repo: testrepo.Base(t), Base: "HEAD", Policy: seedPolicy(t), Patch: []byte(goodPatch)}
	broken := Rule{ID: "SF-TEST-001", Kind: "test", Check: func(*Change) []Finding { panic("no") }}
	report, err := CheckRules(t.Context(), in, append(Rules(), broken))
	if err != nil || report.Verdict != Refuse || report.Findings[0].Rule != broken.ID {
		t.Errorf("Check = %+v, %v", report, err)
	}
}

// TestAllFindings wants every fault of one patch in one report, each once, in order.
func TestAllFindings(t *testing.T) {
	in := Input{Repo: testrepo.Base(t), Base: "HEAD", Policy: seedPolicy(t)}
	in.Patch = []byte("From nobody\n" + goodPatch + "\n" + badPatch + newFilePatch(".github/workflows/x.yml", "on: push\n") + strings.Replace(newFilePatch("packages/core/src/x.ts", "x\n"), "100644", "100755", 1))
	report, err := Check(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	var kinds []string
	for _, f := range report.Findings {
		kinds = append(kinds, f.Kind)
	}
	for _, want := range []string{"parse-preamble", "parse-trailing", "path-outside", "path-dot", "op-mode"} {
		if !slices.Contains(kinds, want) {
			t.Errorf("kinds %v, want also %s", kinds, want)
		}
	}
	for i, f := range report.Findings {
		if i > 0 && fmt.Sprint(f) == fmt.Sprint(report.Findings[i-1]) {
			t.Errorf("finding %+v is there twice", f)
		}
	}
	again, err := Check(t.Context(), in)
	if err != nil || !slices.Equal(again.Findings, report.Findings) {
		t.Error("a second check of the same patch reports otherwise")
	}
}
