package modelfake

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"
)

// ask is what the fake reads of a request. All else it takes as it comes: being strict about requests
// is the proxy's work.
type ask struct {
	Model     string `json:"model"`
	MaxTokens int64  `json:"max_tokens"`
	Stream    bool   `json:"stream"`
	Messages  []struct {
		Role string `json:"role"`
	} `json:"messages"`

	bytes int
}

func parseAsk(body []byte) (ask, error) {
	var a ask
	if err := json.Unmarshal(body, &a); err != nil {
		return a, errors.New("the body is no JSON of a message request")
	}
	a.bytes = len(body)
	switch {
	case a.Model == "":
		return a, errors.New("model: field required")
	case a.MaxTokens <= 0:
		return a, errors.New("max_tokens: must be greater than 0")
	case len(a.Messages) == 0:
		return a, errors.New("messages: at least one message is required")
	case a.Messages[0].Role != "user":
		return a, errors.New("messages: the first message must use the user role")
	}
	return a, nil
}

// block is one content block of an answer.
type block struct {
	Type  string          `json:"type"`
	Text  *string         `json:"text,omitempty"`
	ID    string          `json:"id,omitempty"`
	Name  string          `json:"name,omitempty"`
	Input json.RawMessage `json:"input,omitempty"`

	Thinking  *string `json:"thinking,omitempty"`
	Signature string  `json:"signature,omitempty"`
}

// usage is the record that ends an answer. Three bytes a token is about what text has.
type usage struct {
	Input         int    `json:"input_tokens"`
	CacheCreation int    `json:"cache_creation_input_tokens"`
	CacheRead     int    `json:"cache_read_input_tokens"`
	Output        int    `json:"output_tokens"`
	Tier          string `json:"service_tier,omitempty"`
}

// answer plays one turn to one client.
type answer struct {
	opt   Options
	index int
	turn  Turn
	ask   ask
	w     http.ResponseWriter
	done  <-chan struct{}
}

func (a answer) play() {
	switch a.turn.Fault {
	case FaultRateLimit:
		a.w.Header().Set("Retry-After", "0")
		apiError{http.StatusTooManyRequests, "rate_limit_error", "scripted rate limit"}.write(a.w)
	case FaultOverloaded:
		apiError{529, "overloaded_error", "scripted overload"}.write(a.w)
	case FaultHang:
		<-a.done
	case FaultContentType:
		a.w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(a.w, "<!doctype html><title>scripted page</title>")
	case FaultRedirect:
		a.w.Header().Set("Location", "/v1/elsewhere")
		a.w.WriteHeader(http.StatusTemporaryRedirect)
	default:
		if a.ask.Stream {
			a.stream()
			return
		}
		a.whole()
	}
}

func (a answer) model() string {
	if a.turn.Fault == FaultWrongModel {
		return "claude-other-1"
	}
	return a.ask.Model
}

func (a answer) id() string { return fmt.Sprintf("msg_%04d", a.index+1) }

func (a answer) stopReason() string {
	if len(a.turn.Calls) > 0 {
		return "tool_use"
	}
	return "end_turn"
}

func (a answer) blocks() []block {
	var bs []block
	if a.turn.Fault == FaultHuge {
		bs = append(bs, block{Type: "text", Text: ptr(strings.Repeat("A", int(a.opt.HugeBytes)))})
	}
	if a.turn.Thinking != "" {
		bs = append(bs, block{Type: "thinking", Thinking: &a.turn.Thinking, Signature: "scripted-signature"})
	}
	if a.turn.Text != "" {
		bs = append(bs, block{Type: "text", Text: &a.turn.Text})
	}
	for i, c := range a.turn.Calls {
		bs = append(bs, block{Type: "tool_use", ID: callID(a.index, i), Name: c.Tool, Input: c.Input})
	}
	return bs
}

// callID names a call so that its result can be found again in a later request.
func callID(turn, call int) string { return fmt.Sprintf("toolu_%04d_%04d", turn+1, call+1) }

func (a answer) usage() usage {
	n := len(a.turn.Text) + len(a.turn.Thinking)
	for _, c := range a.turn.Calls {
		n += len(c.Input) + len(c.Tool)
	}
	return usage{Input: a.ask.bytes/3 + 1, Output: n/3 + 1, Tier: "standard"}
}

// whole is the answer without streaming. Faults of a stream spoil it as far as they can.
func (a answer) whole() {
	if a.turn.Fault == FaultSlow && !a.wait() {
		return
	}
	message := map[string]any{
		"id": a.id(), "type": "message", "role": "assistant", "model": a.model(), "content": a.blocks(),
		"stop_reason": a.stopReason(), "stop_sequence": nil, "usage": a.usage(),
	}
	if a.turn.Fault == FaultNoUsage {
		delete(message, "usage")
	}
	raw, err := json.Marshal(message)
	if err != nil {
		apiError{http.StatusInternalServerError, "api_error", "the turn cannot be encoded"}.write(a.w)
		return
	}
	if a.turn.Fault == FaultMalformed {
		raw = raw[:len(raw)/2]
	}
	a.w.Header().Set("Content-Type", "application/json")
	a.w.Header().Set("Request-Id", fmt.Sprintf("req_%04d", a.index+1))
	if a.turn.Fault == FaultCut {
		a.w.Header().Set("Content-Length", fmt.Sprint(len(raw)))
		raw = raw[:len(raw)/2]
	}
	_, _ = a.w.Write(raw) // the client may be gone
}

// wait sleeps for the delay of a slow answer and reports whether the client is still there.
func (a answer) wait() bool {
	t := time.NewTimer(a.opt.Delay)
	defer t.Stop()
	select {
	case <-a.done:
		return false
	case <-t.C:
		return true
	}
}

func ptr[T any](v T) *T { return &v }
