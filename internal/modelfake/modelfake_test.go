package modelfake_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"selffix/internal/modelfake"
)

const (
	key   = "sandbox-key"
	plain = `{"model":"m","max_tokens":10,"messages":[{"role":"user","content":"hi"}]}`
)

func start(t *testing.T, turns ...modelfake.Turn) *modelfake.Running {
	t.Helper()
	r, err := modelfake.Start(modelfake.Options{Key: key, Script: modelfake.Script{Turns: turns}, Delay: time.Millisecond, HugeBytes: 200_000})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	return r
}

type answered struct {
	status int
	header http.Header
	body   string
	err    error
}

func ask(t *testing.T, r *modelfake.Running, body string, changes ...func(*http.Request)) answered {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	q, err := http.NewRequestWithContext(ctx, http.MethodPost, r.URL+"/v1/messages", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	q.Header.Set("X-Api-Key", key)
	q.Header.Set("Anthropic-Version", "2023-06-01")
	for _, c := range changes {
		c(q)
	}
	client := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	a, err := client.Do(q)
	if err != nil {
		return answered{err: err}
	}
	defer a.Body.Close()
	raw, err := io.ReadAll(a.Body)
	return answered{a.StatusCode, a.Header, string(raw), err}
}

// names lists the events of a stream and demands that each says its own name.
func names(t *testing.T, stream string) []string {
	t.Helper()
	var out []string
	for e := range strings.SplitSeq(strings.TrimSuffix(stream, "\n\n"), "\n\n") {
		name, data, _ := strings.Cut(strings.TrimPrefix(e, "event: "), "\ndata: ")
		var d struct {
			Type string `json:"type"`
		}
		if err := json.Unmarshal([]byte(data), &d); err != nil || d.Type != name {
			t.Errorf("event %q holds %.100q", name, data)
		}
		if len(out) == 0 || out[len(out)-1] != name {
			out = append(out, name)
		}
	}
	return out
}

func streaming(body string) string {
	return strings.Replace(body, `{"model"`, `{"stream":true,"model"`, 1)
}

func TestStream(t *testing.T) {
	r := start(t, modelfake.Turn{Thinking: "hm", Text: "hello", Calls: []modelfake.Call{{Tool: "Read", Input: json.RawMessage(`{"a": 1}`)}}})
	a := ask(t, r, streaming(plain))
	want := "message_start content_block_start ping content_block_delta content_block_stop content_block_start ping content_block_delta " +
		"content_block_stop content_block_start ping content_block_delta content_block_stop message_delta message_stop"
	if got := strings.Join(names(t, a.body), " "); got != want || a.status != 200 || !strings.HasPrefix(a.header.Get("Content-Type"), "text/event-stream") {
		t.Errorf("got %d %s", a.status, got)
	}
	for _, part := range []string{`"stop_reason":"tool_use"`, `"partial_json":"{\"a\": 1}"`, `"text":"hello"`, `"thinking":"hm"`, `"output_tokens"`, `"model":"m"`} {
		if !strings.Contains(a.body, part) {
			t.Errorf("the stream lacks %s", part)
		}
	}
}

func TestWhole(t *testing.T) {
	r := start(t, modelfake.Turn{Text: "hello", Calls: []modelfake.Call{{Tool: "Read", Input: json.RawMessage(`{"a":1}`)}}}, modelfake.Turn{Text: "end"})
	var m struct {
		Type, Model string
		Content     []struct{ Type, Text, ID, Name string }
		Stop        string `json:"stop_reason"`
		Usage       struct {
			Input  int `json:"input_tokens"`
			Output int `json:"output_tokens"`
		}
	}
	a := ask(t, r, plain)
	if err := json.Unmarshal([]byte(a.body), &m); err != nil || m.Type != "message" || m.Model != "m" || len(m.Content) != 2 ||
		m.Content[1].ID != "toolu_0001_0001" || m.Stop != "tool_use" || m.Usage.Input == 0 || m.Usage.Output == 0 {
		t.Errorf("got %s, %v", a.body, err)
	}
	if a := ask(t, r, plain); !strings.Contains(a.body, `"end_turn"`) {
		t.Errorf("got %s", a.body)
	}
	if a := ask(t, r, plain); a.status != 400 || !strings.Contains(a.body, "the script has ended") {
		t.Errorf("after the end: %d %s", a.status, a.body)
	}
	if played, turns := r.Played(); played != 2 || turns != 2 || len(r.Requests()) != 3 {
		t.Errorf("played %d of %d, %d requests", played, turns, len(r.Requests()))
	}
}

func TestRefusals(t *testing.T) {
	r := start(t, modelfake.Turn{Text: "x"}, modelfake.Turn{Text: "x"})
	set := func(name, v string) func(*http.Request) { return func(q *http.Request) { q.Header.Set(name, v) } }
	bearer := func(q *http.Request) { q.Header.Del("X-Api-Key"); q.Header.Set("Authorization", "Bearer "+key) }
	for _, c := range []struct {
		name, body string
		change     func(*http.Request)
		want       int
	}{
		{"key", plain, func(*http.Request) {}, 200},
		{"bearer with the beta", plain, func(q *http.Request) { bearer(q); q.Header.Set("Anthropic-Beta", "x, oauth-2025-04-20") }, 200},
		{"bearer without the beta", plain, bearer, 401},
		{"wrong key", plain, set("X-Api-Key", key+"x"), 401},
		{"no key", plain, func(q *http.Request) { q.Header.Del("X-Api-Key") }, 401},
		{"two credentials", plain, set("Authorization", "Bearer "+key), 401},
		{"no version", plain, func(q *http.Request) { q.Header.Del("Anthropic-Version") }, 400},
		{"another path", plain, func(q *http.Request) { q.URL.Path = "/v1/messages/batches" }, 404},
		{"another method", plain, func(q *http.Request) { q.Method = "PUT" }, 405},
		{"no JSON", "x", func(*http.Request) {}, 400},
		{"no model", strings.Replace(plain, `"m"`, `""`, 1), func(*http.Request) {}, 400},
		{"no max_tokens", strings.Replace(plain, `10`, `0`, 1), func(*http.Request) {}, 400},
		{"no messages", strings.Replace(plain, `{"role":"user","content":"hi"}`, ``, 1), func(*http.Request) {}, 400},
		{"assistant first", strings.Replace(plain, `user`, `assistant`, 1), func(*http.Request) {}, 400},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := ask(t, r, c.body, c.change)
			if a.status != c.want || (c.want != 200) != strings.HasPrefix(a.body, `{"error":{`) {
				t.Errorf("got %d %s", a.status, a.body)
			}
			all := r.Requests()
			if last := all[len(all)-1]; last.Status != c.want || (last.Turn >= 0) != (c.want == 200) {
				t.Errorf("recorded %d, turn %d", last.Status, last.Turn)
			}
		})
	}
}

