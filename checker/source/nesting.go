package source

import (
	"bytes"
	"errors"
	"fmt"
)

// MaxDepth is how deep brackets may stand in each other, and how many constructs without brackets (a ? b : c ? d : e,
// !!!x, if (a) if (b), x => y => z) may follow each other in one statement. Code that people write stays below 40.
const MaxDepth = 200

// maxLinks is how many operators, members and elements may follow each other in one statement. The tree parser itself
// stops a little later.
const maxLinks = 900

// maxLine is how long a line may be. The parsers count from the start of a line, again for each error and each mapping.
const maxLine = 16 << 10

var errDeep = errors.New("nested too deep")

// nested scans text once and refuses what would make the parsers recurse deeply. It knows strings, comments and
// templates, not regular expressions and JSX text: code that hides its depth there meets [Deadline].
func nested(text []byte) error {
	for line := range bytes.Lines(text) {
		if len(line) > maxLine {
			return fmt.Errorf("%w: a line of more than %d bytes", errDeep, maxLine)
		}
	}
	s := nesting{text: text, levels: make([]level, 1, 32)}
	for s.pos < len(text) {
		s.step()
		if top := s.top(); len(s.levels) > MaxDepth || top.chain > MaxDepth || top.links > maxLinks || s.elements > maxLinks {
			return fmt.Errorf("%w: more than %d levels, or %d links, at byte %d", errDeep, MaxDepth, maxLinks, s.pos)
		}
	}
	return nil
}

type nesting struct {
	text     []byte
	pos      int
	levels   []level // one for each open bracket
	elements int     // JSX elements that are open
	fresh    bool    // the last token can end a statement, and a line has ended since
	closed   bool    // the last token can end a statement
}

// level is what was seen of one statement between its brackets.
type level struct {
	chain int // constructs that recurse
	links int // operators and members in a row
	ended int // chain of the statement before, which an else continues
}

func (s *nesting) top() *level { return &s.levels[len(s.levels)-1] }

// end ends a statement, an argument or an element of a list.
func (l *level) end() { l.ended, l.chain, l.links = max(l.chain, 0), 0, 0 }

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
	top := s.top()
	operand := s.closed
	s.closed, s.fresh = false, false
	s.pos++
	switch c {
	case '(', '[', '{':
		top.links++
		s.levels = append(s.levels, level{})
	case ')', ']', '}':
		s.closed, s.fresh = true, c == '}'
		if len(s.levels) > 1 {
			s.levels = s.levels[:len(s.levels)-1]
		}
	case ';':
		top.end()
		s.elements = 0
	case ',':
		top.end()
	case '=':
		s.equals(next)
	case '?', ':':
		if next == '.' || next == '?' {
			s.pos++
			return
		}
		top.chain++
	case '!', '~', '+', '-':
		top.links++
		if !operand { // before its operand: such signs recurse
			top.chain++
		}
	case '.', '&', '|':
		top.links++
	case '*':
		top.links++
		if next == '*' {
			top.chain++
		}
	case '<', '/':
		s.angle(c, next, operand)
	}
}

// angle reads the signs of elements and type arguments.
func (s *nesting) angle(c, next byte, operand bool) {
	top := s.top()
	switch {
	case c == '<' && next == '/', c == '/' && next == '>':
		// The end of an element: what came before it was text and elements.
		top.end()
		s.elements = max(0, s.elements-1)
	case c == '<' && operand && s.pos > 1 && wordByte(s.text[s.pos-2]): // A<B<C
		top.chain++
	case c == '<' && (next == '>' || wordByte(next)):
		s.elements++
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
	s.top().chain++
}

// word reads a word or number. At the start of a line, or after a block, it begins a new statement unless it is one that
// continues the last.
func (s *nesting) word() {
	from := s.pos
	for s.pos < len(s.text) && wordByte(s.text[s.pos]) {
		s.pos++
	}
	top := s.top()
	switch string(s.text[from:s.pos]) {
	case "else":
		top.chain = max(top.chain, top.ended) + 1
		s.closed = false
	case "if", "for", "while", "do", "with", "new", "typeof", "void", "delete", "await", "yield", "extends":
		top.chain++
		s.closed = false
	default:
		if s.fresh {
			top.end()
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
