package style

import (
	"bytes"
	"strings"

	"github.com/tdewolff/parse/v2"
	"github.com/tdewolff/parse/v2/css"
)

// Parse splits a style sheet into facts. Its time and memory grow with the length of the text only.
func Parse(text []byte) *Facts {
	r := &reader{line: 1}
	in := parse.NewInputBytes(bytes.Clone(text))
	lexer := css.NewLexer(in)
	for {
		t, data := lexer.Next()
		if t == css.ErrorToken {
			break
		}
		r.token(t, data)
		r.line += bytes.Count(data, []byte("\n"))
	}
	r.end()
	return &Facts{uses: r.uses}
}

type reader struct {
	uses   []Use
	line   int
	blocks int             // that are open
	begun  bool            // something that no block and no semicolon has ended yet
	value  strings.Builder // of the fact at valued
	valued int             // the number of a use, from 1, whose value is being read; 0: none
	calls  []string        // functions and parentheses that are open
	before css.TokenType
	name   string // the identifier just before, if there is one
	slash  bool   // the token just before was "/"
	custom bool   // in the value of a custom property, which may be used anywhere
	square bool   // inside [ ]: an attribute selector, whose text loads nothing
}

func (r *reader) note(k Kind, name string) {
	r.uses = append(r.uses, Use{Fact{Kind: k, Name: name}, r.line})
}

// noteValue notes a fact whose value follows.
func (r *reader) noteValue(k Kind, name string) {
	r.endValue()
	r.note(k, name)
	r.valued = len(r.uses)
}

func (r *reader) endValue() {
	if r.valued > 0 {
		r.uses[r.valued-1].Value = strings.Join(strings.Fields(r.value.String()), " ")
	}
	r.value.Reset()
	r.valued = 0
}

// end is the end of the text.
func (r *reader) end() {
	r.endValue()
	if r.blocks > 0 || r.begun {
		r.note(Broken, "")
	}
}

// extend lets a token end or continue what was begun, and the value of a fact.
func (r *reader) extend(t css.TokenType, data []byte) {
	switch t {
	case css.LeftBraceToken, css.RightBraceToken, css.SemicolonToken:
		r.endValue()
		r.begun = false
		return
	case css.AtKeywordToken:
		r.endValue()
		r.begun = true
		return
	case css.WhitespaceToken, css.CommentToken:
	default:
		r.begun = true
	}
	if r.valued > 0 {
		r.value.Write(data)
	}
}

// block counts the blocks that are open.
func (r *reader) block(t css.TokenType) {
	switch {
	case t == css.LeftBraceToken:
		r.blocks++
	case t == css.RightBraceToken && r.blocks > 0:
		r.blocks--
	case t == css.RightBraceToken:
		r.note(Broken, "")
	}
}

func (r *reader) token(t css.TokenType, data []byte) {
	s := string(data)
	r.extend(t, data)
	switch t {
	case css.WhitespaceToken:
		r.slash = false
		return
	case css.CommentToken:
		r.comment(s)
		return
	case css.StringToken:
		r.text(s)
	case css.URLToken:
		r.url(s)
	case css.BadStringToken, css.BadURLToken, css.CDOToken, css.CDCToken:
		r.note(Broken, "")
		r.text(strings.TrimLeft(s, "URLurl( "))
	default:
		if strings.Contains(s, `\`) {
			r.note(Escape, "")
		}
		r.structure(t, s)
	}
	r.slash = t == css.DelimToken && s == "/"
	r.before = t
	if r.name = ""; t == css.IdentToken || t == css.CustomPropertyNameToken {
		r.name = s
	}
}

// structure reads what is no string, address or comment.
func (r *reader) structure(t css.TokenType, s string) {
	low := strings.ToLower(Decode(s))
	switch t {
	case css.AtKeywordToken:
		r.noteValue(AtRule, strings.TrimPrefix(low, "@"))
	case css.FunctionToken:
		r.function(strings.TrimSuffix(low, "("))
	case css.LeftParenthesisToken:
		r.calls = append(r.calls, "")
	case css.RightParenthesisToken:
		if len(r.calls) > 0 {
			r.calls = r.calls[:len(r.calls)-1]
		}
	case css.LeftBracketToken:
		r.square = len(r.calls) == 0 && !r.custom
	case css.RightBracketToken:
		r.square = false
	case css.LeftBraceToken, css.RightBraceToken, css.SemicolonToken:
		r.block(t)
		r.square, r.custom = false, false
		r.calls = r.calls[:0] // a parenthesis does not outlive its declaration
	case css.ColonToken:
		r.custom = r.custom || strings.HasPrefix(r.name, "--")
		r.property(strings.ToLower(Decode(r.name)))
	case css.IdentToken:
		if r.before == css.ColonToken {
			r.note(Pseudo, low)
		}
		if r.inside("attr") && (low == "url" || low == "type") {
			r.note(Function, "attr "+low)
		}
	case css.DelimToken:
		if s == "/" && r.slash {
			r.note(Slashes, "//")
		}
	}
}

func (r *reader) property(name string) {
	switch name {
	case "":
	case "composes", "compose-with":
		r.noteValue(Property, name)
	default:
		r.note(Property, name)
	}
}

func (r *reader) function(name string) {
	if r.inside("attr") {
		r.note(Function, "attr "+name)
	}
	r.note(Function, name)
	r.calls = append(r.calls, name)
}

func (r *reader) inside(name string) bool {
	for _, c := range r.calls {
		if c == name {
			return true
		}
	}
	return false
}

// loads reports whether a string here is an address: in the functions that take one, and in :import(.
func (r *reader) loads() bool {
	for _, c := range r.calls {
		switch c {
		case "url", "src", "image", "image-set", "-webkit-image-set", "cross-fade", "-webkit-cross-fade", "url-prefix", "domain", "document", "import":
			return true
		}
	}
	return false
}

func (r *reader) text(s string) {
	body, whole := unquoted(s)
	if !whole {
		r.note(Broken, "")
	}
	if r.square && whole {
		return
	}
	if !r.loads() {
		r.note(Text, Decode(body))
		return
	}
	if strings.Contains(body, `\`) {
		r.note(Escape, "")
	}
	r.note(Address, Decode(body))
}

func (r *reader) url(s string) {
	open := strings.IndexByte(s, '(')
	body, ended := strings.CutSuffix(s[open+1:], ")")
	if !ended || strings.Contains(s[:open+1], `\`) {
		r.note(Broken, "")
	}
	body = strings.Trim(body, " \t\r\n\f")
	if len(body) > 0 && (body[0] == '"' || body[0] == '\'') {
		inner, whole := unquoted(body)
		if !whole {
			r.note(Broken, "")
		}
		body = inner
	}
	if strings.Contains(s, `\`) {
		r.note(Escape, "")
	}
	r.note(Address, Decode(body))
}

func (r *reader) comment(s string) {
	body, ended := strings.CutSuffix(strings.TrimPrefix(s, "/*"), "*/")
	if !ended || len(s) < 4 {
		r.note(Broken, "")
	}
	r.note(Comment, body)
}

// unquoted takes the quotes off a string, and reports whether both are there.
func unquoted(s string) (string, bool) {
	if len(s) == 0 || s[0] != '"' && s[0] != '\'' {
		return s, false
	}
	if len(s) < 2 || s[len(s)-1] != s[0] {
		return s[1:], false
	}
	return s[1 : len(s)-1], true
}