func TestFaults(t *testing.T) {
	for _, f := range modelfake.Faults() {
		for _, body := range []string{plain, streaming(plain)} {
			t.Run(string(f), func(t *testing.T) {
				r := start(t, modelfake.Turn{Text: "hello", Fault: f})
				if f == modelfake.FaultHang {
					ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
					defer cancel()
					a := ask(t, r, body, func(q *http.Request) { *q = *q.WithContext(ctx) })
					if !errors.Is(a.err, context.DeadlineExceeded) {
						t.Errorf("got %d %v", a.status, a.err)
					}
					return
				}
				judgeFault(t, f, ask(t, r, body), body != plain)
			})
		}
	}
}

func judgeFault(t *testing.T, f modelfake.Fault, a answered, stream bool) {
	t.Helper()
	whole := a.status == 200 && a.err == nil && strings.Contains(a.body, `"end_turn"`)
	ok := false
	switch f {
	case modelfake.FaultSlow:
		ok = whole && strings.Contains(a.body, "hello")
	case modelfake.FaultCut:
		ok = a.status == 200 && a.err != nil && !whole
	case modelfake.FaultRateLimit:
		ok = a.status == 429 && a.header.Get("Retry-After") == "0"
	case modelfake.FaultOverloaded:
		ok = a.status == 529
	case modelfake.FaultMalformed:
		ok = a.status == 200 && !json.Valid([]byte(a.body)) && !strings.Contains(a.body, "message_stop")
	case modelfake.FaultWrongModel:
		ok = whole && strings.Contains(a.body, "claude-other-1")
	case modelfake.FaultHuge:
		ok = whole && strings.Count(a.body, "A") >= 200_000
		if stream {
			names(t, a.body)
		}
	case modelfake.FaultContentType:
		ok = a.status == 200 && a.header.Get("Content-Type") == "text/html"
	case modelfake.FaultRedirect:
		ok = a.status == 307 && a.header.Get("Location") != ""
	case modelfake.FaultNoUsage:
		ok = whole && !strings.Contains(a.body, "_tokens")
	}
	if !ok {
		t.Errorf("got %d %.300q, %v", a.status, a.body, a.err)
	}
}

