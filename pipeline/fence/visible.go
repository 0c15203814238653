package fence

import (
	"fmt"
	"io"
	"unicode/utf8"

	chars "selffix/internal/visible"
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
		case r == '\n' || r == '\t' || chars.Shows(r):
			out = append(out, in[:size]...)
		default:
			out = fmt.Appendf(out, "<%s>", chars.CodePoint(r))
		}
		in = in[size:]
	}
	if _, err := v.to.Write(out); err != nil {
		return 0, err
	}
	return len(p), nil
}
