package checker

import (
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

// Shares of the hold-out that must be judged right. Its cases were written before the rules were tried on them.
const (
	leastAccepted = 0.97
	leastRefused  = 0.95
)

// TestHoldOut judges the cases of testdata/holdout, which are in no rule's examples, and prints both rates. A case is a
// new file, or an archive with base/PATH and result/PATH.
func TestHoldOut(t *testing.T) {
	for _, set := range []struct {
		folder string
		want   Verdict
		least  float64
	}{{"accept", Accept, leastAccepted}, {"refuse", Refuse, leastRefused}} {
		t.Run(set.folder, func(t *testing.T) {
			names, err := filepath.Glob(filepath.Join("testdata", "holdout", set.folder, "*"))
			if err != nil || len(names) < 120 {
				t.Fatalf("%d cases, %v; want at least 120", len(names), err)
			}
			right := 0
			for _, name := range names {
				found := heldOut(t, name)
				got := Accept
				if len(found) > 0 {
					got = Refuse
				}
				if got == set.want {
					right++
					continue
				}
				t.Logf("%s: %s, want %s", filepath.Base(name), got, set.want)
				for _, f := range found {
					t.Logf("\t%s %s line %d: %s", f.Rule, f.Kind, f.Line, f.Message)
				}
			}
			rate := float64(right) / float64(len(names))
			t.Logf("%s: %d of %d, %.1f %%", set.folder, right, len(names), 100*rate)
			if rate < set.least {
				t.Errorf("%.1f %% are judged right, want %.0f %%", 100*rate, 100*set.least)
			}
		})
	}
}

// heldOut runs every rule on one case.
func heldOut(t *testing.T, name string) []Finding {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	f := &File{New: true, Result: data}
	switch path.Ext(name) {
	case ".ts":
		f.Path = "packages/web/src/lib/example.ts"
	case ".tsx":
		f.Path = "packages/web/src/components/example.tsx"
	case ".css":
		f.Path = "packages/web/src/styles/example.css"
	case ".txtar":
		f = edited(t, data)
	default:
		t.Fatalf("%s: unknown ending", name)
	}
	f.Added = linesAdded(string(f.Base), string(f.Result))
	c := &Change{Policy: seedPolicy(t), Files: []*File{f}, BaseHas: func(string) bool { return false }}
	var found []Finding
	for _, r := range Rules() {
		if r.Check != nil {
			found = append(found, r.Check(c)...)
		}
	}
	return sorted(found)
}

// edited reads a case that changes a file.
func edited(t *testing.T, data []byte) *File {
	t.Helper()
	f := &File{}
	for _, part := range txtar.Parse(data).Files {
		side, p, _ := strings.Cut(part.Name, "/")
		f.Path = p
		if side == "base" {
			f.Base = part.Data
			continue
		}
		f.Result = part.Data
	}
	if f.Base == nil || f.Result == nil {
		t.Fatal("want base/PATH and result/PATH")
	}
	return f
}

// linesAdded are the lines of result that a longest common subsequence with base leaves over.
func linesAdded(base, result string) []Line {
	a, b := strings.Split(strings.TrimSuffix(base, "\n"), "\n"), strings.Split(strings.TrimSuffix(result, "\n"), "\n")
	common := make([][]int, len(a)+1)
	for i := range common {
		common[i] = make([]int, len(b)+1)
	}
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			common[i][j] = max(common[i+1][j], common[i][j+1])
			if a[i] == b[j] {
				common[i][j] = common[i+1][j+1] + 1
			}
		}
	}
	var added []Line
	for i, j := 0, 0; j < len(b); {
		switch {
		case i < len(a) && a[i] == b[j]:
			i++
			j++
		case i < len(a) && common[i+1][j] >= common[i][j+1]:
			i++
		default:
			added = append(added, Line{Number: j + 1, Text: b[j]})
			j++
		}
	}
	return added
}