func TestResults(t *testing.T) {
	r := start(t, modelfake.Turn{Calls: []modelfake.Call{{Tool: "Read", Input: json.RawMessage(`{}`)}, {Tool: "Grep", Input: json.RawMessage(`{}`)}, {Tool: "Glob", Input: json.RawMessage(`{}`)}}}, modelfake.Turn{Text: "end"})
	ask(t, r, plain)
	ask(t, r, strings.Replace(plain, `]}`, `,{"role":"assistant","content":[]},{"role":"user","content":[
{"type":"tool_result","tool_use_id":"toolu_0001_0002","is_error":true,"content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]},
{"type":"tool_result","tool_use_id":"toolu_0001_0001","content":"text"},{"type":"tool_result","tool_use_id":"other","content":"x"}]}]}`, 1))
	got := r.Results()
	if len(got) != 2 || got[0].Tool != "Read" || got[0].Text != "text" || got[0].IsError || got[1].Tool != "Grep" || got[1].Text != "ab" || !got[1].IsError {
		t.Errorf("got %+v", got)
	}
}

func TestReadScript(t *testing.T) {
	turn := `{"text":"a","calls":[{"tool":"Read","input":{"x":1}}]}`
	for _, in := range []string{`{"turns":[` + turn + `,` + turn + `]}`, turn + "\n" + turn, "\n" + turn + "\r\n\n" + turn + "\n"} {
		s, err := modelfake.ReadScript(strings.NewReader(in))
		if err != nil || len(s.Turns) != 2 || s.Turns[1].Calls[0].Tool != "Read" {
			t.Errorf("%q: got %+v, %v", in, s, err)
		}
	}
	for _, in := range []string{
		"", "{}", `{"turns":[]}`, `{"turns":[{}]}`, `{"text":"a","falt":"429"}`, `{"fault":"x"}`, `{"calls":[{"tool":"","input":{}}]}`, `{"calls":[{"tool":"Read"}]}`,
		`{"calls":[{"tool":"Read","input":[]}]}`, `{"calls":[{"tool":"Read","input":null}]}`, turn + turn, `{"turns":[` + turn + `]}` + turn, "[1]",
		strings.Repeat(" ", modelfake.MaxScriptBytes) + turn,
	} {
		if _, err := modelfake.ReadScript(strings.NewReader(in)); !errors.Is(err, modelfake.ErrScript) {
			t.Errorf("%.60q: got %v", in, err)
		}
	}
}

func TestNewRefusesRealKeys(t *testing.T) {
	script := modelfake.Script{Turns: []modelfake.Turn{{Text: "x"}}}
	for _, k := range []string{"", "key", "sk-" + "ant-api03-made-up"} {
		if _, err := modelfake.New(modelfake.Options{Key: k, Script: script}); !errors.Is(err, modelfake.ErrOptions) || strings.Contains(err.Error(), "made-up") {
			t.Errorf("got %v", err)
		}
	}
	if _, err := modelfake.Start(modelfake.Options{Key: key}); !errors.Is(err, modelfake.ErrScript) {
		t.Errorf("got %v", err)
	}
}
