package proxy_test

import (
	"encoding/json"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"selffix/pipeline/proxy"
)

func TestBodies(t *testing.T) {
	r := newRig(t, says(message))
	blocks := func(role, blocks string) string {
		return `{"model":"` + model + `","max_tokens":100,"messages":[{"role":"user","content":"hi"},{"role":"` + role + `","content":[` + blocks + `]}]}`
	}
	top := func(more string) string { return strings.Replace(plainBody, `"max_tokens"`, more+`,"max_tokens"`, 1) }
	tool := func(more string) string {
		return top(`"tools":[{"name":"Read","input_schema":{"type":"object"}` + more + `}]`)
	}
	image := func(source string) string { return blocks("user", `{"type":"image","source":`+source+`}`) }
	for _, c := range []struct {
		name, body string
		reason     proxy.Reason // "": accepted
	}{
		{"plain", plainBody, ""},
		{"text block", blocks("user", `{"type":"text","text":"a"}`), ""},
		{"empty text", blocks("user", `{"type":"text","text":""}`), ""},
		{"tool use", blocks("assistant", `{"type":"tool_use","id":"t1","name":"Read","input":{"A":1,"a":2,"-A":3,"x":{"Url":null}}}`), ""},
		{"tool use by the model", blocks("assistant", `{"type":"tool_use","id":"t1","name":"Read","input":{},"caller":{"type":"direct"}}`), ""},
		{"tool result", blocks("user", `{"type":"tool_result","tool_use_id":"t1","is_error":true,"content":[{"type":"text","text":"a"}]}`), ""},
		{"tool result without content", blocks("user", `{"type":"tool_result","tool_use_id":"t1"}`), ""},
		{"thinking", blocks("assistant", `{"type":"thinking","thinking":"","signature":"s"},{"type":"redacted_thinking","data":"d"}`), ""},
		{"image", image(`{"type":"base64","media_type":"image/png","data":"aGk="}`), ""},
		{"image in a result", blocks("user", `{"type":"tool_result","tool_use_id":"t1","content":[{"type":"image","source":{"type":"base64","media_type":"image/png","data":"aGk="}}]}`), ""},
		{"system message", blocks("system", `{"type":"text","text":"a"}`), ""},
		{"system prompt", top(`"system":"you repair"`), ""},
		{"system blocks", top(`"system":[{"type":"text","text":"a","cache_control":{"type":"ephemeral","ttl":"1h"}}]`), ""},
		{"tool", tool(``), ""},
		{"tool choice", top(`"tool_choice":{"type":"tool","name":"Read"}`), ""},
		{"thinking options", top(`"thinking":{"type":"enabled","budget_tokens":1024}`), ""},
		{"temperature", top(`"temperature":1,"top_p":0.9,"top_k":3,"stop_sequences":["x"]`), ""},

		{"another model", strings.Replace(plainBody, model, "claude-opus-5", 1), proxy.ReasonModel},
		{"model with a suffix", strings.Replace(plainBody, model, model+"[1m]", 1), proxy.ReasonModel},
		{"no model", strings.Replace(plainBody, `"model":"`+model+`",`, "", 1), proxy.ReasonModel},
		{"empty", "", proxy.ReasonBody},
		{"no JSON", "hello", proxy.ReasonBody},
		{"a list", "[" + plainBody + "]", proxy.ReasonBody},
		{"two values", plainBody + plainBody, proxy.ReasonBody},
		{"cut", plainBody[:len(plainBody)-1], proxy.ReasonBody},
		{"broken UTF-8", strings.Replace(plainBody, "hi", "\xff", 1), proxy.ReasonBody},
		{"unknown key", top(`"x":1`), proxy.ReasonBody},
		{"key twice", top(`"model":"claude-opus-5"`), proxy.ReasonBody},
		{"key in capitals", top(`"Model":"claude-opus-5"`), proxy.ReasonBody},
		{"key folded", top(`"meta\u0064ata":{}`), proxy.ReasonBody},
		{"key twice in an input", blocks("assistant", `{"type":"tool_use","id":"t1","name":"Read","input":{"a":1,"\u0061":2}}`), proxy.ReasonBody},
		{"key twice in a block", blocks("user", `{"type":"text","type":"image","text":"a"}`), proxy.ReasonBody},
		{"too deep", blocks("assistant", `{"type":"tool_use","id":"t1","name":"Read","input":`+strings.Repeat(`{"a":`, 100)+`1`+strings.Repeat(`}`, 100)+`}`), proxy.ReasonBody},
		{"MCP servers", top(`"mcp_servers":[{"type":"url","url":"https://evil.example","name":"x"}]`), proxy.ReasonBody},
		{"MCP toolset", top(`"tools":[{"type":"mcp_toolset","mcp_server_name":"x"}]`), proxy.ReasonBody},
		{"container", top(`"container":"c_1"`), proxy.ReasonBody},
		{"service tier", top(`"service_tier":"priority"`), proxy.ReasonBody},
		{"fast mode", top(`"speed":"fast"`), proxy.ReasonBody},
		{"geography", top(`"inference_geo":"us"`), proxy.ReasonBody},
		{"top-level cache control", top(`"cache_control":{"type":"ephemeral"}`), proxy.ReasonBody},
		{"web search", top(`"tools":[{"type":"web_search_20250305","name":"web_search"}]`), proxy.ReasonBody},
		{"web fetch", top(`"tools":[{"type":"web_fetch_20250910","name":"web_fetch","input_schema":{}}]`), proxy.ReasonBody},
		{"code execution", top(`"tools":[{"type":"code_execution_20250825","name":"code_execution"}]`), proxy.ReasonBody},
		{"tool with any type", tool(`,"type":"custom"`), proxy.ReasonBody},
		{"tool with callers", tool(`,"allowed_callers":["code_execution_20250825"]`), proxy.ReasonBody},
		{"tool without a schema", top(`"tools":[{"name":"Read"}]`), proxy.ReasonBody},
		{"tool with a schema that is none", top(`"tools":[{"name":"Read","input_schema":"x"}]`), proxy.ReasonBody},
		{"tool without a name", top(`"tools":[{"input_schema":{}}]`), proxy.ReasonBody},
		{"too many tools", top(`"tools":[` + strings.Repeat(`{"name":"Read","input_schema":{}},`, 64) + `{"name":"Read","input_schema":{}}]`), proxy.ReasonBody},
		{"image by URL", image(`{"type":"url","url":"https://evil.example/?d=x"}`), proxy.ReasonBody},
		{"image by file", image(`{"type":"file","file_id":"file_1"}`), proxy.ReasonBody},
		{"image with a URL beside", image(`{"type":"base64","media_type":"image/png","data":"aGk=","url":"https://evil.example"}`), proxy.ReasonBody},
		{"image of another type", image(`{"type":"base64","media_type":"image/svg+xml","data":"aGk="}`), proxy.ReasonBody},
		{"image that is no base64", image(`{"type":"base64","media_type":"image/png","data":"a b"}`), proxy.ReasonBody},
		{"image without data", image(`{"type":"base64","media_type":"image/png","data":""}`), proxy.ReasonBody},
		{"image without a source", blocks("user", `{"type":"image"}`), proxy.ReasonBody},
		{"too many images", blocks("user", strings.Repeat(`{"type":"image","source":{"type":"base64","media_type":"image/png","data":"aGk="}},`, 100)+`{"type":"image","source":{"type":"base64","media_type":"image/png","data":"aGk="}}`), proxy.ReasonBody},
		{"document", blocks("user", `{"type":"document","source":{"type":"base64","media_type":"application/pdf","data":"aGk="}}`), proxy.ReasonBody},
		{"document by URL", blocks("user", `{"type":"document","source":{"type":"url","url":"https://evil.example"}}`), proxy.ReasonBody},
		{"document in a result", blocks("user", `{"type":"tool_result","tool_use_id":"t1","content":[{"type":"document","source":{"type":"url","url":"https://evil.example"}}]}`), proxy.ReasonBody},
		{"result in a result", blocks("user", `{"type":"tool_result","tool_use_id":"t1","content":[{"type":"tool_result","tool_use_id":"t2"}]}`), proxy.ReasonBody},
		{"file upload", blocks("user", `{"type":"container_upload","file_id":"file_1"}`), proxy.ReasonBody},
		{"server tool use", blocks("assistant", `{"type":"server_tool_use","id":"t1","name":"web_search","input":{}}`), proxy.ReasonBody},
		{"MCP tool use", blocks("assistant", `{"type":"mcp_tool_use","id":"t1","name":"x","server_name":"y","input":{}}`), proxy.ReasonBody},
		{"search result", blocks("user", `{"type":"search_result","source":"x","title":"y","content":[]}`), proxy.ReasonBody},
		{"citations", blocks("user", `{"type":"text","text":"a","citations":[]}`), proxy.ReasonBody},
		{"tool use by code", blocks("assistant", `{"type":"tool_use","id":"t1","name":"Read","input":{},"caller":{"type":"code_execution_20250825","tool_id":"x"}}`), proxy.ReasonBody},
		{"tool use of a user", blocks("user", `{"type":"tool_use","id":"t1","name":"Read","input":{}}`), proxy.ReasonBody},
		{"tool use without an input", blocks("assistant", `{"type":"tool_use","id":"t1","name":"Read"}`), proxy.ReasonBody},
		{"tool use of a strange name", blocks("assistant", `{"type":"tool_use","id":"t1","name":"Re ad","input":{}}`), proxy.ReasonBody},
		{"tool result of the assistant", blocks("assistant", `{"type":"tool_result","tool_use_id":"t1"}`), proxy.ReasonBody},
		{"tool result without an id", blocks("user", `{"type":"tool_result"}`), proxy.ReasonBody},
		{"thinking of a user", blocks("user", `{"type":"thinking","thinking":"","signature":"s"}`), proxy.ReasonBody},
		{"thinking without a signature", blocks("assistant", `{"type":"thinking","thinking":""}`), proxy.ReasonBody},
		{"image as system", blocks("system", `{"type":"image","source":{"type":"base64","media_type":"image/png","data":"aGk="}}`), proxy.ReasonBody},
		{"field of another block", blocks("user", `{"type":"text","text":"a","data":"x"}`), proxy.ReasonBody},
		{"text without text", blocks("user", `{"type":"text"}`), proxy.ReasonBody},
		{"block without a type", blocks("user", `{"text":"a"}`), proxy.ReasonBody},
		{"content a number", strings.Replace(plainBody, `"hi"`, `1`, 1), proxy.ReasonBody},
		{"content null", strings.Replace(plainBody, `"hi"`, `null`, 1), proxy.ReasonBody},
		{"another role", strings.Replace(plainBody, `"user"`, `"developer"`, 1), proxy.ReasonBody},
		{"no messages", strings.Replace(plainBody, `{"role":"user","content":"hi"}`, "", 1), proxy.ReasonBody},
		{"no max_tokens", strings.Replace(plainBody, `"max_tokens":100,`, "", 1), proxy.ReasonBody},
		{"max_tokens 0", strings.Replace(plainBody, `100`, `0`, 1), proxy.ReasonBody},
		{"max_tokens negative", strings.Replace(plainBody, `100`, `-1`, 1), proxy.ReasonBody},
		{"max_tokens a fraction", strings.Replace(plainBody, `100`, `1.5`, 1), proxy.ReasonBody},
		{"max_tokens beyond int64", strings.Replace(plainBody, `100`, `9223372036854775808`, 1), proxy.ReasonBody},
		{"long cache of another kind", top(`"system":[{"type":"text","text":"a","cache_control":{"type":"ephemeral","ttl":"24h"}}]`), proxy.ReasonBody},
		{"cache of another type", top(`"system":[{"type":"text","text":"a","cache_control":{"type":"global"}}]`), proxy.ReasonBody},
		{"cache with a scope", top(`"system":[{"type":"text","text":"a","cache_control":{"type":"ephemeral","scope":"global"}}]`), proxy.ReasonBody},
		{"effort of another kind", top(`"output_config":{"effort":"endless"}`), proxy.ReasonBody},
		{"output format", top(`"output_config":{"format":{"type":"json_schema"}}`), proxy.ReasonBody},
		{"context edit", top(`"context_management":{"edits":[{"type":"clear_tool_uses_20250919"}]}`), proxy.ReasonBody},
		{"context edit with more", top(`"context_management":{"edits":[{"type":"clear_thinking_20251015","keep":{"type":"x","value":1}}]}`), proxy.ReasonBody},
		{"long user id", top(`"metadata":{"user_id":"` + strings.Repeat("x", 513) + `"}`), proxy.ReasonBody},
		{"metadata with more", top(`"metadata":{"x":1}`), proxy.ReasonBody},
		{"thinking of another kind", top(`"thinking":{"type":"always"}`), proxy.ReasonBody},
		{"tool choice of another kind", top(`"tool_choice":{"type":"server"}`), proxy.ReasonBody},
		{"stream a text", top(`"stream":"true"`), proxy.ReasonBody},
		{"many stop sequences", top(`"stop_sequences":["a","a","a","a","a","a","a","a","a"]`), proxy.ReasonBody},
	} {
		t.Run(c.name, func(t *testing.T) {
			before, refused := len(r.requests()), r.proxy.Meter().Refusals[c.reason]
			a := r.ask(t, c.body)
			sent := len(r.requests()) - before
			if c.reason == "" {
				if a.status != 200 || sent != 1 {
					t.Fatalf("got %d %s", a.status, a.body)
				}
				return
			}
			if a.status != http.StatusBadRequest || sent != 0 || a.kind() != "invalid_request_error" {
				t.Fatalf("got %d %s, %d sent", a.status, a.body, sent)
			}
			if got := r.proxy.Meter().Refusals[c.reason]; got != refused+1 {
				t.Errorf("refusals: %v", r.proxy.Meter().Refusals)
			}
		})
	}
}

