package modelfake

import (
	"encoding/json"
	"strings"
)

// Result is what a client sent back for one tool call of the script.
type Result struct {
	Turn, Call int // indexes into the script
	Tool       string
	Text       string // all text of the result; other blocks are left as JSON
	IsError    bool
}

// Results returns the result of each call that was answered, in the script's order. The newest request that
// holds a result wins, as a client repeats the conversation with each request.
func (s *Server) Results() []Result {
	found := make(map[string]toolResult)
	for _, r := range s.Requests() {
		for _, t := range toolResults(r.Body) {
			found[t.ID] = t
		}
	}
	var out []Result
	for i, turn := range s.opt.Script.Turns {
		for j, c := range turn.Calls {
			if t, ok := found[callID(i, j)]; ok {
				out = append(out, Result{Turn: i, Call: j, Tool: c.Tool, Text: t.text(), IsError: t.IsError})
			}
		}
	}
	return out
}

type toolResult struct {
	Type    string          `json:"type"`
	ID      string          `json:"tool_use_id"`
	IsError bool            `json:"is_error"`
	Content json.RawMessage `json:"content"`
}

func toolResults(body []byte) []toolResult {
	var conversation struct {
		Messages []struct {
			Content json.RawMessage `json:"content"`
		} `json:"messages"`
	}
	if json.Unmarshal(body, &conversation) != nil {
		return nil
	}
	var out []toolResult
	for _, m := range conversation.Messages {
		var blocks []toolResult
		if json.Unmarshal(m.Content, &blocks) != nil {
			continue // a message may be one string
		}
		for _, b := range blocks {
			if b.Type == "tool_result" {
				out = append(out, b)
			}
		}
	}
	return out
}

func (t toolResult) text() string {
	var one string
	if json.Unmarshal(t.Content, &one) == nil {
		return one
	}
	var parts []struct {
		Type string `json:"type"`
		Text string `json:"text"`
	}
	if json.Unmarshal(t.Content, &parts) != nil {
		return string(t.Content)
	}
	var b strings.Builder
	for _, p := range parts {
		if p.Type != "text" {
			return string(t.Content)
		}
		b.WriteString(p.Text)
	}
	return b.String()
}
