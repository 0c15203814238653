package fence

import (
	"fmt"
	"io"
	"unicode"
	"unicode/utf8"
)

// Visible returns a writer for terminals: what a terminal would obey instead of showing it is written as a code point,
// <U+001B>, and a byte that is no UTF-8 as <0x9B>. Line ends and tabs stay. Escape sequences can set titles, fill the
// clipboard, answer into the shell's input and hide text; direction marks change the order in which text is read.
func Visible(w io.Writer) io.Writer { return &visible{to: w} }

type visible struct {
	to   io.Writer
	rest []byte // the beginning of a character whose end is in the next write
}

// Write returns len(p) unless the writer below fails.
func (v *visible) Write(p []byte) (int, error) {
	in := append(v.rest, p...)
	v.rest = nil
	out := make([]byte, 0, len(in)+16)
	for len(in) > 0 {
		if !utf8.FullRune(in) {
			v.rest = append([]byte{}, in...)
			break
		}
		r, size := utf8.DecodeRune(in)
		switch {
		case r == utf8.RuneError && size == 1:
			out = fmt.Appendf(out, "<0x%02X>", in[0])
		case r == '\n' || r == '\t' || unicode.IsGraphic(r) && !hidden(r):
			out = append(out, in[:size]...)
		default:
			out = fmt.Appendf(out, "<U+%04X>", r)
		}
		in = in[size:]
	}
	if _, err := v.to.Write(out); err != nil {
		return 0, err
	}
	return len(p), nil
}

// hidden are graphic by their class and seen by nobody: fillers, variation selectors, the braille blank, spaces of other widths.
func hidden(r rune) bool {
	switch {
	case r == 0x034F, r == 0x115F, r == 0x1160, r == 0x17B4, r == 0x17B5, r == 0x2800, r == 0x3164, r == 0xFFA0:
		return true
	case r >= 0xFE00 && r <= 0xFE0F, r >= 0xE0100 && r <= 0xE01EF, r >= 0x180B && r <= 0x180F:
		return true
	}
	return r != ' ' && unicode.Is(unicode.Zs, r) && r != 0x3000
}
