package source

import (
	"errors"
	"fmt"
)

// MaxDepth is how deep brackets may stand in each other, and how many constructs without brackets (a ? b : c ? d : e,
// !!!x, if (a) if (b), x => y => z) may follow each other in one statement. Code that people write stays below 40.
const MaxDepth = 200

var errDeep = errors.New("nested too deep")

// nested scans text once and refuses what would make the parsers recurse deeply. It knows strings, comments and
// templates, not regular expressions and JSX text: code that hides its depth there meets [Deadline].
func nested(text []byte) error {
	s := nesting{text: text, chains: make([]int, 1, 32)}
	for s.pos < len(text) {
		s.step()
		if len(s.chains) > MaxDepth || s.chains[len(s.chains)-1] > MaxDepth {
			return fmt.Errorf("%w: more than %d levels at byte %d", errDeep, MaxDepth, s.pos)
		}
	}
	return nil
}

type nesting struct {
	text   []byte
	pos    int
	chains []int // for each open bracket, the links of the statement so far
	fresh  bool  // the last token can end a statement, and a line has ended since
	closed bool  // the last token can end a statement
}

func (s *nesting) step() {
	c := s.text[s.pos]
	next := byte(0)
	if s.pos+1 < len(s.text) {
		next = s.text[s.pos+1]
	}
	switch {
	case c == '\n':
		s.fresh = s.closed
		s.pos++
		return
	case c == ' ' || c == '\t' || c == '\r':
		s.pos++
		return
	case c == '/' && next == '/':
		s.skipTo("\n", 0)
		return
	case c == '/' && next == '*':
		s.skipTo("*/", 2)
		return
	case c == '"' || c == '\'':
		s.quoted(c)
		s.closed, s.fresh = true, false
		return
	case wordByte(c):
		s.word()
		return
	}
	s.mark(c, next)
}

// mark reads one sign.
func (s *nesting) mark(c, next byte) {
	top := &s.chains[len(s.chains)-1]
	operand := s.closed
	s.closed, s.fresh = false, false
	s.pos++
	switch c {
	case '(', '[', '{':
		s.chains = append(s.chains, 0)
	case ')', ']', '}':
		s.closed, s.fresh = true, c == '}'
		if len(s.chains) > 1 {
			s.chains = s.chains[:len(s.chains)-1]
		}
	case ';', ',':
		*top = 0
	case '=':
		s.equals(next)
	case '?':
		if next == '.' || next == '?' {
			s.pos++
			return
		}
		*top++
	case '!', '~', '+', '-':
		if !operand { // before its operand: such signs recurse
			*top++
		}
	case '*':
		if next == '*' {
			*top++
		}
	case '<':
		if operand && s.pos > 1 && wordByte(s.text[s.pos-2]) { // A<B<C
			*top++
		}
		if next == '/' { // a closing tag: what came before was text and elements
			*top = 0
		}
	case '/':
		if next == '>' {
			*top = 0
		}
	}
}

// equals reads "=": an assignment and "=>" recurse, a comparison and a JSX attribute do not.
func (s *nesting) equals(next byte) {
	switch next {
	case '=':
		s.pos++
		return
	case '"', '\'', '{':
		return
	case '>':
		s.pos++
	}
	s.chains[len(s.chains)-1]++
}

// word reads a word or number. At the start of a line, or after a block, it begins a new statement unless it is one that
// continues the last.
func (s *nesting) word() {
	from := s.pos
	for s.pos < len(s.text) && wordByte(s.text[s.pos]) {
		s.pos++
	}
	top := &s.chains[len(s.chains)-1]
	switch string(s.text[from:s.pos]) {
	case "if", "for", "while", "do", "else", "with", "new", "typeof", "void", "delete", "await", "yield", "extends":
		*top++
		s.closed = false
	default:
		if s.fresh {
			*top = 0
		}
		s.closed = true
	}
	s.fresh = false
}

func (s *nesting) quoted(q byte) {
	for s.pos++; s.pos < len(s.text) && s.text[s.pos] != '\n'; s.pos++ {
		if s.text[s.pos] == '\\' {
			s.pos++
			continue
		}
		if s.text[s.pos] == q {
			s.pos++
			return
		}
	}
}

func (s *nesting) skipTo(end string, width int) {
	for ; s.pos < len(s.text); s.pos++ {
		if s.pos+len(end) <= len(s.text) && string(s.text[s.pos:s.pos+len(end)]) == end {
			s.pos += width
			return
		}
	}
}

func wordByte(c byte) bool {
	return c == '_' || c == '$' || c == '#' || c >= 0x80 || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}
