package proxy

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"slices"
	"time"
)

// The causes for which a context ends. What the client is told depends on them.
var (
	errTotal = errors.New("the time for one request is over")
	errIdle  = errors.New("the host was silent for too long")
)

// exchange is one request that is sent, and its answer.
type exchange struct {
	proxy  *Proxy
	w      http.ResponseWriter
	held   *reservation
	stream bool
	begun  bool // a status has been written: an error must be said within the stream
}

// run sends the request and passes the answer on. A refusal says why it stopped.
func (x *exchange) run(parent context.Context, body []byte, header http.Header) *refusal {
	ctx, cancel := context.WithCancelCause(parent)
	defer cancel(nil)
	answer, sent, err := x.proxy.host.send(ctx, body, header)
	if !sent {
		x.held.free()
	}
	if err != nil {
		return hostRefusal(ctx, err)
	}
	defer answer.Body.Close()
	if x.proxy.leaks([]byte(answer.Header.Get("Request-Id"))) {
		answer.Header.Del("Request-Id")
	}
	if answer.StatusCode != http.StatusOK {
		return x.status(answer)
	}
	from := newPacer(answer.Body, x.proxy.limits, cancel)
	defer from.stop()
	if answer.Header.Get("Content-Encoding") != "" {
		return refuse(ReasonAnswer, "the host's answer is compressed, which was not asked for")
	}
	if x.stream {
		return x.passStream(ctx, answer, from)
	}
	return x.passWhole(ctx, answer, from)
}

// hostRefusal says why there is no answer, without what the host or the system said.
func hostRefusal(ctx context.Context, err error) *refusal {
	var timeout interface{ Timeout() bool }
	switch {
	case errors.Is(context.Cause(ctx), errTotal):
		return refuse(ReasonSilence, "%v", errTotal)
	case errors.Is(err, context.Canceled):
		return refuse(ReasonHungUp, "the client went away")
	case errors.As(err, &timeout) && timeout.Timeout():
		return refuse(ReasonSilence, "the model's host did not begin to answer in time")
	}
	return refuse(ReasonHost, "the model's host could not be reached, or closed without an answer")
}

// readRefusal says why an answer ended early.
func readRefusal(ctx context.Context, err error) *refusal {
	switch cause := context.Cause(ctx); {
	case errors.Is(err, errTooLong):
		return refuse(ReasonTooLong, "%v", errTooLong)
	case errors.Is(cause, errIdle), errors.Is(cause, errTotal):
		return refuse(ReasonSilence, "%v", cause)
	case cause != nil:
		return refuse(ReasonHungUp, "the client went away")
	}
	return refuse(ReasonCut, "the model's host closed before the answer's end")
}

// passed lists the error statuses that a client may see as they are.
func passed() []int {
	return []int{400, 401, 403, 404, 408, 409, 413, 422, 429, 500, 502, 503, 504, 529}
}

// maxErrorBytes is how much of an error's body is read for its message.
const maxErrorBytes = 64 << 10

// charged reports whether the host may have worked on a request before it gave up, or a machine before it did: then the
// reservation stays spent, as nothing says what it took. It charges nothing for a refusal.
func charged(status int) bool {
	return status == http.StatusRequestTimeout || status >= 500 && status != 529 // 529: overloaded, nothing was begun
}

// status passes on a refusal of the host. Redirects are among the statuses that are not passed on: they are never followed.
func (x *exchange) status(answer *http.Response) *refusal {
	x.proxy.budget.count(func(m *Meter) { m.Statuses[answer.StatusCode]++ })
	if !slices.Contains(passed(), answer.StatusCode) {
		return refuse(ReasonHost, "the model's host answered with the status %d", answer.StatusCode)
	}
	if !charged(answer.StatusCode) {
		x.held.free()
	}
	raw, _ := io.ReadAll(io.LimitReader(answer.Body, maxErrorBytes)) // a cut message is as good as none
	var said struct {
		Error struct {
			Type    string `json:"type"`
			Message string `json:"message"`
		} `json:"error"`
	}
	if json.Unmarshal(raw, &said) != nil || said.Error.Type == "" || x.proxy.leaks(raw) || x.proxy.leaks(errorBody(said.Error.Type, said.Error.Message)) {
		said.Error.Type, said.Error.Message = "api_error", "the model's host gave no reason"
	}
	answerHeader(x.w.Header(), answer.Header)
	x.w.Header().Set("Content-Type", "application/json")
	x.w.WriteHeader(answer.StatusCode)
	_, _ = x.w.Write(errorBody(said.Error.Type, said.Error.Message)) // the client may be gone
	return nil
}

// fail tells the client in the form that fits what was already written.
func (x *exchange) fail(no *refusal) {
	if !x.begun {
		x.proxy.refuse(x.w, no)
		return
	}
	x.proxy.budget.count(func(m *Meter) { m.Refusals[no.reason]++ })
	_, err := x.w.Write(append(append([]byte("event: error\ndata: "), no.body()...), "\n\n"...))
	if err == nil {
		_ = http.NewResponseController(x.w).Flush() // the client may be gone
	}
}

var errTooLong = errors.New("the answer is larger than allowed")

// pacer reads an answer and bounds it: its bytes, and the time between two reads. When the host is
// silent for too long it ends the request's context, which makes the blocked read return.
type pacer struct {
	from io.Reader
	left int64
	idle time.Duration
	t    *time.Timer
}

func newPacer(from io.Reader, l Limits, cancel context.CancelCauseFunc) *pacer {
	return &pacer{
		from: from, left: l.AnswerBytes, idle: l.IdleTime,
		t: time.AfterFunc(l.IdleTime, func() { cancel(errIdle) }),
	}
}

func (p *pacer) Read(b []byte) (int, error) {
	if p.left <= 0 {
		return 0, errTooLong
	}
	if int64(len(b)) > p.left {
		b = b[:p.left]
	}
	n, err := p.from.Read(b)
	p.left -= int64(n)
	p.t.Reset(p.idle)
	return n, err
}

func (p *pacer) stop() { p.t.Stop() }
