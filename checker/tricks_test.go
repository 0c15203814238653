package checker

import (
	"strings"
	"testing"

	"selffix/internal/scratch"
	"selffix/internal/testrepo"
)

// tricks are patches that git and go-gitdiff were seen to read differently, or that only one of them reads, in a comparison of the two over 234 patches
// made by hand. M is packages/core/src/money.ts, S packages/core/src/split.ts, N a new file; HUNK is a good hunk for M, MARK the "No newline" marker.
var tricks = map[string]string{
	"name ends at CR":                          "diff --git a/M\r b/M\r\n--- a/M\r\n+++ b/M\r\nHUNK",
	"name ends at CR in its middle":            "diff --git a/M\rx.ts b/M\rx.ts\n--- a/M\rx.ts\n+++ b/M\rx.ts\nHUNK",
	"name ends at NUL":                         "diff --git a/M\x00x b/M\x00x\n--- a/M\x00x\n+++ b/M\x00x\nHUNK",
	"quoted octal NUL":                         "diff --git \"a/M\\000x\" \"b/M\\000x\"\n--- \"a/M\\000x\"\n+++ \"b/M\\000x\"\nHUNK",
	"quoted hexadecimal":                       "diff --git \"a/M\" \"b/M\"\n--- \"a/packages/core/src/\\x6doney.ts\"\n+++ \"b/packages/core/src/\\x6doney.ts\"\nHUNK",
	"quoted bad bytes":                         "diff --git \"a/M\\377\" \"b/M\\377\"\nnew file mode 100644\n--- /dev/null\n+++ \"b/M\\377\"\n@@ -0,0 +1 @@\n+x\n",
	"double slash":                             "diff --git a//M b//M\n--- a//M\n+++ b//M\nHUNK",
	"double slash inside":                      "diff --git a/packages//core/src/money.ts b/packages//core/src/money.ts\n--- a/packages//core/src/money.ts\n+++ b/packages//core/src/money.ts\nHUNK",
	"prefixes c/ and d/":                       "diff --git c/M d/M\n--- c/M\n+++ d/M\nHUNK",
	"mnemonic prefixes":                        "diff --git i/M w/M\n--- i/M\n+++ w/M\nHUNK",
	"names of another file":                    "diff --git a/M b/M\n--- a/M\n+++ b/S\nHUNK",
	"names of another file, in the first too":  "diff --git a/M b/S\n--- a/M\n+++ b/S\nHUNK",
	"leaked name over a blank line":            "diff --git a/M b/M\n\ndiff --git a/S b/S\nindex 1111111..2222222 100644\nHUNK",
	"leaked name over a comment":               "diff --git a/M b/M\n# x\ndiff --git a/S b/S\nindex 1111111..2222222 100644\nHUNK",
	"leaked header of a new file":              "diff --git a/M b/M\nnew file mode 100644\ndiff --git a/S b/S\nHUNK",
	"/dev/null and more":                       "diff --git a/N b/N\nnew file mode 100644\n--- /dev/null and more\n+++ b/N\n@@ -0,0 +1 @@\n+x\n",
	"+++ /dev/null without a mode":             "diff --git a/M b/M\n--- a/M\n+++ /dev/null\nHUNK",
	"mode after the names":                     "diff --git a/M b/M\n--- a/M\nnew mode 100755\n+++ b/M\nHUNK",
	"new file after the names":                 "diff --git a/N b/N\n--- /dev/null\nnew file mode 100644\n+++ b/N\n@@ -0,0 +1 @@\n+x\n",
	"new file mode 0":                          "diff --git a/N b/N\nnew file mode 0\n--- /dev/null\n+++ b/N\n@@ -0,0 +1 @@\n+x\n",
	"link after new file":                      "diff --git a/N b/N\nnew file mode 100644\nnew mode 120000\n--- /dev/null\n+++ b/N\n@@ -0,0 +1 @@\n+x\n",
	"mode with a blank behind it":              "diff --git a/N b/N\nnew file mode 100644 \n--- /dev/null\n+++ b/N\n@@ -0,0 +1 @@\n+x\n",
	"old position first":                       "diff --git a/packages/core/src/twins.ts b/packages/core/src/twins.ts\n--- a/packages/core/src/twins.ts\n+++ b/packages/core/src/twins.ts\n@@ -2,3 +9,3 @@\n   if (n < 0) {\n-    return 0;\n+    return 1;\n   }\n",
	"both positions of the wrong twin":         "diff --git a/packages/core/src/twins.ts b/packages/core/src/twins.ts\n--- a/packages/core/src/twins.ts\n+++ b/packages/core/src/twins.ts\n@@ -3,3 +3,3 @@\n   if (n < 0) {\n-    return 0;\n+    return 1;\n   }\n",
	"no context at the end of the first twin":  "diff --git a/packages/core/src/twins.ts b/packages/core/src/twins.ts\n--- a/packages/core/src/twins.ts\n+++ b/packages/core/src/twins.ts\n@@ -5,2 +5,3 @@\n   return n;\n }\n+// x\n",
	"no context, line 3":                       "diff --git a/M b/M\n--- a/M\n+++ b/M\n@@ -3,0 +4 @@\n+// x\n",
	"wrapped position":                         "diff --git a/M b/M\n--- a/M\n+++ b/M\n@@ -4294967301,3 +5,3 @@\n export function isWhole(value: number): boolean {\n-  return value % 100 === 0;\n+  return value % 10 === 0;\n }\n",
	"negative range":                           "diff --git a/M b/M\n--- a/M\n+++ b/M\n@@ --5,3 +5,3 @@\n export function isWhole(value: number): boolean {\n-  return value % 100 === 0;\n+  return value % 10 === 0;\n }\n",
	"marker between added lines":               "diff --git a/N b/N\nnew file mode 100644\n--- /dev/null\n+++ b/N\n@@ -0,0 +1,2 @@\n+export const a = gl\nMARK\n+obalThis;\n",
	"marker between hunks":                     "diff --git a/M b/M\n--- a/M\n+++ b/M\n@@ -1,2 +1,2 @@\n export function roundCents(value: number): number {\n-  return Math.round(value);\n+  return\nMARK\nHUNK",
	"marker between two diffs of one file":     "diff --git a/N b/N\nnew file mode 100644\n--- /dev/null\n+++ b/N\n@@ -0,0 +1 @@\n+export const a = gl\nMARK\ndiff --git a/N b/N\n--- a/N\n+++ b/N\n@@ -1 +1,2 @@\n export const a = gl\nMARK\n+obalThis;\n",
	"short marker":                             "diff --git a/N b/N\nnew file mode 100644\n--- /dev/null\n+++ b/N\n@@ -0,0 +1 @@\n+x\n\\ x\n",
	"marker of twelve bytes":                   "diff --git a/N b/N\nnew file mode 100644\n--- /dev/null\n+++ b/N\n@@ -0,0 +1 @@\n+x\n\\ 234567890\n",
	"marker with text behind it":               "diff --git a/N b/N\nnew file mode 100644\n--- /dev/null\n+++ b/N\n@@ -0,0 +1 @@\n+x\nMARK; process.exit()\n",
	"marker with CR":                           "diff --git a/N b/N\nnew file mode 100644\n--- /dev/null\n+++ b/N\n@@ -0,0 +1 @@\n+x\nMARK\r\n",
	"insertion behind a last line without end": "diff --git a/packages/core/src/no-eol.ts b/packages/core/src/no-eol.ts\n--- a/packages/core/src/no-eol.ts\n+++ b/packages/core/src/no-eol.ts\n@@ -3,0 +4 @@\n+export const x = 1;\n",
	"traditional patch alone":                  "--- a/M\n+++ b/M\nHUNK",
	"traditional patch behind one of git":      "diff --git a/M b/M\n--- a/M\n+++ b/M\nHUNK--- a/S\n+++ b/S\n@@ -1 +1 @@\n-x\n+y\n",
	"bare name":                                "--- x.ts\n+++ x.ts\n@@ -0,0 +1 @@\n+x\ndiff --git a/M b/M\n--- a/M\n+++ b/M\nHUNK",
	"lone first line at the end":               "diff --git a/M b/M\n--- a/M\n+++ b/M\nHUNKdiff --git a/S b/S\n",
	"file over a folder":                       "diff --git a/packages/core b/packages/core\nnew file mode 100644\n--- /dev/null\n+++ b/packages/core\n@@ -0,0 +1 @@\n+x\n",
	"file below a file":                        "diff --git a/M/x.ts b/M/x.ts\nnew file mode 100644\n--- /dev/null\n+++ b/M/x.ts\n@@ -0,0 +1 @@\n+x\n",
	"file below a new file":                    "diff --git a/N b/N\nnew file mode 100644\n--- /dev/null\n+++ b/N\n@@ -0,0 +1 @@\n+x\ndiff --git a/N/x.ts b/N/x.ts\nnew file mode 100644\n--- /dev/null\n+++ b/N/x.ts\n@@ -0,0 +1 @@\n+x\n",
	"below a linked folder":                    "diff --git a/packages/web/src/shared/x.ts b/packages/web/src/shared/x.ts\nnew file mode 100644\n--- /dev/null\n+++ b/packages/web/src/shared/x.ts\n@@ -0,0 +1 @@\n+x\n",
	"edit that changes nothing":                "diff --git a/M b/M\n--- a/M\n+++ b/M\n@@ -5,3 +5,3 @@\n export function isWhole(value: number): boolean {\n-  return value % 100 === 0;\n+  return value % 100 === 0;\n }\n",
	"empty line without end":                   "diff --git a/M b/M\n--- a/M\n+++ b/M\n@@ -6,2 +6,3 @@\n   return value % 100 === 0;\n }\n+\nMARK\n",
	"mail with a second diff in its text":      "From x\nSubject: y\n\ndiff --git a/S b/S\n--- a/S\n+++ b/S\n@@ -1 +1 @@\n-x\n+y\n---\n\ndiff --git a/M b/M\n--- a/M\n+++ b/M\nHUNK",
	"diff of a merge":                          "diff --combined M\n--- a/M\n+++ b/M\nHUNK",
	"UTF-16":                                   "\xff\xfed\x00i\x00f\x00f\x00",
	"line separators":                          "diff --git a/M b/M\u2028--- a/M\n+++ b/M\nHUNK",
	"carriage returns throughout":              "diff --git a/M b/M\r\n--- a/M\r\n+++ b/M\r\n@@ -5,3 +5,3 @@\r\n export function isWhole(value: number): boolean {\r\n-  return value % 100 === 0;\r\n+  return value % 10 === 0;\r\n }\r\n",
	"tabs for blanks":                          "diff\t--git a/M b/M\n--- a/M\n+++ b/M\nHUNK",
	"link of the base replaced by a file":      "diff --git a/packages/core/src/alias.ts b/packages/core/src/alias.ts\nold mode 120000\nnew mode 100644\n",
	"two names with a blank and b/":            "diff --git a/M b/M b/M b/M\n--- a/M\n+++ b/M\nHUNK",
}

