package proxy

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"selffix/internal/lazyregexp"
	"selffix/internal/strictjson"
)

// The bounds of a request's parts. The agent's requests stay far below each.
const (
	maxMessages     = 4096
	maxBlocks       = 4096 // of one message
	maxAllBlocks    = 4 * maxBlocks
	maxTools        = 64
	maxStop         = 8
	maxEdits        = 8
	maxUserID       = 512
	maxName         = 128
	imageTokens     = 6000 // of one image at most; a small file may be a large picture
	maxImages       = 100
	toolFormTokens  = 1024 // what the service adds when tools are given
	messageOverhead = 16   // tokens of form that the service adds to a message or block
)

var toolName = lazyregexp.New(`^[a-zA-Z0-9_-]{1,128}$`)

// request is all of a message request that may be sent. A key without a field here is refused: among
// them mcp_servers, container, service_tier, speed, inference_geo and top-level cache_control.
type request struct {
	Model         string
	Messages      []message
	System        *content
	Tools         []tool
	ToolChoice    *toolChoice
	Metadata      *metadata
	MaxTokens     int64
	Temperature   *float64
	TopP          *float64
	TopK          *int64
	StopSequences []string
	Thinking      *thinking
	OutputConfig  *outputConfig
	Context       *contextManagement
	Stream        bool

	blocks int
	images int
}

type message struct {
	Role         string
	Content      content
	OutputConfig *outputConfig
}

// tool is one that the client itself carries out. A tool with a "type" is the service's.
type tool struct {
	Name         string
	Description  string
	InputSchema  json.RawMessage
	CacheControl *cacheControl
}

type toolChoice struct {
	Type            string `json:"type"`
	Name            string `json:"name,omitempty"`
	DisableParallel *bool  `json:"disable_parallel_tool_use,omitempty"`
}

type metadata struct {
	UserID string `json:"user_id,omitempty"`
}

type thinking struct {
	Type    string `json:"type"`
	Budget  *int64 `json:"budget_tokens,omitempty"`
	Display string `json:"display,omitempty"` // read and left out: a beta's
}

type outputConfig struct {
	Effort string `json:"effort,omitempty"`
}

// contextManagement may only clear old thinking. The other edits are left to the agent.
type contextManagement struct {
	Edits []contextEdit `json:"edits"`
}

type contextEdit struct {
	Type string          `json:"type"`
	Keep json.RawMessage `json:"keep,omitempty"`
}

// cacheControl asks for the short cache only. A longer "ttl" is read and left out, since it doubles the price.
type cacheControl struct {
	Type string `json:"type"`
	TTL  string `json:"ttl,omitempty"`
}

// parseRequest reads a body strictly and judges every part of it.
func parseRequest(body []byte, model string) (*request, *refusal) {
	// What a tool takes is up to its author, so below these two keys names are free; they are still unique.
	if err := strictjson.Scan(body, strictjson.Object, "input", "input_schema"); err != nil {
		return nil, refuse(ReasonBody, "the body: %v", err)
	}
	var r request
	if err := r.read(body); err != nil {
		return nil, refuse(ReasonBody, "the body: %v", err)
	}
	if r.Model != model {
		return nil, refuse(ReasonModel, "the model %.60q was asked for, and the policy allows %q only", r.Model, model)
	}
	if err := r.judge(); err != nil {
		return nil, refuse(ReasonBody, "%v", err)
	}
	return &r, nil
}

// decode reads one small value without unknown keys. strictjson.Scan has refused every key that is not in plain
// lower case, so encoding/json's folding of letter case finds nothing to fold.
func decode(raw []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	err := d.Decode(into)
	var kind *json.UnmarshalTypeError
	if errors.As(err, &kind) {
		return fmt.Errorf("%.80q is not of the kind that it should be", kind.Field)
	}
	return err
}

