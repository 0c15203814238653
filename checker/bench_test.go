package checker

import (
	"fmt"
	"strings"
	"testing"

	"selffix/internal/scratch"
	"selffix/internal/testrepo"
)

// BenchmarkCheckSmall judges the corpus's first patch: one file, two lines. Beside it stand its git processes alone, which are its floor.
func BenchmarkCheckSmall(b *testing.B) {
	in := Input{Repo: testrepo.Base(b), Base: "HEAD", Policy: seedPolicy(b), Scratch: scratch.Options{Parent: b.TempDir()}}
	in.Patch = corpus(b)[0].patch
	b.Run("check", func(b *testing.B) {
		for b.Loop() {
			report, err := Check(b.Context(), in)
			if err != nil || report.Verdict != Accept {
				b.Fatal(report, err)
			}
		}
	})
	b.Run("git-alone", func(b *testing.B) {
		repo, err := scratch.Find(in.Repo)
		if err != nil {
			b.Fatal(err)
		}
		for b.Loop() {
			folder, err := scratch.Open(repo, in.Scratch)
			if err != nil {
				b.Fatal(err)
			}
			cat, err := folder.CatFile(b.Context())
			if err != nil {
				b.Fatal(err)
			}
			base, err := openBase(cat, testrepo.BaseCommit)
			if err != nil {
				b.Fatal(err)
			}
			filled := readBase(b.Context(), folder, testrepo.BaseCommit)
			if filled.err != nil {
				b.Fatal(filled.err)
			}
			if g, err := readGit(b.Context(), folder, filled.index, base.root, in.Patch); err != nil || !g.ok {
				b.Fatal(g, err)
			}
			cat.Close()
			folder.Close()
		}
	})
}

// BenchmarkReadLinear reads patches of ten sizes in process. ns/line stays level when time is linear in size.
func BenchmarkReadLinear(b *testing.B) {
	for i := 1; i <= 10; i++ {
		lines := 400 * i
		patch := newFilePatch("packages/core/src/long.ts", strings.Repeat("export const a = 1;\n", lines))
		b.Run(fmt.Sprint(lines), func(b *testing.B) {
			for b.Loop() {
				s := readGrammar([]byte(patch))
				own, _, err1 := play(nil, s.edits())
				edits, err2 := readGitdiff([]byte(patch))
				diff, _, err3 := play(nil, edits)
				if err1 != nil || err2 != nil || err3 != nil || !s.clean() || !own.ok || !diff.ok {
					b.Fatal(err1, err2, err3)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(lines), "ns/line")
		})
	}
}
