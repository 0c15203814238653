package codepoint_test

import (
	"crypto/sha256"
	"encoding/hex"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
	"unicode"

	"selffix/checker/codepoint"
)

var update = flag.Bool("update", false, "write the golden files anew")

// ranges writes every maximal range of code points that hold has, one a line.
func ranges(hold func(rune) bool) (text string, count int) {
	var b strings.Builder
	for r := rune(0); r <= unicode.MaxRune; r++ {
		if !hold(r) {
			continue
		}
		first := r
		for r < unicode.MaxRune && hold(r+1) {
			r++
		}
		fmt.Fprintf(&b, "%04X-%04X\n", first, r)
		count += int(r-first) + 1
	}
	return b.String(), count
}

// TestAcceptedSet walks all 0x110000 code points. A newer Go with newer Unicode tables changes the set, which must
// be a decision: read the difference, then run the test with -update.
func TestAcceptedSet(t *testing.T) {
	accepted, n := ranges(func(r rune) bool { return codepoint.Of(r) == 0 })
	sum := sha256.Sum256([]byte(accepted))
	got := fmt.Sprintf("unicode %s\naccepted %d\nsha256 %s\n%s", unicode.Version, n, hex.EncodeToString(sum[:]), accepted)
	golden(t, "testdata/accepted.txt", got)
}

// TestRefusedSets pins each class, and that the classes and the accepted set cover everything.
func TestRefusedSets(t *testing.T) {
	classes := []struct {
		name  string
		class codepoint.Class
	}{
		{"bidi", codepoint.Bidi}, {"invisible", codepoint.Invisible}, {"control", codepoint.Control}, {"unassigned", codepoint.Unassigned},
	}
	var b strings.Builder
	for _, c := range classes {
		text, n := ranges(func(r rune) bool { return codepoint.Of(r)&c.class != 0 })
		if n < 5000 {
			fmt.Fprintf(&b, "%s %d\n%s", c.name, n, text)
			continue
		}
		sum := sha256.Sum256([]byte(text))
		fmt.Fprintf(&b, "%s %d sha256 %s\n", c.name, n, hex.EncodeToString(sum[:]))
	}
	golden(t, "testdata/refused.txt", b.String())
}

func golden(t *testing.T, path, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s differs from what the tables say (Unicode %s); if that is meant, run with -update", path, unicode.Version)
	}
}

// TestDefaultIgnorable compares the derived property with the ranges that Unicode 15.0 publishes in
// DerivedCoreProperties.txt.
func TestDefaultIgnorable(t *testing.T) {
	const published = `00AD-00AD
034F-034F
061C-061C
115F-1160
17B4-17B5
180B-180F
200B-200F
202A-202E
2060-206F
3164-3164
FE00-FE0F
FEFF-FEFF
FFA0-FFA0
FFF0-FFF8
1BCA0-1BCA3
1D173-1D17A
E0000-E0FFF
`
	if got, n := ranges(codepoint.DefaultIgnorable); got != published || n != 4174 {
		t.Errorf("%d default-ignorable code points:\n%s", n, got)
	}
}

func TestOf(t *testing.T) {
	tests := []struct {
		r    rune
		want codepoint.Class
	}{
		{'a', 0}, {'\t', 0}, {' ', 0}, {'é', 0}, {'割', 0}, {'\u3000', 0}, {'😀', 0}, {'\u0301', 0}, {'א', 0},
		{'\n', codepoint.Control}, {'\r', codepoint.Control}, {0, codepoint.Control}, {0x1B, codepoint.Control}, {0x85, codepoint.Control},
		{'\u2028', codepoint.Control | codepoint.Invisible},
		{'\u202E', codepoint.Bidi}, {'\u061C', codepoint.Bidi}, {'\u200E', codepoint.Bidi}, {'\u2069', codepoint.Bidi},
		{'\u00A0', codepoint.Invisible}, {'\u200B', codepoint.Invisible}, {'\uFE0F', codepoint.Invisible}, {'\u2800', codepoint.Invisible},
		{0xE0041, codepoint.Invisible}, {0x3164, codepoint.Invisible}, {0x0600, codepoint.Invisible},
		{0xE000, codepoint.Unassigned}, {0xFDD0, codepoint.Unassigned}, {0x10FFFF, codepoint.Unassigned}, {0x0378, codepoint.Unassigned},
		{0xD800, codepoint.Unassigned}, {-1, codepoint.Unassigned}, {unicode.MaxRune + 1, codepoint.Unassigned},
		{'\uFFFD', codepoint.Unassigned | codepoint.Invisible},
	}
	for _, tt := range tests {
		if got := codepoint.Of(tt.r); got != tt.want {
			t.Errorf("Of(%s) = %b, want %b", codepoint.Name(tt.r), got, tt.want)
		}
	}
}

// TestHandPicked holds the two decisions by hand to be needed: without them the tables say the other thing.
func TestHandPicked(t *testing.T) {
	if !unicode.Is(unicode.So, '\u2800') || !unicode.Is(unicode.Zs, '\u3000') {
		t.Error("the tables have changed: U+2800 is no symbol or U+3000 no blank any more")
	}
}

func TestName(t *testing.T) {
	for r, want := range map[rune]string{'\u202E': "U+202E", 0x1B: "U+001B", 0xE0041: "U+E0041"} {
		if got := codepoint.Name(r); got != want {
			t.Errorf("Name = %q, want %q", got, want)
		}
	}
}
