package checker

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"selffix/internal/scratch"
	"selffix/internal/testrepo"
)

// TestAttributesReadInTwoWays has files of attributes that a checkout honours and "check-attr --cached" does not, or some systems only.
func TestAttributesReadInTwoWays(t *testing.T) {
	for name, tt := range map[string]struct {
		file, text string
		want       Verdict
	}{
		"plain":           {".gitattributes", "*.png binary\n*.ts text\n", Accept},
		"byte order mark": {".gitattributes", "\uFEFF*.ts filter=x\n", Refuse},
		"NUL":             {"packages/.gitattributes", "# \x00\n*.ts filter=x\n", Refuse},
		"no UTF-8":        {".gitattributes", "# \xe9\n", Refuse},
		"long line":       {".gitattributes", "*.ts " + strings.Repeat(" ", maxAttributeLine) + "filter=x\n", Refuse},
		"another case":    {".GitAttributes", "*.png binary\n", Refuse},
		"beside the path": {"packages/web/.gitattributes", "\uFEFF*.ts filter=x\n", Accept},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in := Input{Repo: testrepo.Base(t), Base: "HEAD", Policy: seedPolicy(t), Patch: []byte(goodPatch), Scratch: scratch.Options{Parent: t.TempDir()}}
			testrepo.Commit(t, in.Repo, map[string]string{tt.file: tt.text})
			report, err := Check(t.Context(), in)
			if err != nil || report.Verdict != tt.want || tt.want == Refuse && !finds(report, idTreeAttributes) {
				t.Errorf("Check = %+v, %v; want %s", report, err, tt.want)
			}
		})
	}
}

// TestLinkedAttributes has a link for a file of attributes, which old versions of git follow.
func TestLinkedAttributes(t *testing.T) {
	in := Input{Repo: testrepo.Base(t), Base: "HEAD", Policy: seedPolicy(t), Patch: []byte(goodPatch), Scratch: scratch.Options{Parent: t.TempDir()}}
	if err := os.Symlink("README.md", filepath.Join(in.Repo, ".gitattributes")); err != nil {
		t.Fatal(err)
	}
	testrepo.Commit(t, in.Repo, map[string]string{"README.md": "*.ts filter=x\n"})
	if report, err := Check(t.Context(), in); err != nil || !finds(report, idTreeAttributes) {
		t.Errorf("Check = %+v, %v", report, err)
	}
}

// TestFaultsOfThePatch holds patches after which git's index, or a file, cannot be read. They are refused, not left undecided.
func TestFaultsOfThePatch(t *testing.T) {
	in := Input{Repo: testrepo.Base(t), Base: "HEAD", Policy: seedPolicy(t), Scratch: scratch.Options{Parent: t.TempDir()}}
	testrepo.Commit(t, in.Repo, map[string]string{"packages/core/src/huge.ts": "export const a = 1;\n" + strings.Repeat("// x\n", maxBlobBytes/5+1)})
	for name, tt := range map[string]struct {
		patch string
		want  RuleID
	}{
		"folder": {"diff --git a/packages/core/src/x.ts b/packages/core/src/x.ts\nnew file mode 040000\n--- /dev/null\n+++ b/packages/core/src/x.ts\n@@ -0,0 +1 @@\n+export const x = 1;\n", idOpMode},
		"huge":   {"diff --git a/packages/core/src/huge.ts b/packages/core/src/huge.ts\n--- a/packages/core/src/huge.ts\n+++ b/packages/core/src/huge.ts\n@@ -1,2 +1,2 @@\n-export const a = 1;\n+export const a = 2;\n // x\n", "SF-SIZE-005"},
	} {
		in.Patch = []byte(tt.patch)
		if report, err := Check(t.Context(), in); err != nil || report.Verdict != Refuse || !finds(report, tt.want) {
			t.Errorf("%s: Check = %+v, %v; want a finding of %s", name, report, err, tt.want)
		}
	}
}
