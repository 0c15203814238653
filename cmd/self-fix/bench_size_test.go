package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"selffix/internal/testrepo"
)

// plot is where BenchmarkCheckSize draws its points: go test ./cmd/self-fix -run '^$' -bench CheckSize -plot ../../docs/check-time.svg
var plot = flag.String("plot", "", "file that receives the picture of BenchmarkCheckSize")

// component is source as people write it, about 620 bytes: types, a component with markup, a function with branches.
const component = `type Item%[1]d = { id: string; label: string; cents: number; tags?: readonly string[] };

export function Row%[1]d({ item, onPick }: { item: Item%[1]d; onPick: (id: string) => void }) {
  const open = item.cents > 0 && (item.tags?.length ?? 0) < 4;
  return (
    <li className={open ? "row open" : "row"} onClick={() => onPick(item.id)}>
      <span>{item.label}</span> <b>{(item.cents / 100).toFixed(2)}</b>
    </li>
  );
}

export function sum%[1]d(items: readonly Item%[1]d[]): number {
  let total = 0;
  for (const item of items) {
    if (item.cents < 0) continue;
    total += item.cents;
  }
  return total;
}

`

// BenchmarkCheckSize runs the whole process on a two-line change in files of ten sizes up to the policy's 128 KiB, and reports
// time and the largest memory of the process. Time is linear in size when ms/KiB above the first point stays level.
func BenchmarkCheckSize(b *testing.B) {
	self := buildSelf(b)
	seed := filepath.Join(testrepo.Root(b), "testdata", "policy", "seed.yaml")
	var points []point
	for i := 1; i <= 10; i++ {
		text := source(i * 128 << 10 / 10)
		dir := testrepo.Base(b)
		commit := testrepo.Commit(b, dir, map[string]string{"packages/core/src/big.tsx": text})
		patch := filepath.Join(b.TempDir(), "fix.patch")
		change(b, dir, patch)
		p := point{kib: float64(len(text)) / 1024}
		b.Run(fmt.Sprintf("%.0fKiB", p.kib), func(b *testing.B) {
			var total time.Duration
			for b.Loop() {
				cmd := exec.Command(self, "check", "--repo", dir, "--base", commit, "--policy", seed, "--patch", patch)
				start := time.Now()
				if out, err := cmd.CombinedOutput(); err != nil {
					b.Fatalf("%v\n%s", err, out)
				}
				total += time.Since(start)
				usage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage)
				if !ok {
					b.Fatal("the system does not tell what memory a process used")
				}
				p.mib = max(p.mib, float64(usage.Maxrss)/1024)
			}
			p.ms = float64(total.Microseconds()) / 1000 / float64(b.N)
			b.ReportMetric(p.ms, "check-ms")
			b.ReportMetric(p.mib, "peak-MiB")
		})
		points = append(points, p)
	}
	if *plot != "" {
		if err := os.WriteFile(*plot, []byte(picture(points)), 0o644); err != nil {
			b.Fatal(err)
		}
	}
}

type point struct{ kib, ms, mib float64 }

// source is TSX of at most n bytes.
func source(n int) string {
	var s strings.Builder
	for i := 0; ; i++ {
		next := fmt.Sprintf(component, i)
		if s.Len()+len(next) > n {
			return s.String()
		}
		s.WriteString(next)
	}
}

// change writes the patch of a small repair in the middle of the file.
func change(b *testing.B, dir, patch string) {
	b.Helper()
	file := filepath.Join(dir, "packages", "core", "src", "big.tsx")
	text, err := os.ReadFile(file)
	if err != nil {
		b.Fatal(err)
	}
	half := len(text) / 2
	at := half + strings.Index(string(text[half:]), "item.cents < 0")
	changed := string(text[:at]) + "item.cents <= 0" + string(text[at+len("item.cents < 0"):])
	if err := os.WriteFile(file, []byte(changed), 0o644); err != nil {
		b.Fatal(err)
	}
	if err := os.WriteFile(patch, []byte(testrepo.Git(b, dir, "diff")), 0o644); err != nil {
		b.Fatal(err)
	}
	testrepo.Git(b, dir, "checkout", "-q", ".")
}

// picture draws time against size, with the line through the first and the last point.
func picture(points []point) string {
	const w, h, left, bottom = 640.0, 360.0, 60.0, 40.0
	last := points[len(points)-1]
	most := 0.0
	for _, p := range points {
		most = max(most, p.ms)
	}
	x := func(kib float64) float64 { return left + kib/last.kib*(w-left-20) }
	y := func(ms float64) float64 { return h - bottom - ms/most*(h-bottom-30) }
	var s strings.Builder
	fmt.Fprintf(&s, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %.0f %.0f" font-family="sans-serif" font-size="12">`+"\n", w, h)
	fmt.Fprintf(&s, `<rect width="%.0f" height="%.0f" fill="#fff"/>`+"\n", w, h)
	fmt.Fprintf(&s, `<path d="M%.1f 20V%.1fH%.1f" fill="none" stroke="#333"/>`+"\n", left, h-bottom, w-10)
	fmt.Fprintf(&s, `<path d="M%.1f %.1fL%.1f %.1f" stroke="#bbb" stroke-dasharray="4 4"/>`+"\n", x(points[0].kib), y(points[0].ms), x(last.kib), y(last.ms))
	for _, p := range points {
		fmt.Fprintf(&s, `<circle cx="%.1f" cy="%.1f" r="4" fill="#1a6"><title>%.0f KiB: %.1f ms, %.0f MiB</title></circle>`+"\n", x(p.kib), y(p.ms), p.kib, p.ms, p.mib)
		fmt.Fprintf(&s, `<text x="%.1f" y="%.1f" text-anchor="middle">%.0f</text>`+"\n", x(p.kib), h-bottom+16, p.kib)
		fmt.Fprintf(&s, `<text x="%.1f" y="%.1f" text-anchor="end">%.0f</text>`+"\n", x(p.kib)-6, y(p.ms)-6, p.ms)
	}
	fmt.Fprintf(&s, `<text x="%.1f" y="%.1f" text-anchor="middle">size of the changed file, KiB</text>`+"\n", left+(w-left)/2, h-6)
	fmt.Fprint(&s, `<text x="10" y="14">self-fix check, whole process, ms</text>`+"\n</svg>\n")
	return s.String()
}
