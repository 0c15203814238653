package checker

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// The grammar is what "git diff" writes for edits and new files, and nothing else:
//
//	patch  = file { file }
//	file   = "diff --git a/" P " b/" P LF ( [ "index " X ".." X " 100644" LF ] | "new file mode 100644" LF [ "index " 0 ".." X LF ] )
//	         "--- " ( "a/" P | "/dev/null" ) LF "+++ b/" P LF hunk { hunk }
//	hunk   = "@@ -" range " +" range " @@" [ " " text ] LF line { line }
//	line   = ( " " | "+" | "-" ) text LF [ "\ No newline at end of file" LF ]
//
// One P for a file, unquoted, a TAB behind it in the ---/+++ lines if it holds a blank; nothing before, between or behind the files; hunks in
// order whose positions add up; a marker only behind the last line of a side. Over ten thousand mutated patches that hold to this
// grammar, git and go-gitdiff read the same files, counts and bytes; each looser form has a patch that they read differently.
//
// scan reads on after a fault in the way that comes nearest to git, so that one report tells all faults.
type scan struct {
	text   []byte
	pos    int
	faults []fault
	files  []*textFile
	seen   map[string]bool // lower-cased paths
	binary bool            // a line begins with the words that start packed binary content
}

// fault is one place at which a reading rule does not hold.
type fault struct {
	rule    RuleID
	at      int    // offset in the patch, in bytes
	path    string // "" before one is known
	message string
}

// textFile is one file of the patch as its text says.
type textFile struct {
	at      int
	path    string // after the change; of a deleted file, before it
	from    string // the path whose content is changed; "" for a new file
	mode    string // that the text gives the result; "" when it says nothing
	deleted bool
	moved   bool // from goes away
	binary  bool
	hunks   []hunk
	oldEnd  int  // lines of the old file that hunks have covered so far
	delta   int  // by which the new file is longer so far
	closed  bool // a marker ended a side
}

// hunk is one change of consecutive lines.
type hunk struct {
	at             int
	oldPos, newPos int // lines before the hunk, in the old and the new file
	oldLen, newLen int
	lines          []hunkLine
	added, removed int
}

// hunkLine is one line with its line ending, which a marker takes away.
type hunkLine struct {
	op   byte // ' ', '+' or '-'
	text []byte
}

// maxPosition bounds line numbers: git wraps larger ones around (2^32+14 is read as 14).
const maxPosition = 10_000_000

// readGrammar reads a patch by the strict grammar.
func readGrammar(text []byte) *scan {
	s := &scan{text: text, seen: map[string]bool{}}
	s.bytes()
	for s.pos < len(s.text) {
		if !s.at("diff --git ") {
			s.stray()
			continue
		}
		s.file()
	}
	if len(s.files) == 0 {
		s.fault(idParseEmpty, 0, "", "want a patch that begins with \"diff --git \" and changes a file")
	}
	return s
}

// bytes is the gate before any reading.
func (s *scan) bytes() {
	if i := bytes.IndexByte(s.text, 0); i >= 0 {
		s.fault(idParseEncoding, i, "", "a NUL byte: git cuts a name there, other readers do not")
	}
	if i := invalidUTF8(s.text); i >= 0 {
		s.fault(idParseEncoding, i, "", "not UTF-8: readers replace such bytes each in its own way")
	}
	if i := lineThatBegins(s.text, binaryPatch); i >= 0 {
		s.binary = true
		s.fault(idOpBinary, i, "", "a binary file")
	}
	if n := len(s.text); n > 0 && s.text[n-1] != '\n' {
		s.fault(idParseEnd, n, "", "the last line has no line ending")
	}
}

// binaryPatch starts packed content, in the header of a file or anywhere that another reader takes for one.
const binaryPatch = "GIT binary patch"

// lineThatBegins is the offset of the first line that begins so, or -1.
func lineThatBegins(text []byte, prefix string) int {
	if bytes.HasPrefix(text, []byte(prefix)) {
		return 0
	}
	i := bytes.Index(text, []byte("\n"+prefix))
	if i < 0 {
		return -1
	}
	return i + 1
}

// stray skips what stands before the first file or behind the hunks of one.
func (s *scan) stray() {
	at := s.pos
	otherDiff := s.at("diff ") // "diff --cc" and "diff --combined" of a merge: go-gitdiff finds no file in it and says nothing
	for s.pos < len(s.text) && !s.at("diff --git ") {
		s.next()
	}
	if otherDiff {
		s.fault(idParseHeader, at, "", "want \"diff --git a/P b/P\", not another form of diff")
		return
	}
	if len(s.files) == 0 {
		s.fault(idParsePreamble, at, "", "want \"diff --git \" as the first bytes of the patch")
		return
	}
	s.fault(idParseTrailing, at, s.files[len(s.files)-1].path, "want \"diff --git \" or the end behind the last line of a hunk")
}

func (s *scan) fault(rule RuleID, at int, path, message string) {
	const most = 100 // a patch of nothing but faults must not make a report of any size
	if len(s.faults) < most {
		s.faults = append(s.faults, fault{rule, at, path, message})
	}
}

// clean reports whether the whole text holds to the grammar.
func (s *scan) clean() bool { return len(s.faults) == 0 }

// at reports whether the current line begins so.
func (s *scan) at(prefix string) bool { return bytes.HasPrefix(s.text[s.pos:], []byte(prefix)) }

// peek is the current line without its LF.
func (s *scan) peek() []byte {
	line, _, _ := bytes.Cut(s.text[s.pos:], []byte{'\n'})
	return line
}

// next takes the current line.
func (s *scan) next() []byte {
	line := s.peek()
	s.pos = min(s.pos+len(line)+1, len(s.text))
	return line
}

// file reads one file.
func (s *scan) file() {
	h := s.header()
	f := h.file(s)
	s.files = append(s.files, f)
	key := strings.ToLower(f.path)
	if s.seen[key] {
		s.fault(idParseDuplicate, f.at, f.path, "want each file once, compared without case")
	}
	s.seen[key] = true
	if f.binary {
		for s.pos < len(s.text) && !s.at("diff --git ") {
			s.next()
		}
		return
	}
	for s.pos < len(s.text) && s.at("@@ ") {
		if !s.hunk(f) {
			return
		}
	}
	if len(f.hunks) == 0 && h.named() {
		s.fault(idParseHunk, s.pos, f.path, "want \"@@ -\" behind the +++ line")
	}
}

// invalidUTF8 is the offset of the first byte that is not UTF-8, or -1.
func invalidUTF8(text []byte) int {
	if utf8.Valid(text) {
		return -1
	}
	for i := 0; i < len(text); {
		r, n := utf8.DecodeRune(text[i:])
		if r == utf8.RuneError && n <= 1 {
			return i
		}
		i += n
	}
	return -1
}
