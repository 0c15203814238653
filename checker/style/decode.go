package style

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// Decode resolves the escapes of a string or name (CSS Syntax 3, 4.3.7): up to six hexadecimal digits and one blank, any
// other character for itself, and a line end in a string for nothing.
func Decode(s string) string {
	if !strings.Contains(s, `\`) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); {
		if s[i] != '\\' || i+1 == len(s) {
			b.WriteByte(s[i])
			i++
			continue
		}
		i++
		n := 0
		for n < 6 && i+n < len(s) && strings.IndexByte("0123456789abcdefABCDEF", s[i+n]) >= 0 {
			n++
		}
		if n == 0 {
			i += literal(&b, s[i:])
			continue
		}
		v, _ := strconv.ParseUint(s[i:i+n], 16, 32)
		i += n
		if v == 0 || v > utf8.MaxRune {
			v = utf8.RuneError
		}
		b.WriteRune(rune(v))
		if strings.HasPrefix(s[i:], "\r\n") {
			i++
		}
		if i < len(s) && strings.IndexByte(" \t\r\n\f", s[i]) >= 0 {
			i++
		}
	}
	return b.String()
}

// literal writes the character that a backslash keeps, and returns how many bytes it has.
func literal(b *strings.Builder, s string) int {
	if strings.HasPrefix(s, "\r\n") {
		return 2
	}
	if strings.IndexByte("\n\r\f", s[0]) >= 0 {
		return 1
	}
	r, n := utf8.DecodeRuneInString(s)
	b.WriteRune(r)
	return n
}
