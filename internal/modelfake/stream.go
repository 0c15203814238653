package modelfake

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
)

// hugePiece is the text of one event of a huge answer.
const hugePiece = 32 << 10

// stream is the answer as server-sent events, in the service's order: message_start, then for each block
// start, deltas and stop, then message_delta with the usage, then message_stop.
func (a answer) stream() {
	h := a.w.Header()
	h.Set("Content-Type", "text/event-stream; charset=utf-8")
	h.Set("Cache-Control", "no-cache")
	h.Set("Request-Id", fmt.Sprintf("req_%04d", a.index+1))
	a.w.WriteHeader(http.StatusOK)

	if !a.emit("message_start", map[string]any{"message": a.start()}) {
		return
	}
	if a.turn.Fault == FaultMalformed {
		a.raw("event: content_block_start\ndata: {\"type\":\"content_block_start\",\"index\":\n\n")
		return
	}
	if a.turn.Fault == FaultHuge && !a.huge() {
		return
	}
	for i, b := range a.blocks() {
		if !a.block(i, b) {
			return
		}
	}
	a.end()
}

func (a answer) start() map[string]any {
	u := a.usage()
	u.Output = 1
	m := map[string]any{
		"id": a.id(), "type": "message", "role": "assistant", "model": a.model(), "content": []block{},
		"stop_reason": nil, "stop_sequence": nil, "usage": u,
	}
	if a.turn.Fault == FaultNoUsage {
		delete(m, "usage")
	}
	return m
}

func (a answer) block(index int, b block) bool {
	start := map[string]any{"type": b.Type}
	delta := map[string]any{}
	if b.Type == "text" {
		start["text"] = ""
		delta["type"], delta["text"] = "text_delta", *b.Text
	} else {
		start["id"], start["name"], start["input"] = b.ID, b.Name, struct{}{}
		delta["type"], delta["partial_json"] = "input_json_delta", string(b.Input)
	}
	if !a.emit("content_block_start", map[string]any{"index": index, "content_block": start}) {
		return false
	}
	if a.turn.Fault == FaultCut {
		panic(http.ErrAbortHandler) // net/http's way to close a connection in the middle of an answer
	}
	return a.emit("ping", map[string]any{}) &&
		a.emit("content_block_delta", map[string]any{"index": index, "delta": delta}) &&
		a.emit("content_block_stop", map[string]any{"index": index})
}

func (a answer) end() {
	last := map[string]any{"delta": map[string]any{"stop_reason": a.stopReason(), "stop_sequence": nil}}
	if a.turn.Fault != FaultNoUsage {
		last["usage"] = a.usage()
	}
	_ = a.emit("message_delta", last) && a.emit("message_stop", map[string]any{})
}

// huge sends one text block of Options.HugeBytes in many events.
func (a answer) huge() bool {
	if !a.emit("content_block_start", map[string]any{"index": 0, "content_block": map[string]any{"type": "text", "text": ""}}) {
		return false
	}
	text := strings.Repeat("A", hugePiece)
	for sent := int64(0); sent < a.opt.HugeBytes; sent += hugePiece {
		if !a.emit("content_block_delta", map[string]any{"index": 0, "delta": map[string]any{"type": "text_delta", "text": text}}) {
			return false
		}
	}
	return a.emit("content_block_stop", map[string]any{"index": 0})
}

// emit sends one event and reports whether the client is still there.
func (a answer) emit(event string, data map[string]any) bool {
	if a.turn.Fault == FaultSlow && !a.wait() {
		return false
	}
	data["type"] = event
	raw, err := json.Marshal(data)
	if err != nil {
		return false
	}
	return a.raw(fmt.Sprintf("event: %s\ndata: %s\n\n", event, raw))
}

func (a answer) raw(s string) bool {
	if _, err := a.w.Write([]byte(s)); err != nil {
		return false
	}
	return http.NewResponseController(a.w).Flush() == nil
}
