package checker

import (
	"bytes"
	"slices"
	"strconv"
	"strings"
)

// secretText is a text that is scanned for secrets, with the place that each of its bytes comes from.
type secretText struct {
	text   string
	lines  []Line
	places []bytePlace // nil: the text is that of lines[0]
}

// bytePlace is a byte of an added line: the index of the line, and the offset in it.
type bytePlace struct{ line, offset int }

// place is the line and column of a byte of the text.
func (t secretText) place(offset int) (line, col int) {
	if t.places == nil {
		return t.lines[0].Number, column(t.lines[0].Text, offset)
	}
	p := t.places[offset]
	l := t.lines[p.line]
	return l.Number, column(l.Text, p.offset)
}

// secretTexts returns each added line of a file as it stands, and each block of neighbouring added lines in which
// something can be put together, put together.
func secretTexts(f *File) []secretText {
	var out []secretText
	for first := 0; first < len(f.Added); {
		last := first + 1
		for last < len(f.Added) && f.Added[last].Number == f.Added[last-1].Number+1 {
			last++
		}
		block := f.Added[first:last]
		for i := range block {
			out = append(out, secretText{text: block[i].Text, lines: block[i : i+1]})
		}
		if folded, ok := fold(block); ok {
			out = append(out, folded)
		}
		first = last
	}
	return out
}

// fold decodes the escapes \x41, \u0041 and \u{41} and drops what stands between two pieces of a string:
// "a" + "b", on one line or on several, and "a".concat("b"). It reports whether that changed anything.
func fold(block []Line) (secretText, bool) {
	if !slices.ContainsFunc(block, foldable) {
		return secretText{}, false
	}
	var raw []byte
	var places []bytePlace
	changed := false
	for i, l := range block {
		for at := 0; at < len(l.Text); {
			b, n := unescape(l.Text[at:])
			changed = changed || n > 1
			raw, places = append(raw, b), append(places, bytePlace{i, at})
			at += n
		}
		raw, places = append(raw, '\n'), append(places, bytePlace{i, len(l.Text)})
	}
	out := secretText{lines: block}
	var b strings.Builder
	for i := 0; i < len(raw); {
		if n := joint(raw[i:]); n > 0 {
			i, changed = i+n, true
			continue
		}
		b.WriteByte(raw[i])
		out.places = append(out.places, places[i])
		i++
	}
	out.text = b.String()
	return out, changed
}

// foldable is a cheap test for what fold could change. A joint may begin on one line and end on the next.
func foldable(l Line) bool {
	return strings.Contains(l.Text, `\x`) || strings.Contains(l.Text, `\u`) || strings.Contains(l.Text, "+") || strings.Contains(l.Text, ".concat(")
}

// unescape reads one byte, or one escape of a printable ASCII character, and how many bytes it took.
func unescape(s string) (byte, int) {
	digits, taken := "", 0
	switch {
	case strings.HasPrefix(s, `\x`) && len(s) >= 4:
		digits, taken = s[2:4], 4
	case strings.HasPrefix(s, `\u{`):
		end := strings.IndexByte(s, '}')
		if end < 0 {
			return s[0], 1
		}
		digits, taken = s[3:end], end+1
	case strings.HasPrefix(s, `\u`) && len(s) >= 6:
		digits, taken = s[2:6], 6
	default:
		return s[0], 1
	}
	n, err := strconv.ParseUint(digits, 16, 32)
	if err != nil || n < 0x20 || n > 0x7E {
		return s[0], 1
	}
	return byte(n), taken
}

// joint is the length of what stands between two pieces of one string at the start of b, 0 if nothing does.
func joint(b []byte) int {
	if !quoteMark(b[0]) {
		return 0
	}
	i := skipBlank(b, 1)
	switch {
	case i < len(b) && b[i] == '+':
		i++
	case bytes.HasPrefix(b[i:], []byte(".concat(")):
		i += len(".concat(")
	default:
		return 0
	}
	i = skipBlank(b, i)
	if i < len(b) && quoteMark(b[i]) {
		return i + 1
	}
	return 0
}

func quoteMark(c byte) bool { return c == '"' || c == '\'' || c == '`' }

func skipBlank(b []byte, i int) int {
	for i < len(b) && (b[i] == ' ' || b[i] == '\t' || b[i] == '\n') {
		i++
	}
	return i
}
