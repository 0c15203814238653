package proxy

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
)

// The functions of this file take JSON apart that strictjson.Scan has accepted: it is valid, no object has a key twice, and
// keys stand as they are, in plain lower case. They name every key of the large parts of a request; the agent waits
// for this, and a decoder by reflection takes several times as long. Lists are counted while they are read: what a body of empty
// objects is read into takes two hundred times its bytes.

// members calls each for every member of an object.
func members(raw []byte, each func(key string, value []byte) error) error {
	raw = bytes.TrimSpace(raw)
	if len(raw) == 0 || raw[0] != '{' {
		return errors.New("an object is expected")
	}
	for i := skipSpace(raw, 1); raw[i] != '}'; {
		end := valueEnd(raw, i)
		key := string(raw[i+1 : end-1])
		start := skipSpace(raw, skipSpace(raw, end)+1) // behind the colon
		end = valueEnd(raw, start)
		if err := each(key, raw[start:end]); err != nil {
			return err
		}
		i = nextItem(raw, end)
	}
	return nil
}

// elements calls each for every element of an array, of which it may have most.
func elements(raw []byte, most int, each func(value []byte) error) error {
	raw = bytes.TrimSpace(raw)
	if len(raw) == 0 || raw[0] != '[' {
		return errors.New("a list is expected")
	}
	for i, n := skipSpace(raw, 1), 0; raw[i] != ']'; n++ {
		if n == most {
			return fmt.Errorf("at most %d are taken", most)
		}
		end := valueEnd(raw, i)
		if err := each(raw[i:end]); err != nil {
			return err
		}
		i = nextItem(raw, end)
	}
	return nil
}

func skipSpace(raw []byte, i int) int {
	for raw[i] == ' ' || raw[i] == '\n' || raw[i] == '\t' || raw[i] == '\r' {
		i++
	}
	return i
}

// nextItem skips the comma after an item, if there is one.
func nextItem(raw []byte, i int) int {
	i = skipSpace(raw, i)
	if raw[i] == ',' {
		i = skipSpace(raw, i+1)
	}
	return i
}

