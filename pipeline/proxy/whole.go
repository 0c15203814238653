package proxy

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"

	"selffix/internal/lazyregexp"
	"selffix/internal/strictjson"
)

// wireUsage is the host's usage record. Pointers tell a zero from a missing field.
type wireUsage struct {
	Input         *int64 `json:"input_tokens"`
	CacheCreation *int64 `json:"cache_creation_input_tokens"`
	CacheRead     *int64 `json:"cache_read_input_tokens"`
	Output        *int64 `json:"output_tokens"`
}

// maxUsage is more tokens than any request can take. A record beyond it is no record.
const maxUsage = 1 << 30

// merge takes what a later record says: its figures are totals, and none may go down.
func (u *wireUsage) merge(later wireUsage) {
	for _, f := range []struct {
		have **int64
		say  *int64
	}{{&u.Input, later.Input}, {&u.CacheCreation, later.CacheCreation}, {&u.CacheRead, later.CacheRead}, {&u.Output, later.Output}} {
		if f.say != nil && (*f.have == nil || **f.have < *f.say) {
			*f.have = f.say
		}
	}
}

// complete returns the record if it says how much went in and came out.
func (u *wireUsage) complete() (Usage, bool) {
	if u.Input == nil || u.Output == nil {
		return Usage{}, false
	}
	out := Usage{Input: *u.Input, Output: *u.Output}
	if u.CacheCreation != nil {
		out.CacheCreation = *u.CacheCreation
	}
	if u.CacheRead != nil {
		out.CacheRead = *u.CacheRead
	}
	for _, n := range []int64{out.Input, out.CacheCreation, out.CacheRead, out.Output} {
		if n < 0 || n > maxUsage {
			return Usage{}, false
		}
	}
	return out, out.Input+out.CacheCreation+out.CacheRead > 0
}

var modelDate = lazyregexp.New(`^-[0-9]{8}$`)

// sameModel allows the host to answer with the dated name of the model that was asked for.
func sameModel(want, got string) bool {
	rest, ok := strings.CutPrefix(got, want)
	return ok && (rest == "" || modelDate.MatchString(rest))
}

// answerTypes lists the blocks of which an answer may consist. Others come from tools of the service,
// which no request can have asked for.
func answerTypes() []string { return []string{"text", "tool_use", "thinking", "redacted_thinking"} }

// passWhole reads an answer that is not streamed, judges it and passes it on.
func (x *exchange) passWhole(ctx context.Context, answer *http.Response, from io.Reader) *refusal {
	if !isType(answer.Header, "application/json") {
		return refuse(ReasonAnswer, "the host's answer is not application/json")
	}
	raw, err := io.ReadAll(from)
	if err != nil {
		return readRefusal(ctx, err)
	}
	if x.proxy.leaks(raw) {
		return refuse(ReasonLeak, "the host's answer holds the model token")
	}
	var m answered
	if m.read(raw) != nil || m.kind != "message" {
		return refuse(ReasonAnswer, "the host's answer is no message")
	}
	if no := x.judgeStart(m.model); no != nil {
		return no
	}
	if m.foreign != nil {
		return refuse(ReasonAnswer, "the host's answer has a block of the type %.40q", *m.foreign)
	}
	if u, ok := m.usage.complete(); ok {
		x.held.settle(u)
	}
	x.begin(answer, "application/json")
	if _, err := x.w.Write(raw); err != nil {
		return refuse(ReasonHungUp, "the client went away")
	}
	return nil
}

// answered is what is judged of an answer that is not streamed.
type answered struct {
	kind, model string
	foreign     *string // the type of the last block that is none of answerTypes
	usage       wireUsage
}

func (m *answered) read(raw []byte) error {
	if err := strictjson.Scan(raw, strictjson.Object, "input"); err != nil {
		return err
	}
	return members(raw, func(key string, v []byte) error {
		switch key {
		case "type":
			return text(v, &m.kind)
		case "model":
			return text(v, &m.model)
		case "usage":
			return json.Unmarshal(v, &m.usage)
		case "content":
			return elements(v, maxBlocks, m.block)
		}
		return nil
	})
}

func (m *answered) block(raw []byte) error {
	var b struct {
		Type string `json:"type"`
	}
	if err := json.Unmarshal(raw, &b); err != nil {
		return err
	}
	if !contains(answerTypes(), b.Type) {
		m.foreign = &b.Type
	}
	return nil
}

func (x *exchange) judgeStart(model string) *refusal {
	if want := x.proxy.policy.Agent.Model; !sameModel(want, model) {
		return refuse(ReasonAnother, "the host answered as %.60q, and %q was asked for", model, want)
	}
	return nil
}

// begin writes status and headers of an answer.
func (x *exchange) begin(answer *http.Response, contentType string) {
	x.begun = true
	answerHeader(x.w.Header(), answer.Header)
	x.w.Header().Set("Content-Type", contentType)
	x.w.WriteHeader(http.StatusOK)
}
