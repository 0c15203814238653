// Package codepoint sorts every Unicode code point into those that a patch may add and those that it may not,
// and shows code points so that nothing of them acts on a terminal.
//
// The classes are data: Go's own Unicode tables. What no table of Go holds is derived from them as the Unicode
// Character Database does (Default_Ignorable_Code_Point), and the few that no property tells rightly are named by
// hand. A code point that this version of Unicode does not assign is
// refused: a later one may give it a meaning.
package codepoint

import (
	"fmt"
	"unicode"
)

// Class is why a code point is refused. A code point may be in several classes; the zero Class is accepted.
type Class uint8

// The classes.
const (
	// Bidi changes the direction of text: the twelve of Bidi_Control (Trojan Source, CVE-2021-42574).
	Bidi Class = 1 << iota
	// Invisible has no glyph of its own, or a blank one: default-ignorable code points (which hold variation selectors
	// and tags, both used to hide whole programs), format characters, blanks other than U+0020 and U+3000.
	Invisible
	// Control acts: the control characters but TAB, and the separators that end a line for JavaScript.
	Control
	// Unassigned has no agreed meaning: private use, noncharacters, surrogates, replacement characters, everything that
	// Unicode has not assigned.
	Unassigned
)

// Blanks and signs that are refused, or accepted, by hand.
const (
	ideographicSpace = '\u3000' // the blank of Japanese and Chinese text: visible by its width
	brailleBlank     = '\u2800' // a symbol by its category, drawn as a blank
	objectReplaced   = '\uFFFC' // stands for something that is not there
	replacement      = '\uFFFD' // stands for bytes that were no text
)

// Of returns the classes that r is in. A value that is no code point is Unassigned.
func Of(r rune) Class {
	switch {
	case r == '\t' || r >= 0x20 && r < 0x7F:
		return 0
	case unicode.Is(unicode.Cc, r):
		return Control
	case unicode.Is(unicode.Bidi_Control, r):
		return Bidi
	case r == ideographicSpace:
		return 0
	case unicode.In(r, unicode.Zl, unicode.Zp):
		return Control | Invisible
	case r == objectReplaced || r == replacement:
		return Invisible | Unassigned
	case r == brailleBlank || DefaultIgnorable(r) || unicode.In(r, unicode.Cf, unicode.Zs):
		return Invisible
	case !unicode.In(r, unicode.L, unicode.M, unicode.N, unicode.P, unicode.S):
		return Unassigned
	}
	return 0
}

// DefaultIgnorable reports Unicode's Default_Ignorable_Code_Point, which Go's tables lack. DerivedCoreProperties.txt
// defines it as Other_Default_Ignorable_Code_Point + Cf + Variation_Selector - White_Space - FFF9..FFFB -
// 13430..13440 - Prepended_Concatenation_Mark.
func DefaultIgnorable(r rune) bool {
	if !unicode.In(r, unicode.Cf, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector) {
		return false
	}
	return !unicode.In(r, unicode.White_Space, unicode.Prepended_Concatenation_Mark) &&
		!(r >= 0xFFF9 && r <= 0xFFFB) && !(r >= 0x13430 && r <= 0x13440)
}

// Mark reports a combining mark, which is drawn over the character before it.
func Mark(r rune) bool { return unicode.Is(unicode.M, r) }

// Name shows a code point as U+202E.
func Name(r rune) string { return fmt.Sprintf("U+%04X", r) }
