package proxy_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"selffix/pipeline/proxy"
)

// event writes one event as the service does.
func event(name, data string) string { return fmt.Sprintf("event: %s\ndata: %s\n\n", name, data) }

const (
	startData = `{"type":"message_start","message":{"id":"msg_1","type":"message","role":"assistant","model":"claude-sonnet-5-5","content":[],"usage":{"input_tokens":10,"output_tokens":1}}}`
	blockData = `{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}`
	helloData = `{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"hello"}}`
	closeData = `{"type":"content_block_stop","index":0}`
	deltaData = `{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":5}}`
	stopData  = `{"type":"message_stop"}`
)

func goodEvents() []string {
	return []string{
		event("message_start", startData), event("ping", `{"type": "ping"}`), event("content_block_start", blockData),
		event("content_block_delta", helloData), event("content_block_stop", closeData), event("message_delta", deltaData),
		event("message_stop", stopData),
	}
}

// streams answers with events, each flushed.
func streams(events ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
		for _, e := range events {
			if _, err := io.WriteString(w, e); err != nil {
				return
			}
			w.(http.Flusher).Flush()
		}
	}
}

// with replaces the i-th of the good events.
func with(i int, e string) []string {
	events := goodEvents()
	events[i] = e
	return events
}

func TestStream(t *testing.T) {
	r := newRig(t, streams(goodEvents()...))
	a := r.ask(t, askStream)
	if want := strings.Join(goodEvents(), ""); a.status != 200 || a.body != want || a.err != nil {
		t.Errorf("got %d %q %v", a.status, a.body, a.err)
	}
	if got := a.header.Get("Content-Type"); got != "text/event-stream" {
		t.Errorf("content type %q", got)
	}
	if m := r.settled(t); m.Settled != 1 || m.Kept != 0 || m.InputTokens != 10 || m.OutputTokens != 5 {
		t.Errorf("meter %+v", m)
	}
}

// Each event reaches the client before the host sends the next one.
func TestStreamIsFlushed(t *testing.T) {
	next := make(chan struct{}, len(goodEvents())) // the host may be gone after the last one
	r := newRig(t, func(w http.ResponseWriter, q *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		for _, e := range goodEvents() {
			_, _ = io.WriteString(w, e)
			w.(http.Flusher).Flush()
			select {
			case <-next:
			case <-q.Context().Done():
				return
			}
		}
	})
	q, err := http.NewRequestWithContext(t.Context(), http.MethodPost, r.url+"/v1/messages?beta=true", strings.NewReader(askStream))
	if err != nil {
		t.Fatal(err)
	}
	q.Header.Set("Content-Type", "application/json")
	q.Header.Set("X-Api-Key", runKey)
	a, err := (&http.Client{Timeout: 30 * time.Second}).Do(q)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Body.Close()
	for _, e := range goodEvents() {
		got := make([]byte, len(e))
		if _, err := io.ReadFull(a.Body, got); err != nil || string(got) != e {
			t.Fatalf("got %q, %v", got, err)
		}
		next <- struct{}{}
	}
}

// An event goes on although the next one has begun to come.
func TestStreamIsFlushedWithinAnEvent(t *testing.T) {
	release := make(chan struct{})
	all := strings.Join(goodEvents(), "")
	half := len(all) / 2
	r := newRig(t, func(w http.ResponseWriter, q *http.Request) {
		streams(all[:half])(w, q)
		select {
		case <-release:
		case <-q.Context().Done():
			return
		}
		streams(all[half:])(w, q)
	})
	q, err := http.NewRequestWithContext(t.Context(), http.MethodPost, r.url+"/v1/messages", strings.NewReader(askStream))
	if err != nil {
		t.Fatal(err)
	}
	q.Header.Set("Content-Type", "application/json")
	q.Header.Set("X-Api-Key", runKey)
	a, err := (&http.Client{Timeout: 30 * time.Second}).Do(q)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Body.Close()
	got := make([]byte, strings.LastIndex(all[:half], "\n\n")+2)
	if _, err := io.ReadFull(a.Body, got); err != nil || string(got) != all[:len(got)] {
		t.Fatalf("got %q, %v", got, err)
	}
	close(release)
	rest, err := io.ReadAll(a.Body)
	if err != nil || string(rest) != all[len(got):] {
		t.Errorf("got %q, %v", rest, err)
	}
}

