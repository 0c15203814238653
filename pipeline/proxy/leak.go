package proxy

import (
	"bytes"
	"strconv"
	"unicode/utf8"
)

// maxUnescapes is how often JSON may stand within a text of JSON: the input of a tool comes as a text of its own.
const maxUnescapes = 3

// leaks reports whether JSON that the host sent holds the token: as it stands, or once its escapes are undone, which is how a
// client reads it. A host that wants to hand the token on can always change it more than that; one that only echoes what
// it was sent, in an error's message for instance, cannot know how its encoder writes a character.
func (p *Proxy) leaks(data []byte) bool {
	for range maxUnescapes {
		if p.token.In(data) {
			return true
		}
		if bytes.IndexByte(data, '\\') < 0 {
			return false
		}
		data = unescaped(data)
	}
	return p.token.In(data)
}

// unescaped is data with each escape of JSON replaced by what it stands for. Strings stay in their place: what lies between
// them is no part of one.
func unescaped(data []byte) []byte {
	out := make([]byte, 0, len(data))
	for {
		i := bytes.IndexByte(data, '\\')
		if i < 0 || i+1 == len(data) {
			return append(out, data...)
		}
		out = append(out, data[:i]...)
		var n int
		out, n = appendEscaped(out, data[i+1:])
		data = data[i+1+n:]
	}
}

// appendEscaped appends what the escape stands for whose text behind the backslash begins escape, and says how long that is.
func appendEscaped(out, escape []byte) ([]byte, int) {
	const short, meaning = "bfnrt", "\b\f\n\r\t"
	if i := bytes.IndexByte([]byte(short), escape[0]); i >= 0 {
		return append(out, meaning[i]), 1
	}
	if escape[0] != 'u' || len(escape) < 5 {
		return append(out, escape[0]), 1
	}
	r, err := strconv.ParseUint(string(escape[1:5]), 16, 16)
	if err != nil {
		return append(out, escape[0]), 1
	}
	return utf8.AppendRune(out, rune(r)), 5
}
