package diff

import "bytes"

var (
	byteOrderMark = []byte("\xef\xbb\xbf")
	crlf          = []byte("\r\n")
	lf            = []byte("\n")
)

// Undo returns after with line endings, byte order mark and last newline as before has them, where after
// differs from it wholly: a file with mixed line endings on either side keeps its own, since then no tool
// flipped them. An empty or binary file is left alone.
func Undo(before, after []byte) []byte {
	if len(before) == 0 || len(after) == 0 || binary(before) || binary(after) {
		return after
	}
	after = undoMark(before, after)
	after = undoEndings(before, after)
	return undoLastNewline(before, after)
}

// binary is git's own guess: a NUL in the first 8000 bytes.
func binary(b []byte) bool { return bytes.IndexByte(b[:min(len(b), 8000)], 0) >= 0 }

func undoMark(before, after []byte) []byte {
	had, has := bytes.HasPrefix(before, byteOrderMark), bytes.HasPrefix(after, byteOrderMark)
	switch {
	case had && !has:
		return append(bytes.Clone(byteOrderMark), after...)
	case !had && has:
		return after[len(byteOrderMark):]
	}
	return after
}

// ending is how the lines of a file end.
type ending int

const (
	endNone ending = iota // no line end at all
	endLF
	endCRLF
	endMixed
)

func endingOf(b []byte) ending {
	lines, carried := bytes.Count(b, lf), bytes.Count(b, crlf)
	switch {
	case lines == 0:
		return endNone
	case carried == 0:
		return endLF
	case carried == lines:
		return endCRLF
	}
	return endMixed
}

func undoEndings(before, after []byte) []byte {
	was, is := endingOf(before), endingOf(after)
	switch {
	case was == endCRLF && is == endLF:
		return bytes.ReplaceAll(after, lf, crlf)
	case was == endLF && is == endCRLF:
		return bytes.ReplaceAll(after, crlf, lf)
	}
	return after
}

func undoLastNewline(before, after []byte) []byte {
	had, has := bytes.HasSuffix(before, lf), bytes.HasSuffix(after, lf)
	switch {
	case had && !has && endingOf(before) == endCRLF:
		return append(bytes.Clone(after), crlf...)
	case had && !has:
		return append(bytes.Clone(after), '\n')
	case !had && has && bytes.HasSuffix(after, crlf):
		return bytes.TrimSuffix(after, crlf)
	case !had && has:
		return bytes.TrimSuffix(after, lf)
	}
	return after
}
