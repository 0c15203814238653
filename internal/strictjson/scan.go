// Package strictjson reads JSON that an attacker, or a server on a bad day, may have written.
//
// encoding/json takes the last of two equal keys, matches keys whatever their case, fills nothing in for a
// null, ignores what follows the first value in a stream and replaces broken UTF-8. Each of these turns
// an answer that says one thing to a person into one that says another to a program. [Scan] refuses them
// all on bytes, before anything is decoded; [Unmarshal] also refuses unknown and missing keys.
package strictjson

import (
	"encoding/json"
	"errors"
	"fmt"
	"unicode/utf8"
)

// The reasons for which a document is refused. Every error of this package wraps one.
var (
	ErrEmpty     = errors.New("empty document")
	ErrSyntax    = errors.New("not one JSON value")
	ErrKind      = errors.New("JSON value of another kind")
	ErrDuplicate = errors.New("duplicate key")
	ErrKey       = errors.New("key that is not in plain lower case")
	ErrNull      = errors.New("null in an array")
	ErrTime      = errors.New("time that is not a string")
	ErrDepth     = errors.New("JSON nested too deeply")
	ErrUnknown   = errors.New("unknown key")
	ErrMissing   = errors.New("missing key")
)

// MaxDepth bounds nesting. GitHub's deepest answers stay below 12.
const MaxDepth = 48

// Kind is the kind of value that a document must be.
type Kind byte

// The kinds that a caller may expect at the top.
const (
	Object Kind = '{'
	Array  Kind = '['
)

func (k Kind) String() string {
	if k == Array {
		return "array"
	}
	return "object"
}

// Scan refuses data unless it is one JSON value of kind k in valid UTF-8, in which no object has two
// equal keys or a key with a capital or an escape, no array holds null, and no key that names a time
// ("…_at", "date", "timestamp") has a number. Below the keys named in free, whose content others
// choose (a deployment's payload), only duplicate keys are refused.
func Scan(data []byte, k Kind, free ...string) error {
	s := scanner{data: data, free: free}
	s.space()
	if s.pos == len(data) {
		return fmt.Errorf("%w: nothing but white space", ErrEmpty)
	}
	if !utf8.Valid(data) {
		return fmt.Errorf("%w: it is not valid UTF-8", ErrSyntax)
	}
	if Kind(data[s.pos]) != k {
		return fmt.Errorf("%w: expected an %s", ErrKind, k)
	}
	if !json.Valid(data) {
		return fmt.Errorf("%w: it is cut short, malformed or followed by more", ErrSyntax)
	}
	return s.value(0, false)
}

// scanner walks bytes that json.Valid has accepted, so it checks no syntax of its own.
type scanner struct {
	data []byte
	pos  int
	free []string
	keys keys
}

func (s *scanner) space() {
	for s.pos < len(s.data) {
		switch s.data[s.pos] {
		case ' ', '\t', '\r', '\n':
			s.pos++
		default:
			return
		}
	}
}

// value walks over one value. open says that it lies below a free key.
func (s *scanner) value(depth int, open bool) error {
	if depth > MaxDepth {
		return fmt.Errorf("%w: more than %d levels", ErrDepth, MaxDepth)
	}
	s.space()
	switch s.data[s.pos] {
	case '{':
		return s.object(depth, open)
	case '[':
		return s.array(depth, open)
	case '"':
		s.text()
		return nil
	}
	s.word()
	return nil
}

func (s *scanner) object(depth int, open bool) error {
	seen := s.keys.open()
	s.pos++
	for {
		s.space()
		if s.data[s.pos] == '}' {
			s.pos++
			s.keys.close(seen)
			return nil
		}
		key, escaped := s.text()
		if escaped {
			if !open {
				return fmt.Errorf("%w: %s", ErrKey, cut(key))
			}
			key = unescape(key)
		}
		if !open && !plain(key) {
			return fmt.Errorf("%w: %s", ErrKey, cut(key))
		}
		if !s.keys.add(&seen, key) {
			return fmt.Errorf("%w: %s", ErrDuplicate, cut(key))
		}
		s.space()
		s.pos++ // the colon
		s.space()
		if !open && isTime(key) && number(s.data[s.pos]) {
			return fmt.Errorf("%w: %s", ErrTime, cut(key))
		}
		if err := s.value(depth+1, open || s.isFree(key)); err != nil {
			return err
		}
		s.comma()
	}
}

func (s *scanner) array(depth int, open bool) error {
	s.pos++
	for {
		s.space()
		switch s.data[s.pos] {
		case ']':
			s.pos++
			return nil
		case 'n':
			if !open {
				return fmt.Errorf("%w: at byte %d", ErrNull, s.pos)
			}
		}
		if err := s.value(depth+1, open); err != nil {
			return err
		}
		s.comma()
	}
}

func (s *scanner) comma() {
	s.space()
	if s.data[s.pos] == ',' {
		s.pos++
	}
}

// text walks over a string and returns its raw bytes, and whether it holds an escape.
func (s *scanner) text() (raw []byte, escaped bool) {
	s.pos++
	start := s.pos
	for s.data[s.pos] != '"' {
		if s.data[s.pos] == '\\' {
			escaped = true
			s.pos++
		}
		s.pos++
	}
	raw = s.data[start:s.pos]
	s.pos++
	return raw, escaped
}

// word walks over a number, true, false or null.
func (s *scanner) word() {
	for s.pos < len(s.data) {
		switch s.data[s.pos] {
		case ',', '}', ']', ' ', '\t', '\r', '\n':
			return
		}
		s.pos++
	}
}

func (s *scanner) isFree(key []byte) bool {
	for _, f := range s.free {
		if string(key) == f {
			return true
		}
	}
	return false
}
