package proxy

import (
	"bytes"
	"encoding/json"
	"os"
	"testing"
)

// Whatever passes the scanner must be taken apart without a panic, and what is sent must be valid JSON of the same model.
func FuzzRequest(f *testing.F) {
	for _, name := range []string{"everyday", "experimental"} {
		raw, err := os.ReadFile("testdata/claude-code-2.1.328-" + name + ".json")
		if err != nil {
			f.Fatal(err)
		}
		f.Add(raw)
	}
	for _, s := range []string{
		`{}`, ` { "model" : "m" , "max_tokens" : 1 , "messages" : [ { "role" : "user" , "content" : [ ] } ] } `,
		`{"model":"m","max_tokens":1,"messages":[{"role":"user","content":"\"\\\u00e9"}]}`, `{"messages":{}}`, `{"messages":[1]}`, `{"model":1}`,
		`{"model":"m","max_tokens":1e2,"messages":[{"role":"user","content":null}]}`, `{"tools":[{"name":"x","input_schema":{"a":{"b":[]}}}]}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		r, no := parseRequest(body, "m")
		if no != nil {
			return
		}
		raw, err := r.encode(10, nil, 0)
		var sent struct {
			Model     string `json:"model"`
			MaxTokens int64  `json:"max_tokens"`
		}
		if err != nil || json.Unmarshal(raw, &sent) != nil || sent.Model != "m" || sent.MaxTokens < 1 || sent.MaxTokens > 10 {
			t.Errorf("%q was sent as %q, %v", body, raw, err)
		}
		again, no := parseRequest(raw, "m")
		if no != nil {
			t.Fatalf("%q was sent as %q, which is refused: %v", body, raw, no)
		}
		if second, err := again.encode(10, nil, 0); err != nil || !bytes.Equal(raw, second) {
			t.Errorf("%q was sent as %q, and that as %q, %v", body, raw, second, err)
		}
	})
}