// valueEnd is the index behind the value that begins at i.
func valueEnd(raw []byte, i int) int {
	switch raw[i] {
	case '"':
		return stringEnd(raw, i)
	case '{', '[':
	default:
		for i < len(raw) && bytes.IndexByte([]byte(",]} \n\t\r"), raw[i]) < 0 {
			i++
		}
		return i
	}
	for depth := 0; ; i++ {
		switch raw[i] {
		case '"':
			i = stringEnd(raw, i) - 1
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
}

// stringEnd is the index behind the string that begins at i.
func stringEnd(raw []byte, i int) int { return i + 1 + stringLength(raw[i+1:]) + 1 }

func unknown(key string) error { return fmt.Errorf("the key %.60q is not taken", key) }

// text reads a string.
func text(raw []byte, into *string) error {
	switch {
	case raw[0] != '"':
		return errors.New("a text is expected")
	case bytes.IndexByte(raw, '\\') < 0:
		*into = string(raw[1 : len(raw)-1])
		return nil
	}
	return json.Unmarshal(raw, into)
}

func optionalText(raw []byte, into **string) error {
	*into = new(string)
	return text(raw, *into)
}

// in names the key in an error.
func in(key string, err error) error {
	if err != nil {
		return fmt.Errorf("%s: %w", key, err)
	}
	return nil
}

func (r *request) read(raw []byte) error {
	return members(raw, func(key string, v []byte) error { return in(key, r.readKey(key, v)) })
}

func (r *request) readKey(key string, v []byte) error {
	switch key {
	case "model":
		return text(v, &r.Model)
	case "messages":
		return elements(v, maxMessages, func(v []byte) error {
			var m message
			err := m.read(v, &r.blocks)
			r.Messages = append(r.Messages, m)
			return err
		})
	case "system":
		r.System = new(content)
		return r.System.read(v, &r.blocks)
	case "tools":
		return elements(v, maxTools, func(v []byte) error {
			var t tool
			err := t.read(v)
			r.Tools = append(r.Tools, t)
			return err
		})
	case "tool_choice":
		return decode(v, &r.ToolChoice)
	case "metadata":
		return decode(v, &r.Metadata)
	case "max_tokens":
		return decode(v, &r.MaxTokens)
	case "temperature":
		return decode(v, &r.Temperature)
	case "top_p":
		return decode(v, &r.TopP)
	case "top_k":
		return decode(v, &r.TopK)
	case "stop_sequences":
		if string(v) == "null" {
			return nil
		}
		return elements(v, maxStop, func(v []byte) error {
			var s string
			err := text(v, &s)
			r.StopSequences = append(r.StopSequences, s)
			return err
		})
	case "thinking":
		return decode(v, &r.Thinking)
	case "output_config":
		return decode(v, &r.OutputConfig)
	case "context_management":
		if string(v) == "null" {
			return nil
		}
		r.Context = &contextManagement{Edits: []contextEdit{}}
		return r.Context.read(v)
	case "stream":
		return decode(v, &r.Stream)
	}
	return unknown(key)
}

func (c *contextManagement) read(raw []byte) error {
	return members(raw, func(key string, v []byte) error {
		if key != "edits" {
			return unknown(key)
		}
		return elements(v, maxEdits, func(v []byte) error {
			var e contextEdit
			err := decode(v, &e)
			c.Edits = append(c.Edits, e)
			return err
		})
	})
}

// read reads a message. blocks counts those of the whole request.
func (m *message) read(raw []byte, blocks *int) error {
	return members(raw, func(key string, v []byte) error {
		switch key {
		case "role":
			return text(v, &m.Role)
		case "content":
			return m.Content.read(v, blocks)
		case "output_config":
			return decode(v, &m.OutputConfig)
		}
		return unknown(key)
	})
}

func (t *tool) read(raw []byte) error {
	return members(raw, func(key string, v []byte) error {
		switch key {
		case "name":
			return text(v, &t.Name)
		case "description":
			return text(v, &t.Description)
		case "input_schema":
			t.InputSchema = v
			return nil
		case "cache_control":
			return decode(v, &t.CacheControl)
		}
		return unknown(key)
	})
}

// read reads either form of a content.
func (c *content) read(raw []byte, blocks *int) error {
	if raw[0] == '"' {
		return optionalText(raw, &c.text)
	}
	c.blocks = []block{}
	return elements(raw, maxBlocks, func(v []byte) error {
		if *blocks++; *blocks > maxAllBlocks {
			return fmt.Errorf("at most %d blocks are taken in one request", maxAllBlocks)
		}
		var b block
		err := members(v, func(key string, v []byte) error { return in(key, b.readKey(key, v, blocks)) })
		c.blocks = append(c.blocks, b)
		return err
	})
}

func (b *block) readKey(key string, v []byte, blocks *int) error {
	switch key {
	case "type":
		return text(v, &b.Type)
	case "text":
		return optionalText(v, &b.Text)
	case "source":
		return decode(v, &b.Source)
	case "id":
		return text(v, &b.ID)
	case "name":
		return text(v, &b.Name)
	case "input":
		b.Input = v
		return nil
	case "caller":
		return decode(v, &b.Caller)
	case "tool_use_id":
		return text(v, &b.ToolUseID)
	case "content":
		b.Content = new(content)
		return b.Content.read(v, blocks)
	case "is_error":
		return decode(v, &b.IsError)
	case "thinking":
		return optionalText(v, &b.Thinking)
	case "signature":
		return text(v, &b.Signature)
	case "data":
		return text(v, &b.Data)
	case "cache_control":
		return decode(v, &b.CacheControl)
	}
	return unknown(key)
}
