package proxy

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
)

// content is what a message, the system prompt or a tool result holds: one text, or blocks.
type content struct {
	text   *string
	blocks []block
}

// block is one part of a content. Each type has a list of fields that it may have; see judge.
type block struct {
	Type         string
	Text         *string
	Source       *source
	ID           string
	Name         string
	Input        json.RawMessage
	Caller       *caller // read and left out
	ToolUseID    string
	Content      *content
	IsError      *bool
	Thinking     *string
	Signature    string
	Data         string
	CacheControl *cacheControl
}

// source is an image in the request itself. The service would fetch any other ("url", "file").
type source struct {
	Type      string `json:"type"`
	MediaType string `json:"media_type"`
	Data      string `json:"data"`
}

// caller says who called a tool; only the model itself may have.
type caller struct {
	Type string `json:"type"`
}

func (m *message) judge(r *request) error {
	var err error
	switch m.Role {
	case "user":
		err = m.Content.judge(r, "text", "image", "tool_result")
	case "assistant":
		err = m.Content.judge(r, "text", "tool_use", "thinking", "redacted_thinking")
	case "system":
		err = m.Content.judge(r, "text")
	default:
		return fmt.Errorf("the role %.40q is not taken", m.Role)
	}
	return err
}

// judge demands that every block is of one of the types, and counts images.
func (c *content) judge(r *request, types ...string) error {
	if c.text == nil && c.blocks == nil {
		return errors.New("it has no content")
	}
	for i := range c.blocks {
		b := &c.blocks[i]
		if !slices.Contains(types, b.Type) {
			return fmt.Errorf("block %d: the type %.60q is not taken here", i, b.Type)
		}
		if err := b.judge(r); err != nil {
			return fmt.Errorf("block %d (%s): %w", i, b.Type, err)
		}
	}
	return nil
}

// judge demands the fields of the block's type and refuses those of the others.
func (b *block) judge(r *request) error {
	rest := *b
	rest.Type, rest.CacheControl = "", nil
	var err error
	switch b.Type {
	case "text":
		rest.Text = nil
		err = demand(b.Text != nil, "text")
	case "image":
		rest.Source = nil
		err = b.judgeImage(r)
	case "tool_use":
		rest.ID, rest.Name, rest.Input, rest.Caller = "", "", nil, nil
		err = b.judgeToolUse()
		b.Caller = nil
	case "tool_result":
		rest.ToolUseID, rest.Content, rest.IsError = "", nil, nil
		err = b.judgeToolResult(r)
	case "thinking":
		rest.Thinking, rest.Signature = nil, ""
		err = demand(b.Thinking != nil && b.Signature != "", "thinking and signature")
	case "redacted_thinking":
		rest.Data = ""
		err = demand(b.Data != "", "data")
	}
	if err != nil {
		return err
	}
	if !rest.empty() {
		return errors.New("it has a field of another type of block")
	}
	return b.CacheControl.judge()
}

func (b *block) judgeToolUse() error {
	if !toolName.MatchString(b.ID) || !toolName.MatchString(b.Name) || !isObject(b.Input) {
		return errors.New("an id, a name and an input are demanded")
	}
	if b.Caller != nil && b.Caller.Type != "direct" {
		return errors.New("its caller is not the model itself")
	}
	return nil
}

func (b *block) judgeToolResult(r *request) error {
	if !toolName.MatchString(b.ToolUseID) {
		return errors.New("a tool_use_id is demanded")
	}
	if b.Content == nil {
		return nil
	}
	return b.Content.judge(r, "text", "image")
}

func (b *block) judgeImage(r *request) error {
	r.images++
	s := b.Source
	switch {
	case r.images > maxImages:
		return fmt.Errorf("at most %d images are taken", maxImages)
	case s == nil || s.Type != "base64":
		return errors.New("only an image in the request itself is taken (source.type base64)")
	case !slices.Contains([]string{"image/png", "image/jpeg", "image/gif", "image/webp"}, s.MediaType):
		return fmt.Errorf("the media type %.60q is not taken", s.MediaType)
	}
	if _, err := base64.StdEncoding.Strict().DecodeString(s.Data); err != nil || s.Data == "" {
		return errors.New("its data is no base64")
	}
	return nil
}

// empty reports whether no field is set.
func (b block) empty() bool {
	return b.Type == "" && b.Text == nil && b.Source == nil && b.ID == "" && b.Name == "" && b.Input == nil &&
		b.Caller == nil && b.ToolUseID == "" && b.Content == nil && b.IsError == nil && b.Thinking == nil &&
		b.Signature == "" && b.Data == "" && b.CacheControl == nil
}

// judge takes the one type there is and leaves the time to live out.
func (c *cacheControl) judge() error {
	if c == nil {
		return nil
	}
	if c.Type != "ephemeral" || !slices.Contains([]string{"", "5m", "1h"}, c.TTL) {
		return errors.New("cache_control: only ephemeral is taken")
	}
	c.TTL = ""
	return nil
}

func demand(ok bool, what string) error {
	if !ok {
		return fmt.Errorf("%s demanded", what)
	}
	return nil
}
