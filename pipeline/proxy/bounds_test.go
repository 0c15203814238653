package proxy

import (
	"runtime"
	"strings"
	"testing"
)

// A body of many small things must not become many times its size in memory: the proxy holds the token, and its container has a
// limit. What is taken to read it is compared with its length.
func TestListsAreBoundedWhileRead(t *testing.T) {
	const size = 4 << 20
	list := func(before, each, after string) string {
		n := (size - len(before) - len(after)) / len(each)
		return before + strings.TrimSuffix(strings.Repeat(each, n), ",") + after
	}
	const head = `{"model":"m","max_tokens":1,`
	text := `{"type":"text","text":""},`
	many := `{"role":"user","content":[` + strings.TrimSuffix(strings.Repeat(text, 4000), ",") + `]},`
	nested := `{"type":"tool_result","tool_use_id":"t","content":[` + strings.TrimSuffix(strings.Repeat(text, 4000), ",") + `]},`
	for name, body := range map[string]string{
		"blocks":                 list(head+`"messages":[{"role":"user","content":[`, `{},`, `]}]}`),
		"blocks, well formed":    list(head+`"messages":[{"role":"user","content":[`, text, `]}]}`),
		"blocks of many":         list(head+`"messages":[`, many, `]}`),
		"blocks of many results": list(head+`"messages":[{"role":"user","content":[`, nested, `]}]}`),
		"system blocks":          list(head+`"system":[`, text, `]}`),
		"messages":               list(head+`"messages":[`, `{},`, `]}`),
		"tools":                  list(head+`"tools":[`, `{},`, `]}`),
		"stop sequences":         list(head+`"stop_sequences":[`, `"",`, `]}`),
		"edits":                  list(head+`"context_management":{"edits":[`, `{},`, `]}}`),
	} {
		raw := []byte(body)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, no := parseRequest(raw, "m")
		runtime.ReadMemStats(&after)
		if no == nil || !strings.Contains(no.message, "at most") {
			t.Errorf("%s: %v, want a bound named", name, no)
		}
		// The longest list that is taken, of 16,384 blocks, is grown to some megabytes.
		if took := after.TotalAlloc - before.TotalAlloc; took > 5*size {
			t.Errorf("%s: %d bytes were taken to read %d", name, took, size)
		}
	}
}
