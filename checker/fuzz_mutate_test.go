package checker

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// mutator makes patches that are nearly right. It is a function of its seed alone, so that a failure can be made again.
type mutator struct {
	rng   *rand.Rand
	seeds [][]byte          // whole patches
	files map[string][]byte // of the base
	paths []string
}

func newMutator(seed uint64, seeds [][]byte, files map[string][]byte) *mutator {
	m := &mutator{rng: rand.New(rand.NewPCG(seed, 1)), seeds: seeds, files: files}
	for p := range files {
		m.paths = append(m.paths, p)
	}
	slices.Sort(m.paths)
	return m
}

// snippets are lines that mean something to one reader or another.
var snippets = []string{
	"diff --git a/packages/core/src/money.ts b/packages/core/src/money.ts\n", "diff --git a/x b/y\n", "diff --git \"a/x\" \"b/x\"\n",
	"--- a/packages/core/src/money.ts\n", "+++ b/packages/core/src/money.ts\n", "--- /dev/null\n", "+++ /dev/null\n", "--- a/x\t\n",
	"new file mode 100644\n", "new file mode 100755\n", "deleted file mode 100644\n", "old mode 100644\n", "new mode 100755\n", "new file mode 0\n",
	"rename from a\n", "rename to b\n", "copy from a\n", "similarity index 90%\n", "index 1111111..2222222 100644\n", "index 0000000..e69de29\n",
	"@@ -1 +1 @@\n", "@@ -1,3 +1,4 @@\n", "@@ -0,0 +1 @@\n", "@@ -3,0 +4 @@\n", "@@ -1,0 +1,0 @@\n", "@@ -4294967310,3 +14,3 @@\n",
	"\\ No newline at end of file\n", "\\ no\n", "\\ Kein Zeilenumbruch am Dateiende\n", "GIT binary patch\n", "literal 0\n", "-- \n", "\n", " \n", "+\n", "-\n", "+x\n", "-x\n", " x\n",
	"+x\r\n", "-- a/x\n", "++ b/x\n", "--- x\n", "+++ x\n", "@@\n", "@@@ -1 -1 +1 @@@\n", "From 0 Mon Sep 17 00:00:00 2001\n",
}

// next makes one patch.
func (m *mutator) next() []byte {
	var p []byte
	if m.rng.IntN(3) > 0 {
		p = m.generate()
	} else {
		p = bytes.Clone(m.seeds[m.rng.IntN(len(m.seeds))])
	}
	for range m.rng.IntN(4) {
		p = m.mutate(p)
	}
	if len(p) > 1<<16 {
		p = p[:1<<16]
	}
	return p
}

// mutate changes a patch in one place.
func (m *mutator) mutate(p []byte) []byte {
	lines := bytes.SplitAfter(p, []byte{'\n'})
	i, j := m.rng.IntN(len(lines)), m.rng.IntN(len(lines))
	switch m.rng.IntN(12) {
	case 0:
		lines = slices.Delete(lines, i, i+1)
	case 1:
		lines = slices.Insert(lines, i, lines[j])
	case 2:
		lines[i], lines[j] = lines[j], lines[i]
	case 3, 4:
		lines = slices.Insert(lines, i, []byte(snippets[m.rng.IntN(len(snippets))]))
	case 5:
		lines[i] = []byte(snippets[m.rng.IntN(len(snippets))])
	case 6, 7:
		lines[i] = m.number(lines[i])
	case 8:
		lines[i] = m.byteOf(lines[i])
	case 9:
		if len(lines[i]) > 0 {
			lines[i] = append([]byte{" +-\\@d"[m.rng.IntN(6)]}, lines[i][1:]...)
		}
	case 10:
		other := m.seeds[m.rng.IntN(len(m.seeds))]
		lines = slices.Insert(lines, i, other)
	case 11:
		return bytes.Join(lines, nil)[:len(p)-min(len(p), m.rng.IntN(3))]
	}
	return bytes.Join(lines, nil)
}