func (r *request) judge() error {
	switch {
	case len(r.Messages) == 0:
		return errors.New("messages: one at least is demanded")
	case r.MaxTokens <= 0:
		return errors.New("max_tokens: a number above 0 is demanded")
	case r.Metadata != nil && len(r.Metadata.UserID) > maxUserID:
		return fmt.Errorf("metadata.user_id: at most %d bytes are taken", maxUserID)
	}
	for i := range r.Messages {
		if err := r.Messages[i].judge(r); err != nil {
			return fmt.Errorf("messages[%d]: %w", i, err)
		}
	}
	if r.System != nil {
		if err := r.System.judge(r, "text"); err != nil {
			return fmt.Errorf("system: %w", err)
		}
	}
	for i, t := range r.Tools {
		if !toolName.MatchString(t.Name) || !isObject(t.InputSchema) {
			return fmt.Errorf("tools[%d]: a name and an input_schema are demanded", i)
		}
		if err := t.CacheControl.judge(); err != nil {
			return fmt.Errorf("tools[%d]: %w", i, err)
		}
	}
	return r.judgeOptions()
}

func (r *request) judgeOptions() error {
	if c := r.ToolChoice; c != nil {
		if !slices.Contains([]string{"auto", "any", "none", "tool"}, c.Type) || (c.Name != "" && !toolName.MatchString(c.Name)) {
			return errors.New("tool_choice: auto, any, none or one named tool is expected")
		}
	}
	if t := r.Thinking; t != nil {
		if !slices.Contains([]string{"adaptive", "enabled", "disabled"}, t.Type) || (t.Budget != nil && *t.Budget < 0) {
			return errors.New("thinking: adaptive, enabled or disabled is expected")
		}
	}
	for _, c := range r.outputConfigs() {
		if c.Effort != "" && !slices.Contains([]string{"low", "medium", "high", "xhigh", "max"}, c.Effort) {
			return errors.New("output_config: an effort from low to max is expected")
		}
	}
	if r.Context != nil {
		for _, e := range r.Context.Edits {
			if e.Type != "clear_thinking_20251015" || !e.keepsTurns() {
				return fmt.Errorf("context_management: the edit %.60q is not taken", e.Type)
			}
		}
	}
	return nil
}

// keepsTurns demands one of the two forms of "keep": all, or a number of turns.
func (e contextEdit) keepsTurns() bool {
	var turns struct {
		Type  string `json:"type"`
		Value int64  `json:"value"`
	}
	if len(e.Keep) == 0 || string(e.Keep) == `"all"` {
		return true
	}
	return decode(e.Keep, &turns) == nil && turns.Type == "thinking_turns" && turns.Value > 0
}

func (r *request) outputConfigs() []outputConfig {
	var out []outputConfig
	if r.OutputConfig != nil {
		out = append(out, *r.OutputConfig)
	}
	for _, m := range r.Messages {
		if m.OutputConfig != nil {
			out = append(out, *m.OutputConfig)
		}
	}
	return out
}

// The betas that bring a field of the body. Without the beta the service refuses the field.
const (
	betaOAuth   = "oauth-2025-04-20"
	betaEffort  = "effort-2025-11-24"
	betaContext = "context-management-2025-06-27"
	betaPerTurn = "per-turn-control-2026-07-01"
)

// encode writes the request anew, without the fields of betas that are not sent, and cuts max_tokens. size is about what it takes.
func (r *request) encode(maxTokens int64, betas []string, size int) ([]byte, error) {
	r.MaxTokens = min(r.MaxTokens, maxTokens)
	if t := r.Thinking; t != nil {
		t.Display = ""
		if t.Budget != nil && *t.Budget >= r.MaxTokens { // the service demands less than max_tokens
			*t.Budget = max(r.MaxTokens-1, 0)
		}
	}
	if !slices.Contains(betas, betaContext) {
		r.Context = nil
	}
	if !slices.Contains(betas, betaEffort) {
		r.OutputConfig = nil
	}
	for i := range r.Messages {
		if !slices.Contains(betas, betaPerTurn) {
			r.Messages[i].OutputConfig = nil
		}
	}
	w := writer{out: make([]byte, 0, size)}
	r.write(&w)
	return w.out, w.err
}

// inputBound is more input tokens than the service can count for the encoded body: a token has at
// least one byte, but for images, whose size in the body says little.
func (r *request) inputBound(encoded int) int64 {
	return int64(encoded) + int64(r.images)*imageTokens + toolFormTokens + int64(len(r.Messages))*messageOverhead
}

func isObject(raw json.RawMessage) bool {
	t := bytes.TrimLeft(raw, " \t\r\n")
	return len(t) > 0 && t[0] == '{'
}