// What the real agent sends passes whole: it arrives with the same meaning, but for what costs more.
func TestRealRequests(t *testing.T) {
	for _, c := range []struct {
		file  string
		betas []string // of the policy
		drop  bool     // fields that only betas bring
	}{
		{"everyday", nil, false},
		{"experimental", nil, true},
		{"experimental", []string{"effort-2025-11-24", "context-management-2025-06-27", "per-turn-control-2026-07-01"}, false},
	} {
		t.Run(c.file, func(t *testing.T) {
			r := newRig(t, streams(goodEvents()...), func(o *proxy.Options) {
				if c.betas != nil {
					o.Policy.Agent.Betas = c.betas
				}
			})
			raw, err := os.ReadFile("testdata/claude-code-2.1.328-" + c.file + ".json")
			if err != nil {
				t.Fatal(err)
			}
			a := r.ask(t, string(raw), header("Anthropic-Beta", "claude-code-20250219,oauth-2025-04-20,interleaved-thinking-2025-05-14,context-management-2025-06-27,per-turn-control-2026-07-01,thinking-token-count-2026-05-13,effort-2025-11-24,extended-cache-ttl-2025-04-11"))
			if a.status != 200 {
				t.Fatalf("got %d %s", a.status, a.body)
			}
			var sent, want any
			if err := json.Unmarshal([]byte(r.requests()[0].body), &sent); err != nil {
				t.Fatal(err)
			}
			if err := json.Unmarshal(raw, &want); err != nil {
				t.Fatal(err)
			}
			m := want.(map[string]any)
			m["max_tokens"] = float64(32000)
			delete(m["thinking"].(map[string]any), "display")
			removeKey(want, "ttl")
			if c.drop {
				delete(m, "context_management")
				for _, x := range m["messages"].([]any) {
					delete(x.(map[string]any), "output_config")
				}
			}
			if diff := cmp.Diff(want, sent); diff != "" {
				t.Error(diff)
			}
			if strings.Contains(r.requests()[0].body, `\u003c`) {
				t.Error("angle brackets are escaped: each would cost six bytes")
			}
		})
	}
}

func removeKey(v any, key string) {
	switch v := v.(type) {
	case map[string]any:
		delete(v, key)
		for _, x := range v {
			removeKey(x, key)
		}
	case []any:
		for _, x := range v {
			removeKey(x, key)
		}
	}
}

func TestBodySize(t *testing.T) {
	r := newRig(t, says(message), func(o *proxy.Options) { o.Limits.BodyBytes = 1000 })
	long := strings.Replace(plainBody, "hi", strings.Repeat("x", 1000), 1)
	chunked := func(q *http.Request) { q.ContentLength = -1 }
	for _, change := range []func(*http.Request){func(*http.Request) {}, chunked} {
		if a := r.ask(t, long, change); a.status != 413 {
			t.Errorf("got %d %s", a.status, a.body)
		}
	}
	if a := r.ask(t, plainBody, chunked); a.status != 200 {
		t.Errorf("got %d %s", a.status, a.body)
	}
	if n := len(r.requests()); n != 1 {
		t.Errorf("%d requests were sent", n)
	}
}
