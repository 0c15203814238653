package modelfake

import (
	"encoding/json"
	"fmt"
	"net/http"
	"unicode/utf8"
)

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
	start, deltas := events(b)
	if !a.emit("content_block_start", map[string]any{"index": index, "content_block": start}) {
		return false
	}
	if a.turn.Fault == FaultCut {
		panic(http.ErrAbortHandler) // net/http's way to close a connection in the middle of an answer
	}
	if !a.emit("ping", map[string]any{}) {
		return false
	}
	for _, d := range deltas {
		if !a.emit("content_block_delta", map[string]any{"index": index, "delta": d}) {
			return false
		}
	}
	return a.emit("content_block_stop", map[string]any{"index": index})
}

// piece is the most text of one event.
const piece = 32 << 10

// events takes a block apart: how it starts, and its deltas.
func events(b block) (start map[string]any, deltas []map[string]any) {
	switch b.Type {
	case "text":
		start = map[string]any{"type": b.Type, "text": ""}
		for text := *b.Text; text != ""; {
			cut := min(piece, len(text))
			for cut < len(text) && !utf8.RuneStart(text[cut]) {
				cut++
			}
			deltas = append(deltas, map[string]any{"type": "text_delta", "text": text[:cut]})
			text = text[cut:]
		}
	case "thinking":
		start = map[string]any{"type": b.Type, "thinking": "", "signature": ""}
		deltas = []map[string]any{
			{"type": "thinking_delta", "thinking": *b.Thinking},
			{"type": "signature_delta", "signature": b.Signature},
		}
	default:
		start = map[string]any{"type": b.Type, "id": b.ID, "name": b.Name, "input": struct{}{}}
		deltas = []map[string]any{{"type": "input_json_delta", "partial_json": string(b.Input)}}
	}
	return start, deltas
}

func (a answer) end() {
	last := map[string]any{"delta": map[string]any{"stop_reason": a.stopReason(), "stop_sequence": nil}}
	if a.turn.Fault != FaultNoUsage {
		last["usage"] = a.usage()
	}
	_ = a.emit("message_delta", last) && a.emit("message_stop", map[string]any{})
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