// number changes one digit of a line, or adds one.
func (m *mutator) number(line []byte) []byte {
	var at []int
	for i, c := range line {
		if c >= '0' && c <= '9' {
			at = append(at, i)
		}
	}
	if len(at) == 0 {
		return line
	}
	line = bytes.Clone(line)
	i := at[m.rng.IntN(len(at))]
	line[i] = byte('0' + m.rng.IntN(10))
	if m.rng.IntN(8) == 0 {
		line = slices.Insert(line, i, byte('0'+m.rng.IntN(10)))
	}
	return line
}

// byteOf puts a byte that some reader takes for more than itself into a line.
func (m *mutator) byteOf(line []byte) []byte {
	const odd = "\r\x00\t\"\\ /a\x80\xef\v\x7f"
	i := m.rng.IntN(len(line) + 1)
	c := odd[m.rng.IntN(len(odd))]
	if i < len(line) && m.rng.IntN(2) == 0 {
		line = bytes.Clone(line)
		line[i] = c
		return line
	}
	return slices.Insert(bytes.Clone(line), i, c)
}

// generate makes a patch from the base as a diff tool might: random edits of random files with random context.
func (m *mutator) generate() []byte {
	var b bytes.Buffer
	for range 1 + m.rng.IntN(3) {
		if m.rng.IntN(5) == 0 {
			b.WriteString(newFilePatch(fmt.Sprintf("packages/core/src/new%d.ts", m.rng.IntN(1000)), strings.Repeat("x\n", 1+m.rng.IntN(3))))
			continue
		}
		p := m.paths[m.rng.IntN(len(m.paths))]
		m.edit(&b, p, m.files[p])
	}
	return b.Bytes()
}

// edit writes one file's diff.
func (m *mutator) edit(b *bytes.Buffer, path string, text []byte) {
	old := bytes.SplitAfter(text, []byte{'\n'})
	if len(old[len(old)-1]) == 0 {
		old = old[:len(old)-1]
	}
	tab := ""
	if strings.Contains(path, " ") {
		tab = "\t"
	}
	fmt.Fprintf(b, "diff --git a/%[1]s b/%[1]s\n", path)
	if m.rng.IntN(2) == 0 {
		b.WriteString("index 1111111..2222222 100644\n")
	}
	fmt.Fprintf(b, "--- a/%[1]s%[2]s\n+++ b/%[1]s%[2]s\n", path, tab)
	at, delta := 0, 0
	for range 1 + m.rng.IntN(3) {
		if at > len(old) {
			return
		}
		start := at + m.rng.IntN(len(old)-at+1)
		before := min(m.rng.IntN(4), start-at)
		removed := min(m.rng.IntN(3), len(old)-start)
		after := min(m.rng.IntN(4), len(old)-start-removed)
		added := m.rng.IntN(3)
		if removed+added == 0 {
			added = 1
		}
		m.hunk(b, old, start, before, removed, added, after, delta)
		at, delta = start+removed+after+m.rng.IntN(2), delta+added-removed
	}
}

// hunk writes one hunk at a line of the old file.
func (m *mutator) hunk(b *bytes.Buffer, old [][]byte, start, before, removed, added, after, delta int) {
	oldLen, newLen := before+removed+after, before+added+after
	oldPos, newPos := start-before, start-before+delta
	if oldLen > 0 {
		oldPos++
	}
	if newLen > 0 {
		newPos++
	}
	fmt.Fprintf(b, "@@ -%d,%d +%d,%d @@\n", oldPos, oldLen, newPos, newLen)
	line := func(op byte, l []byte) {
		b.WriteByte(op)
		b.Write(l)
		if !bytes.HasSuffix(l, []byte{'\n'}) {
			b.WriteString("\n" + marker + "\n")
		}
	}
	for i := start - before; i < start; i++ {
		line(' ', old[i])
	}
	for i := start; i < start+removed; i++ {
		line('-', old[i])
	}
	for i := range added {
		text := []byte(fmt.Sprintf("added %d\n", m.rng.IntN(100)))
		if len(old) > 0 && m.rng.IntN(2) == 0 {
			text = old[m.rng.IntN(len(old))]
		}
		if i == added-1 && after == 0 && start+removed == len(old) && m.rng.IntN(3) == 0 {
			text = bytes.TrimSuffix(text, []byte{'\n'})
		}
		line('+', text)
	}
	for i := start + removed; i < start+removed+after; i++ {
		line(' ', old[i])
	}
}
