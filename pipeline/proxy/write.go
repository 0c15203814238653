package proxy

import (
	"encoding/json"
	"strconv"
	"unicode/utf8"
)

// writer writes a request as JSON. The large parts are written by hand, as read.go reads them; small ones by encoding/json, whose
// errors are kept.
type writer struct {
	out []byte
	err error
}

// key begins a member of an object that was opened with '{'.
func (w *writer) key(name string) {
	if last := w.out[len(w.out)-1]; last != '{' {
		w.out = append(w.out, ',')
	}
	w.out = append(append(append(w.out, '"'), name...), '"', ':')
}

// item begins an element of an array that was opened with '['.
func (w *writer) item() {
	if last := w.out[len(w.out)-1]; last != '[' {
		w.out = append(w.out, ',')
	}
}

func (w *writer) open(c byte)  { w.out = append(w.out, c) }
func (w *writer) close(c byte) { w.out = append(w.out, c) }

const hexDigits = "0123456789abcdef"

// text writes a string. Angle brackets and ampersands stay as they are: sources are full of them, and each would become six bytes.
func (w *writer) text(s string) {
	w.out = append(w.out, '"')
	from := 0
	for i := 0; i < len(s); i++ {
		if plainChar[s[i]] && s[i] < utf8.RuneSelf || s[i] >= utf8.RuneSelf {
			continue
		}
		w.out = append(w.out, s[from:i]...)
		switch c := s[i]; c {
		case '"', '\\':
			w.out = append(w.out, '\\', c)
		case '\n':
			w.out = append(w.out, '\\', 'n')
		case '\t':
			w.out = append(w.out, '\\', 't')
		default:
			w.out = append(w.out, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
		}
		from = i + 1
	}
	w.out = append(append(w.out, s[from:]...), '"')
}

// member writes a member whose value is a text, unless it is empty.
func (w *writer) member(name, value string) {
	if value != "" {
		w.key(name)
		w.text(value)
	}
}

// small writes a member by encoding/json.
func (w *writer) small(name string, value any) {
	raw, err := json.Marshal(value)
	if err != nil {
		w.err = err
		return
	}
	w.key(name)
	w.out = append(w.out, raw...)
}

// optional writes a small member unless it is not there.
func optional[T any](w *writer, name string, value *T) {
	if value != nil {
		w.small(name, value)
	}
}

func (r *request) write(w *writer) {
	w.open('{')
	w.member("model", r.Model)
	w.key("messages")
	w.open('[')
	for i := range r.Messages {
		w.item()
		r.Messages[i].write(w)
	}
	w.close(']')
	if r.System != nil {
		w.key("system")
		r.System.write(w)
	}
	if len(r.Tools) > 0 {
		w.key("tools")
		w.open('[')
		for i := range r.Tools {
			w.item()
			r.Tools[i].write(w)
		}
		w.close(']')
	}
	optional(w, "tool_choice", r.ToolChoice)
	optional(w, "metadata", r.Metadata)
	w.key("max_tokens")
	w.out = strconv.AppendInt(w.out, r.MaxTokens, 10)
	optional(w, "temperature", r.Temperature)
	optional(w, "top_p", r.TopP)
	optional(w, "top_k", r.TopK)
	if len(r.StopSequences) > 0 {
		w.small("stop_sequences", r.StopSequences)
	}
	optional(w, "thinking", r.Thinking)
	optional(w, "output_config", r.OutputConfig)
	optional(w, "context_management", r.Context)
	if r.Stream {
		w.small("stream", true)
	}
	w.close('}')
}

func (m *message) write(w *writer) {
	w.open('{')
	w.member("role", m.Role)
	w.key("content")
	m.Content.write(w)
	optional(w, "output_config", m.OutputConfig)
	w.close('}')
}

func (t *tool) write(w *writer) {
	w.open('{')
	w.member("name", t.Name)
	w.member("description", t.Description)
	w.raw("input_schema", t.InputSchema)
	optional(w, "cache_control", t.CacheControl)
	w.close('}')
}

// raw writes a member that passes as it came: JSON that was scanned, below a key whose content is up to others.
func (w *writer) raw(name string, value json.RawMessage) {
	w.key(name)
	w.out = append(w.out, value...)
}

func (c *content) write(w *writer) {
	if c.text != nil {
		w.text(*c.text)
		return
	}
	w.open('[')
	for i := range c.blocks {
		w.item()
		c.blocks[i].write(w)
	}
	w.close(']')
}

func (b *block) write(w *writer) {
	w.open('{')
	w.member("type", b.Type)
	w.member("id", b.ID)
	w.member("name", b.Name)
	w.member("tool_use_id", b.ToolUseID)
	for _, t := range []struct {
		name string
		text *string
	}{{"text", b.Text}, {"thinking", b.Thinking}} {
		if t.text != nil {
			w.key(t.name)
			w.text(*t.text)
		}
	}
	w.member("signature", b.Signature)
	w.member("data", b.Data)
	optional(w, "source", b.Source)
	if b.Input != nil {
		w.raw("input", b.Input)
	}
	if b.Content != nil {
		w.key("content")
		b.Content.write(w)
	}
	optional(w, "is_error", b.IsError)
	optional(w, "cache_control", b.CacheControl)
	w.close('}')
}