func TestStreamsThatAreRefused(t *testing.T) {
	long := strings.Repeat("x", 3000)
	for _, c := range []struct {
		name   string
		events []string
		reason proxy.Reason
	}{
		{"no JSON", with(3, event("content_block_delta", `{"type":"content_block_delta"`)), proxy.ReasonAnswer},
		{"no JSON at first", with(0, event("message_start", `{`)), proxy.ReasonAnswer},
		{"no event name", with(3, "data: "+helloData+"\n\n"), proxy.ReasonAnswer},
		{"no data", with(3, "event: content_block_delta\n\n"), proxy.ReasonAnswer},
		{"data twice", with(3, "event: content_block_delta\ndata: "+helloData+"\ndata: "+helloData+"\n\n"), proxy.ReasonAnswer},
		{"name twice", with(3, "event: message_stop\nevent: content_block_delta\ndata: "+helloData+"\n\n"), proxy.ReasonAnswer},
		{"an unknown field", with(3, "<!doctype html>\n\n"), proxy.ReasonAnswer},
		{"name and type differ", with(3, event("content_block_delta", stopData)), proxy.ReasonAnswer},
		{"type twice", with(3, event("content_block_delta", `{"type":"content_block_delta","type":"message_stop"}`)), proxy.ReasonAnswer},
		{"start differs", with(0, event("message_start", strings.Replace(startData, "message_start", "x", 1))), proxy.ReasonAnswer},
		{"stop differs", with(6, event("message_stop", `{"type":"ping"}`)), proxy.ReasonAnswer},
		{"no start", goodEvents()[2:], proxy.ReasonAnswer},
		{"start twice", with(2, event("message_start", startData)), proxy.ReasonAnswer},
		{"text after the last delta", append(goodEvents()[:6], goodEvents()[3]), proxy.ReasonAnswer},
		{"stop without a delta", append(goodEvents()[:5], goodEvents()[6]), proxy.ReasonAnswer},
		{"a block of the service", with(2, event("content_block_start", `{"type":"content_block_start","content_block":{"type":"server_tool_use"}}`)), proxy.ReasonAnswer},
		{"another model", with(0, event("message_start", strings.Replace(startData, model, "claude-opus-5", 1))), proxy.ReasonAnother},
		{"no model", with(0, event("message_start", `{"type":"message_start","message":{}}`)), proxy.ReasonAnother},
		{"the token in a text", with(3, event("content_block_delta", strings.Replace(helloData, "hello", fakeToken, 1))), proxy.ReasonLeak},
		{"the token escaped", with(3, event("content_block_delta", strings.Replace(helloData, "hello", escapedToken, 1))), proxy.ReasonLeak},
		{"a usage twice", with(5, event("message_delta", strings.Replace(deltaData, `"output_tokens":5`, `"output_tokens":900,"output_tokens":1`, 1))), proxy.ReasonAnswer},
		{"a usage in capitals", with(5, event("message_delta", strings.Replace(deltaData, `"output_tokens":5`, `"output_tokens":900,"OUTPUT_TOKENS":1`, 1))), proxy.ReasonAnswer},
		{"a first usage twice", with(0, event("message_start", strings.Replace(startData, `"input_tokens":10`, `"input_tokens":900,"input_tokens":10`, 1))), proxy.ReasonAnswer},
		{"a block's type in capitals", with(2, event("content_block_start", strings.Replace(blockData, `"type":"text"`, `"type":"server_tool_use","Type":"text"`, 1))), proxy.ReasonAnswer},
		{"the token as model", with(0, event("message_start", strings.Replace(startData, model, fakeToken, 1))), proxy.ReasonLeak},
		{"an error", with(3, event("error", `{"type":"error","error":{"type":"overloaded_error","message":"x"}}`)), proxy.ReasonHost},
		{"a long event", with(3, event("content_block_delta", strings.Replace(helloData, "hello", strings.Repeat("x", 200_000), 1))), proxy.ReasonTooLong},
		{"a long line without an end", with(3, strings.Repeat("x", 200_000)), proxy.ReasonTooLong},
		{"a long answer", append(goodEvents()[:3], strings.Repeat(event("content_block_delta", strings.Replace(helloData, "hello", long, 1)), 200)), proxy.ReasonTooLong},
		{"only comments", append(goodEvents()[:3], strings.Repeat(": "+long+"\n", 200)), proxy.ReasonTooLong},
		{"ends early", goodEvents()[:4], proxy.ReasonCut},
		{"ends before the stop", goodEvents()[:6], proxy.ReasonCut},
		{"ends in an event", append(goodEvents()[:3], "event: content_block_delta\ndata: "), proxy.ReasonCut},
		{"empty", nil, proxy.ReasonCut},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newRig(t, streams(c.events...), func(o *proxy.Options) {
				o.Limits.EventBytes, o.Limits.AnswerBytes = 100_000, 500_000
			})
			a := r.ask(t, askStream)
			m := r.settled(t)
			if m.Kept != 1 || m.Settled != 0 || m.Refusals[c.reason] != 1 || len(m.Refusals) != 1 {
				t.Errorf("meter %+v", m)
			}
			if strings.Contains(a.body, fakeToken) {
				t.Error("the token came through")
			}
			if a.status != 200 { // nothing was passed on yet
				if a.status != http.StatusBadGateway || a.kind() != "api_error" {
					t.Errorf("got %d %s", a.status, a.body)
				}
				return
			}
			last := a.body[strings.LastIndex(strings.TrimSuffix(a.body, "\n\n"), "\n\n")+2:]
			if !strings.HasPrefix(last, "event: error\ndata: {\"type\":\"error\"") || strings.Contains(a.body, "event: message_stop") {
				t.Errorf("the stream ends in %.300q", last)
			}
		})
	}
}

