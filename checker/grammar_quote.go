package checker

import "strings"

// unquoteC reads a name in double quotes as git writes it and returns what stands behind it. Quoted names are refused; they are read
// only to tell which file was meant.
func unquoteC(s string) (name, tail string, ok bool) {
	if !strings.HasPrefix(s, `"`) {
		return "", s, false
	}
	var b strings.Builder
	for i := 1; i < len(s); i++ {
		switch c := s[i]; c {
		case '"':
			return b.String(), s[i+1:], true
		case '\\':
			i++
			n, ok := unescapeC(&b, s[i:])
			if !ok {
				return "", s, false
			}
			i += n - 1
		default:
			b.WriteByte(c)
		}
	}
	return "", s, false
}

// unescapeC reads what stands behind a backslash and returns its length.
func unescapeC(b *strings.Builder, s string) (int, bool) {
	const letters, values = `abfnrtv"\`, "\a\b\f\n\r\t\v\"\\"
	if s == "" {
		return 0, false
	}
	if i := strings.IndexByte(letters, s[0]); i >= 0 {
		b.WriteByte(values[i])
		return 1, true
	}
	if len(s) < 3 || s[0] > '3' {
		return 0, false
	}
	v := 0
	for _, c := range []byte(s[:3]) {
		if c < '0' || c > '7' {
			return 0, false
		}
		v = v*8 + int(c-'0')
	}
	b.WriteByte(byte(v))
	return 3, true
}

// unquoteOr reads a name that may be quoted.
func unquoteOr(s string) string {
	if name, _, ok := unquoteC(s); ok {
		return name
	}
	return s
}
