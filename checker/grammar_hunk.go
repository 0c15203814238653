package checker

import (
	"bytes"
	"strconv"

	"selffix/checker/codepoint"
	"selffix/internal/lazyregexp"
)

var hunkLineForm = lazyregexp.New(`^@@ -(0|[1-9][0-9]{0,19})(?:,(0|[1-9][0-9]{0,19}))? \+(0|[1-9][0-9]{0,19})(?:,(0|[1-9][0-9]{0,19}))? @@(?: (.*))?$`)

// maxHeading bounds the text behind the second @@, in bytes: git cuts it at 80.
const maxHeading = 256

// marker is the only form of the line behind a last line without a line ending. git takes any text of that length.
const marker = `\ No newline at end of file`

// hunk reads one hunk and reports whether another may follow it.
func (s *scan) hunk(f *textFile) bool {
	h := hunk{at: s.pos}
	m := hunkLineForm.FindSubmatch(s.peek())
	if m == nil {
		s.fault(idParseHunk, s.pos, f.path, "want \"@@ -N,N +N,N @@\" with decimal numbers")
		return false
	}
	s.next()
	if !plainHeading(m[5]) {
		s.fault(idParseHunk, h.at, f.path, "want at most "+strconv.Itoa(maxHeading)+" bytes of visible text behind the second @@")
	}
	oldStart, oldLen, ok1 := hunkRange(m[1], m[2])
	newStart, newLen, ok2 := hunkRange(m[3], m[4])
	h.oldLen, h.newLen = oldLen, newLen
	h.oldPos, h.newPos = linesBefore(oldStart, oldLen), linesBefore(newStart, newLen)
	if !ok1 || !ok2 {
		s.fault(idParseHunk, h.at, f.path, "want line numbers up to "+strconv.Itoa(maxPosition))
	}
	if f.closed {
		s.fault(idParseMarker, h.at, f.path, "a hunk behind a \"No newline\" marker: the marker belongs to the last line of the file")
	}
	whole := s.body(f, &h)
	s.position(f, &h)
	f.hunks = append(f.hunks, h)
	f.oldEnd = max(f.oldEnd, h.oldPos+h.oldLen)
	f.delta += h.newLen - h.oldLen
	return whole
}

// plainHeading judges the text behind the second @@, a line of the old file that git and everything else skip: it is shown to whoever reads the patch,
// and must not act on a terminal or change the order of what is read.
func plainHeading(text []byte) bool {
	return len(text) <= maxHeading && !bytes.ContainsFunc(text, func(r rune) bool {
		return codepoint.Of(r)&(codepoint.Bidi|codepoint.Control|codepoint.Invisible) != 0
	})
}

// position holds a hunk to the place that it names. git searches from the new position and go-gitdiff from the old one, so
// with a repeated context two readers edit two places.
func (s *scan) position(f *textFile, h *hunk) {
	switch {
	case h.oldPos < f.oldEnd || h.oldPos < 0 || h.newPos < 0:
		s.fault(idParseHunk, h.at, f.path, "want hunks in the order of the file, without overlap")
	case h.newPos != h.oldPos+f.delta:
		s.fault(idParseHunk, h.at, f.path, "want a new position that is the old one moved by the lines that the hunks before it add and remove")
	case h.added+h.removed == 0:
		s.fault(idParseHunk, h.at, f.path, "want a hunk that changes a line")
	case h.oldLen == 0 && h.oldPos > 0:
		s.fault(idParseHunk, h.at, f.path, "want context around an insertion: without it git appends to the end of the file")
	case f.from == "" && h.oldLen > 0:
		s.fault(idParseHunk, h.at, f.path, "want no old lines in a new file")
	case h.oldLen == 0 && len(f.hunks) > 0:
		s.fault(idParseHunk, h.at, f.path, "want one hunk in a file that was empty or not there")
	}
}

