package source

import (
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// unquote is the value of a string literal with its quotes.
func unquote(literal []byte) string {
	if len(literal) < 2 {
		return ""
	}
	return decode(string(literal[1 : len(literal)-1]))
}

// decode resolves the escapes of a string or template (ECMA-262, 12.9.4). A lone half of a surrogate pair becomes U+FFFD.
func decode(s string) string {
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
		r, n := escape(s[i+1:])
		i += 1 + n
		if utf16.IsSurrogate(r) && strings.HasPrefix(s[i:], `\u`) {
			low, m := escape(s[i+1:])
			if pair := utf16.DecodeRune(r, low); pair != utf8.RuneError {
				r, i = pair, i+1+m
			}
		}
		if r >= 0 {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// escape reads one escape after its backslash: the rune, or -1 for none, and the bytes read.
func escape(s string) (rune, int) {
	switch s[0] {
	case 'n':
		return '\n', 1
	case 't':
		return '\t', 1
	case 'r':
		return '\r', 1
	case 'b':
		return '\b', 1
	case 'f':
		return '\f', 1
	case 'v':
		return '\v', 1
	case '\n':
		return -1, 1
	case '\r':
		return -1, 1 + len(s[1:]) - len(strings.TrimPrefix(s[1:], "\n"))
	case 'x':
		return hex(s, 1, 3)
	case 'u':
		if len(s) > 1 && s[1] == '{' {
			end := strings.IndexByte(s, '}')
			if end < 0 {
				return 'u', 1
			}
			r, _ := hex(s[:end], 2, end)
			return r, end + 1
		}
		return hex(s, 1, 5)
	}
	if '0' <= s[0] && s[0] <= '7' {
		n := 1
		for n < len(s) && n < 3 && '0' <= s[n] && s[n] <= '7' {
			n++
		}
		v, _ := strconv.ParseUint(s[:n], 8, 16)
		return rune(v), n
	}
	r, n := utf8.DecodeRuneInString(s)
	if r == '\u2028' || r == '\u2029' {
		return -1, n
	}
	return r, n
}

// hex reads s[from:to] as a hexadecimal number; what is none stands for its own letter.
func hex(s string, from, to int) (rune, int) {
	if len(s) < to {
		return rune(s[0]), 1
	}
	v, err := strconv.ParseUint(s[from:to], 16, 32)
	if err != nil || v > utf8.MaxRune {
		return rune(s[0]), 1
	}
	return rune(v), to
}

// patternText is the source of a regular expression without the escapes of marks: /vercel\.app$/ names vercel.app.
func patternText(literal string) string {
	end := strings.LastIndexByte(literal, '/')
	if end < 1 {
		return ""
	}
	var b strings.Builder
	for i := 1; i < end; i++ {
		if literal[i] == '\\' && i+1 < end && strings.IndexByte(".-/@_:", literal[i+1]) >= 0 {
			continue
		}
		b.WriteByte(literal[i])
	}
	return b.String()
}

// templatePart is the decoded text of one part of a template, which comes with its marks: "`text${", "}text${" or "}text`".
func templatePart(part []byte) string {
	s := string(part)
	if len(s) > 0 {
		s = s[1:]
	}
	s = strings.TrimSuffix(s, "${")
	s = strings.TrimSuffix(s, "`")
	return decode(s)
}