func TestStreamsThatPass(t *testing.T) {
	for _, c := range []struct {
		name   string
		events []string
		want   []string
	}{
		{"an unknown event is left out", with(1, event("new_event", `{"type":"new_event"}`)), append(goodEvents()[:1], goodEvents()[2:]...)},
		{"comments and other fields are left out", with(1, ": hello\nid: 3\nretry: 5\nevent: ping\ndata: {\"type\":\"ping\"}\n\n"), with(1, event("ping", `{"type":"ping"}`))},
		{"carriage returns", with(1, "event: ping\r\ndata: {\"type\":\"ping\"}\r\n\r\n"), with(1, event("ping", `{"type":"ping"}`))},
		{"no space after the colon", with(1, "event:ping\ndata:{\"type\":\"ping\"}\n\n"), with(1, event("ping", `{"type":"ping"}`))},
		{"type last", with(3, event("content_block_delta", `{"index":0,"type":"content_block_delta"}`)), with(3, event("content_block_delta", `{"index":0,"type":"content_block_delta"}`))},
		{"a dated model", with(0, event("message_start", strings.Replace(startData, model, model+"-20260101", 1))), with(0, event("message_start", strings.Replace(startData, model, model+"-20260101", 1)))},
		{"what follows the stop is left out", append(goodEvents(), event("ping", `{"type":"ping"}`)), goodEvents()},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newRig(t, streams(c.events...))
			a := r.ask(t, askStream)
			if want := strings.Join(c.want, ""); a.status != 200 || a.body != want {
				t.Errorf("got %d\n%s\nwant\n%s", a.status, a.body, want)
			}
			if m := r.settled(t); m.Settled != 1 || len(m.Refusals) != 0 {
				t.Errorf("meter %+v", m)
			}
		})
	}
}