// body reads the lines of a hunk up to its counts.
func (s *scan) body(f *textFile, h *hunk) bool {
	oldLeft, newLeft := h.oldLen, h.newLen
	var ended [2]bool // a marker ended the old, the new side
	for oldLeft > 0 || newLeft > 0 || s.pos < len(s.text) && s.text[s.pos] == '\\' {
		if s.pos >= len(s.text) {
			s.fault(idParseHunk, s.pos, f.path, "the patch ends inside a hunk")
			return false
		}
		at := s.pos
		op := s.text[s.pos]
		if op == '\\' {
			s.next()
			s.marker(f, h, at, oldLeft, newLeft, &ended)
			continue
		}
		text, ok := s.bodyLine(f, at, op)
		if !ok {
			return false
		}
		if op == '\n' {
			op = ' '
		}
		if op != '+' {
			oldLeft--
		}
		if op != '-' {
			newLeft--
		}
		if oldLeft < 0 || newLeft < 0 {
			s.fault(idParseHunk, at, f.path, "want as many lines in a hunk as its first line counts")
			s.pos = at
			return false
		}
		if ended[0] && op != '+' || ended[1] && op != '-' {
			s.fault(idParseMarker, at, f.path, "a line behind the \"No newline\" marker of its side: git joins the two")
		}
		h.add(op, text)
	}
	return true
}

// bodyLine takes one line of a hunk and returns its text with the line ending.
func (s *scan) bodyLine(f *textFile, at int, op byte) ([]byte, bool) {
	switch op {
	case ' ', '+', '-':
	case '\n':
		s.fault(idParseHunk, at, f.path, "want a blank before an empty context line")
		s.next()
		return s.text[at : at+1], true
	default:
		s.fault(idParseHunk, at, f.path, "want \" \", \"+\", \"-\" or a marker as the first byte of a line of a hunk")
		return nil, false
	}
	line := s.next()[1:]
	if end := at + 1 + len(line); end < len(s.text) {
		return s.text[at+1 : end+1], true
	}
	return append(bytes.Clone(line), '\n'), true
}

// marker reads a "No newline" line, which takes the line ending from the line before it.
func (s *scan) marker(f *textFile, h *hunk, at, oldLeft, newLeft int, ended *[2]bool) {
	if string(s.text[at:s.pos]) != marker+"\n" && string(s.text[at:s.pos]) != marker {
		s.fault(idParseMarker, at, f.path, "want the exact text of git's \"No newline\" marker")
	}
	if len(h.lines) == 0 {
		s.fault(idParseMarker, at, f.path, "want a line before a \"No newline\" marker")
		s.fault(idGitVersions, at, f.path, "a hunk that begins with a \"No newline\" marker: git 2.39 applies it, git 2.55 calls it corrupt")
		return
	}
	last := &h.lines[len(h.lines)-1]
	if !bytes.HasSuffix(last.text, []byte{'\n'}) {
		s.fault(idParseMarker, at, f.path, "want one \"No newline\" marker behind a line")
		return
	}
	if last.op != '+' && oldLeft > 0 || last.op != '-' && newLeft > 0 {
		s.fault(idParseMarker, at, f.path, "want a \"No newline\" marker only behind the last line of a side: elsewhere git joins two lines")
	}
	last.text = last.text[: len(last.text)-1 : len(last.text)-1]
	ended[0] = ended[0] || last.op != '+'
	ended[1] = ended[1] || last.op != '-'
	f.closed = true
}

// add appends one line.
func (h *hunk) add(op byte, text []byte) {
	h.lines = append(h.lines, hunkLine{op, text})
	switch op {
	case '+':
		h.added++
	case '-':
		h.removed++
	}
}

// hunkRange reads "START[,LENGTH]".
func hunkRange(start, length []byte) (int, int, bool) {
	a, err1 := strconv.Atoi(string(start))
	n, err2 := 1, error(nil)
	if length != nil {
		n, err2 = strconv.Atoi(string(length))
	}
	if err1 != nil || err2 != nil || a > maxPosition || n > maxPosition {
		return maxPosition, min(n, maxPosition), false
	}
	return a, n, true
}

// linesBefore is the number of lines in front of a range. An empty range names the line before it.
func linesBefore(start, length int) int {
	if length == 0 {
		return start
	}
	return start - 1
}
