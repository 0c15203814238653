package source

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
)

// module is ordinary code of about n bytes: functions, components, texts, keys.
func module(n int) []byte {
	var b strings.Builder
	b.WriteString("import { useState } from \"react\";\n")
	for i := 0; b.Len() < n; i++ {
		fmt.Fprintf(&b, `
export type Row%[1]d = { id: string; cents: number; tags?: string[] };

export function total%[1]d(rows: Row%[1]d[], rates: Record<string, number>): number {
  let sum = 0;
  for (const row of rows) {
    sum += row.cents * (rates[row.id] ?? 1) + rows.length;
  }
  return Math.round(sum / 100);
}

export function View%[1]d({ rows, label }: { rows: Row%[1]d[]; label: string }) {
  const [open, setOpen] = useState(false);
  return (
    <section className={`+"`card ${open ? \"open\" : \"shut\"}`"+`} aria-label={"Rows of " + label}>
      <button type="button" onClick={() => setOpen((o) => !o)}>Show {rows.length} rows</button>
      {open && rows.map((row, i) => <p key={row.id} data-index={i + 1}>{row.tags?.join(", ") ?? "none"}</p>)}
    </section>
  );
}
`, i)
	}
	return []byte(b.String())
}

// BenchmarkParse reads files of growing size, both forms. ns/byte should stay level.
func BenchmarkParse(b *testing.B) {
	for _, kib := range []int{1, 2, 4, 8, 16, 32, 64, 96, 128} {
		text := module(kib << 10)
		b.Run(fmt.Sprintf("%dKiB", kib), func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := Parse(text, TSX); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkChange reads a file of 128 KiB before and after, and compares them. peak-MiB is the memory that the runtime had to ask for.
func BenchmarkChange(b *testing.B) {
	before := module(127 << 10)
	after := append(append([]byte{}, before...), "export const more = (o: any, k: string) => o[k];\n"...)
	var m runtime.MemStats
	for b.Loop() {
		x, err := Parse(before, TSX)
		if err != nil {
			b.Fatal(err)
		}
		y, err := Parse(after, TSX)
		if err != nil {
			b.Fatal(err)
		}
		if n := len(New(x, y, func(Fact) bool { return true }, func(int) bool { return false })); n == 0 {
			b.Fatal("no new fact")
		}
		runtime.ReadMemStats(&m)
	}
	b.ReportMetric(float64(m.Sys)/(1<<20), "peak-MiB")
}
