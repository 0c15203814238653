// Package visible makes untrusted text safe to show to a person: on a terminal, in a log, in a report.
//
// What goes in is any string; what comes out is one line in which every control, format, direction and
// invisible character, and every byte that is not UTF-8, stands as its code point, such as <U+202E>. A terminal
// escape in a file name can so neither move the cursor nor hide text (OSC 8, OSC 52, CVE-2021-42574).
package visible

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// String returns s with everything that does not print shown as a code point. Tabs and line ends count as such:
// the result is one line.
func String(s string) string {
	if plain(s) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && n <= 1:
			fmt.Fprintf(&b, "<byte %02X>", s[i])
		case Shows(r):
			b.WriteRune(r)
		default:
			b.WriteString("<" + CodePoint(r) + ">")
		}
		i += n
	}
	return b.String()
}

// Cut is String, ended with an ellipsis after at most max code points of s.
func Cut(s string, max int) string {
	n := 0
	for i := range s {
		if n == max {
			return String(s[:i]) + "…"
		}
		n++
	}
	return String(s)
}

// CodePoint is the customary spelling of a code point: "U+202E".
func CodePoint(r rune) string { return fmt.Sprintf("U+%04X", r) }

// Shows reports whether r prints as itself and takes up room: letters, marks, numbers, punctuation,
// symbols and the plain space, without the ones that have no glyph.
func Shows(r rune) bool {
	if r < utf8.RuneSelf {
		return r >= 0x20 && r != 0x7f
	}
	if !unicode.IsPrint(r) {
		return false
	}
	return !unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector) && r != brailleBlank && r != objectReplacement && r != replacement
}

// Characters of category So that are blank or stand for something else; no property lists them.
const (
	brailleBlank      = 0x2800
	objectReplacement = 0xFFFC
	replacement       = 0xFFFD
)

func plain(s string) bool {
	for i := range len(s) {
		if s[i] < 0x20 || s[i] >= 0x7f {
			return false
		}
	}
	return true
}
