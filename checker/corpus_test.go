package checker

import (
	"encoding/csv"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"selffix/internal/scratch"
	"selffix/internal/testrepo"
)

// corpusCase is one line of INDEX.tsv.
type corpusCase struct {
	file, kind string
	verdict    Verdict
	patch      []byte
}

// corpus reads all cases of testdata/patches.
func corpus(t testing.TB) []corpusCase {
	t.Helper()
	dir := filepath.Join(testrepo.Root(t), "testdata", "patches")
	f, err := os.Open(filepath.Join(dir, "INDEX.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r := csv.NewReader(f)
	r.Comma, r.LazyQuotes = '\t', true
	rows, err := r.ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var cases []corpusCase
	for _, row := range rows[1:] {
		patch, err := os.ReadFile(filepath.Join(dir, row[0]))
		if err != nil {
			t.Fatal(err)
		}
		cases = append(cases, corpusCase{file: row[0], verdict: Verdict(row[1]), kind: row[2], patch: patch})
	}
	if len(cases) < 100 {
		t.Fatalf("only %d cases were read", len(cases))
	}
	return cases
}

// TestCorpus wants every verdict right, and one finding of the kind that the case is refused for.
func TestCorpus(t *testing.T) {
	in := Input{Repo: testrepo.Base(t), Base: "HEAD", Policy: seedPolicy(t), Scratch: scratch.Options{Parent: t.TempDir()}}
	for _, c := range corpus(t) {
		t.Run(c.file, func(t *testing.T) {
			in := in
			in.Patch = c.patch
			report, err := Check(t.Context(), in)
			if err != nil {
				t.Fatal(err)
			}
			var kinds []string
			for _, f := range report.Findings {
				kinds = append(kinds, f.Kind)
			}
			if report.Verdict != c.verdict {
				t.Errorf("verdict %s, want %s; findings %v", report.Verdict, c.verdict, report.Findings)
			}
			if c.verdict == Refuse && !slices.Contains(kinds, c.kind) {
				t.Errorf("kinds %v, want one %s", kinds, c.kind)
			}
			if (report.Verdict == Accept) != (report.ResultTree != "" && report.BaseTree != "" && len(report.Changed) > 0) {
				t.Errorf("verdict %s with result tree %q and %d changed files", report.Verdict, report.ResultTree, len(report.Changed))
			}
		})
	}
	if left, err := os.ReadDir(in.Scratch.Parent); err != nil || len(left) > 0 {
		t.Errorf("%d entries stay behind, %v", len(left), err)
	}
}
