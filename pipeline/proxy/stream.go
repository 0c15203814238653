package proxy

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"slices"

	"selffix/internal/strictjson"
)

// phase is how far a stream has come.
type phase int

const (
	phaseBefore phase = iota // message_start is due
	phaseWithin
	phaseLast // message_delta came: only message_stop is due
	phaseDone
)

// stream judges the events of one answer.
type stream struct {
	x     *exchange
	phase phase
	usage wireUsage
	spare []byte // for validJSON
}

// passStream passes an answer on event by event.
func (x *exchange) passStream(ctx context.Context, answer *http.Response, from io.Reader) *refusal {
	if !isType(answer.Header, "text/event-stream") {
		return refuse(ReasonAnswer, "the host's answer is not text/event-stream")
	}
	on := onward{from: from, out: bufio.NewWriterSize(x.w, readBuffer), w: x.w}
	in := events{from: bufio.NewReaderSize(on, readBuffer), most: x.proxy.limits.EventBytes}
	s := stream{x: x}
	no := s.pass(ctx, answer, &in, on.out)
	if x.begun { // else the client can still be given a status
		if err := on.flush(); no == nil && err != nil {
			no = refuse(ReasonHungUp, "%v", errHungUp)
		}
	}
	if no != nil {
		return no
	}
	if u, ok := s.usage.complete(); ok {
		x.held.settle(u)
	}
	return nil
}

// pass judges and writes events until the last one.
func (s *stream) pass(ctx context.Context, answer *http.Response, in *events, out io.Writer) *refusal {
	for s.phase != phaseDone {
		name, data, err := in.next()
		if err != nil {
			return streamRefusal(ctx, err)
		}
		pass, no := s.judge(name, data)
		if no != nil {
			return no
		}
		if !pass {
			continue
		}
		if !s.x.begun {
			s.x.begin(answer, "text/event-stream")
		}
		if err := writeEvent(out, name, data); err != nil {
			return refuse(ReasonHungUp, "%v", errHungUp)
		}
	}
	return nil
}

func streamRefusal(ctx context.Context, err error) *refusal {
	switch {
	case errors.Is(err, errEvent):
		return refuse(ReasonAnswer, "%v", err)
	case errors.Is(err, errHungUp):
		return refuse(ReasonHungUp, "%v", errHungUp)
	}
	return readRefusal(ctx, err)
}

// judge decides whether an event is passed on. Events that this version of the API does not know are left out.
func (s *stream) judge(name string, data []byte) (pass bool, no *refusal) {
	if s.x.proxy.leaks(data) {
		return false, refuse(ReasonLeak, "the host's answer holds the model token")
	}
	if name != "ping" && name != "error" && !s.due(name) {
		return false, refuse(ReasonAnswer, "the host's stream has an event out of order")
	}
	switch name {
	case "message_start":
		return true, s.start(data)
	case "content_block_start":
		return true, s.block(data)
	case "content_block_delta", "content_block_stop", "ping":
		return true, s.typed(name, data)
	case "message_delta":
		return true, s.delta(data)
	case "message_stop":
		s.phase = phaseDone
		return true, s.typed(name, data)
	case "error":
		return false, s.failed(data)
	}
	return false, nil
}

// due reports whether an event may come now.
func (s *stream) due(name string) bool {
	switch name {
	case "message_start":
		return s.phase == phaseBefore
	case "content_block_start", "content_block_delta", "content_block_stop":
		return s.phase == phaseWithin
	case "message_delta":
		return s.phase == phaseWithin || s.phase == phaseLast
	case "message_stop":
		return s.phase == phaseLast
	}
	return true
}

// typed demands that an event's data says the same type as its name: clients go by either.
func (s *stream) typed(name string, data []byte) *refusal {
	var ok bool
	if ok, s.spare = validJSON(data, s.spare); !ok {
		return refuse(ReasonAnswer, "an event of the host's stream holds no JSON")
	}
	if usual(name, data) {
		return nil
	}
	var e struct {
		Type string `json:"type"`
	}
	return decodeEvent(name, data, &e, &e.Type)
}

// usual recognises the form of nearly all events, to spare them a decoder: the type first, and one more in the delta. Within a
// string the quotes would be escaped, so what is counted are keys.
func usual(name string, data []byte) bool {
	rest, ok := bytes.CutPrefix(data, []byte(`{"type":"`+name+`"`))
	return ok && bytes.Count(rest, []byte(`"type"`)) == 1 && bytes.Contains(rest, []byte(`"delta":{"type":"`))
}

// decodeEvent also refuses keys that stand twice or in another case, of which encoding/json takes the last: a usage record, say.
func decodeEvent(name string, data []byte, into any, kind *string) *refusal {
	if strictjson.Scan(data, strictjson.Object, "input") != nil || json.Unmarshal(data, into) != nil || *kind != name {
		return refuse(ReasonAnswer, "an event of the host's stream is not what its name says")
	}
	return nil
}

func (s *stream) start(data []byte) *refusal {
	var e struct {
		Type    string `json:"type"`
		Message struct {
			Model string    `json:"model"`
			Usage wireUsage `json:"usage"`
		} `json:"message"`
	}
	if no := decodeEvent("message_start", data, &e, &e.Type); no != nil {
		return no
	}
	s.phase = phaseWithin
	s.usage.merge(e.Message.Usage)
	s.usage.Output = nil // what it says here is not the end's
	return s.x.judgeStart(e.Message.Model)
}

func (s *stream) block(data []byte) *refusal {
	var e struct {
		Type  string `json:"type"`
		Block struct {
			Type string `json:"type"`
		} `json:"content_block"`
	}
	if no := decodeEvent("content_block_start", data, &e, &e.Type); no != nil {
		return no
	}
	if !contains(answerTypes(), e.Block.Type) {
		return refuse(ReasonAnswer, "the host's answer has a block of the type %.40q", e.Block.Type)
	}
	return nil
}

func (s *stream) delta(data []byte) *refusal {
	var e struct {
		Type  string    `json:"type"`
		Usage wireUsage `json:"usage"`
	}
	if no := decodeEvent("message_delta", data, &e, &e.Type); no != nil {
		return no
	}
	s.phase = phaseLast
	s.usage.merge(e.Usage)
	return nil
}

// failed passes on an error that the host met within its stream.
func (s *stream) failed(data []byte) *refusal {
	var e struct {
		Error struct {
			Type string `json:"type"`
		} `json:"error"`
	}
	_ = json.Unmarshal(data, &e) // it is valid JSON; without a type it is an error all the same
	return refuse(ReasonHost, "the model's host ended its stream with an error (%.40q)", e.Error.Type)
}

func contains(list []string, s string) bool { return slices.Contains(list, s) }