// TestTricks wants every known trick refused, and the result of none.
func TestTricks(t *testing.T) {
	const hunk = "@@ -5,3 +5,3 @@\n export function isWhole(value: number): boolean {\n-  return value % 100 === 0;\n+  return value % 10 === 0;\n }\n"
	expand := strings.NewReplacer("HUNK", hunk, "MARK", marker, "a/M", "a/packages/core/src/money.ts", "b/M", "b/packages/core/src/money.ts",
		"c/M", "c/packages/core/src/money.ts", "d/M", "d/packages/core/src/money.ts", "i/M", "i/packages/core/src/money.ts", "w/M", "w/packages/core/src/money.ts",
		"a/S", "a/packages/core/src/split.ts", "b/S", "b/packages/core/src/split.ts", "a/N", "a/packages/core/src/fresh.ts", "b/N", "b/packages/core/src/fresh.ts")
	in := Input{Repo: testrepo.Base(t), Base: "HEAD", Policy: seedPolicy(t), Scratch: scratch.Options{Parent: t.TempDir()}}
	for name, text := range tricks {
		t.Run(name, func(t *testing.T) {
			in := in
			in.Patch = []byte(expand.Replace(text))
			report, err := CheckRules(t.Context(), in, readingRules())
			if err != nil || report.Verdict != Refuse || report.ResultTree != "" {
				t.Errorf("the rules of reading: %s, %v", report.Verdict, err)
			}
		})
	}
	in.Patch = []byte(expand.Replace("diff --git a/M b/M\n--- a/M\n+++ b/M\nHUNK"))
	if report, err := Check(t.Context(), in); err != nil || report.Verdict != Accept {
		t.Errorf("the hunk that the tricks use is not good by itself: %v, %v", report.Findings, err)
	}
}
