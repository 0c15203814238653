package proxy_test

import (
	"context"
	"io"
	"math"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"selffix/pipeline/proxy"
)

// bound is what the proxy reserves of input for plainBody: its bytes, the form of tools and of one message.
const bound = float64(len(plainBody) + 1024 + 16)

func near(a, b float64) bool { return math.Abs(a-b) < 1e-9 }

func TestCaps(t *testing.T) {
	dear := bound*6/1e6 + 100*22.5/1e6 // the worst case of one plain request
	cheap := 10*6/1e6 + 5*22.5/1e6     // what it took
	for _, c := range []struct {
		name   string
		change setup
		pass   int // requests until the cap
		reason proxy.Reason
	}{
		{"requests", func(o *proxy.Options) { o.Policy.Agent.MaxRequests = 3 }, 3, proxy.ReasonRequests},
		{"money, none", func(o *proxy.Options) { o.Policy.Agent.MaxUSD = dear - 1e-7 }, 0, proxy.ReasonMoney},
		{"money, one", func(o *proxy.Options) { o.Policy.Agent.MaxUSD = dear + 1e-7 }, 1, proxy.ReasonMoney},
		{"money, three", func(o *proxy.Options) { o.Policy.Agent.MaxUSD = dear + 2*cheap + 1e-7 }, 3, proxy.ReasonMoney},
		{"input tokens", func(o *proxy.Options) { o.Policy.Agent.MaxInputTokens = int64(bound) + 20 }, 3, proxy.ReasonTokens},
		{"output tokens", func(o *proxy.Options) { o.Policy.Agent.MaxOutputTokens = 110 }, 3, proxy.ReasonTokens},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newRig(t, says(message), c.change)
			for i := range c.pass {
				if a := r.ask(t, plainBody); a.status != 200 {
					t.Fatalf("request %d: got %d %s", i+1, a.status, a.body)
				}
				r.settled(t)
			}
			a := r.ask(t, plainBody)
			if a.status != http.StatusForbidden || a.kind() != "permission_error" || r.proxy.Meter().Refusals[c.reason] != 1 {
				t.Errorf("got %d %s, %+v", a.status, a.body, r.proxy.Meter())
			}
			if n := len(r.requests()); n != c.pass {
				t.Errorf("%d requests were sent", n)
			}
		})
	}
}

func TestMaxTokensIsCut(t *testing.T) {
	r := newRig(t, says(message), func(o *proxy.Options) { o.Limits.MaxTokens = 2000 })
	body := strings.Replace(plainBody, `"max_tokens":100`, `"max_tokens":128000,"thinking":{"type":"enabled","budget_tokens":64000}`, 1)
	if a := r.ask(t, body); a.status != 200 {
		t.Fatalf("got %d %s", a.status, a.body)
	}
	if got := r.requests()[0].body; !strings.Contains(got, `"max_tokens":2000`) || !strings.Contains(got, `"budget_tokens":1999`) {
		t.Errorf("sent %s", got)
	}
}

func TestImagesAreReserved(t *testing.T) {
	image := `{"type":"image","source":{"type":"base64","media_type":"image/png","data":"aGk="}}`
	r := newRig(t, says(message), func(o *proxy.Options) { o.Policy.Agent.MaxInputTokens = 7000 })
	body := func(n int) string {
		return strings.Replace(plainBody, `"hi"`, `[`+strings.TrimSuffix(strings.Repeat(image+",", n), ",")+`]`, 1)
	}
	if a := r.ask(t, body(2)); a.status != http.StatusForbidden {
		t.Errorf("two images: got %d %s", a.status, a.body)
	}
	if a := r.ask(t, strings.Replace(plainBody, `"hi"`, `[]`, 1)); a.status != 200 {
		t.Errorf("no image: got %d %s", a.status, a.body)
	}
}

func TestUsage(t *testing.T) {
	usage := func(u string) http.HandlerFunc {
		return says(strings.Replace(message, `{"input_tokens":10,"output_tokens":5}`, u, 1))
	}
	last := func(u string) http.HandlerFunc {
		return streams(with(5, event("message_delta", `{"type":"message_delta","delta":{},"usage":`+u+`}`))...)
	}
	worst := bound*6/1e6 + 100*22.5/1e6
	for _, c := range []struct {
		name   string
		host   http.HandlerFunc
		body   string
		usd    float64
		settle bool
	}{
		{"plain", usage(`{"input_tokens":10,"output_tokens":5}`), plainBody, (10*6 + 5*22.5) / 1e6, true},
		{"with a cache", usage(`{"input_tokens":10,"cache_creation_input_tokens":20,"cache_read_input_tokens":100,"output_tokens":5}`), plainBody, (30*6 + 100*0.6 + 5*22.5) / 1e6, true},
		{"more than reserved", usage(`{"input_tokens":9000,"output_tokens":5}`), plainBody, (9000*6 + 5*22.5) / 1e6, true},
		{"no output", usage(`{"input_tokens":10}`), plainBody, worst, false},
		{"no input", usage(`{"output_tokens":5}`), plainBody, worst, false},
		{"zero input", usage(`{"input_tokens":0,"output_tokens":5}`), plainBody, worst, false},
		{"negative", usage(`{"input_tokens":10,"output_tokens":-5}`), plainBody, worst, false},
		{"absurd", usage(`{"input_tokens":99999999999,"output_tokens":5}`), plainBody, worst, false},
		{"null", usage(`null`), plainBody, worst, false},
		{"last of a stream", last(`{"output_tokens":7}`), askStream, (10*6 + 7*22.5) / 1e6, true},
		{"totals at the end", last(`{"input_tokens":12,"output_tokens":7}`), askStream, (12*6 + 7*22.5) / 1e6, true},
		{"totals cannot go down", last(`{"input_tokens":1,"output_tokens":7}`), askStream, (10*6 + 7*22.5) / 1e6, true},
		{"a stream's end without usage", last(`{}`), askStream, (bound+14)*6/1e6 + 100*22.5/1e6, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newRig(t, c.host)
			if a := r.ask(t, c.body); a.status != 200 {
				t.Fatalf("got %d %s", a.status, a.body)
			}
			if m := r.settled(t); !near(m.CostUSD, c.usd) || (m.Settled == 1) != c.settle || (m.Kept == 1) == c.settle || m.ReservedUSD != 0 {
				t.Errorf("want $%v, got %+v", c.usd, m)
			}
		})
	}
}

// A client that drops its stream before usage comes has spent the worst case.
func TestDroppedStreamsAreCounted(t *testing.T) {
	r := newRig(t, func(w http.ResponseWriter, q *http.Request) {
		streams(goodEvents()[:4]...)(w, q)
		hang(q)
	}, func(o *proxy.Options) { o.Policy.Agent.MaxOutputTokens = 350 })
	drop := func() int {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		q, err := http.NewRequestWithContext(ctx, http.MethodPost, r.url+"/v1/messages", strings.NewReader(askStream))
		if err != nil {
			t.Fatal(err)
		}
		q.Header.Set("Content-Type", "application/json")
		q.Header.Set("X-Api-Key", runKey)
		a, err := http.DefaultClient.Do(q)
		if err != nil {
			t.Fatal(err)
		}
		defer a.Body.Close()
		_, _ = io.ReadFull(a.Body, make([]byte, 10))
		return a.StatusCode
	}
	for i := range 3 {
		if got := drop(); got != 200 {
			t.Fatalf("request %d: got %d", i+1, got)
		}
		r.settled(t)
	}
	if got := drop(); got != http.StatusForbidden {
		t.Errorf("the fourth got %d", got)
	}
	if m := r.settled(t); m.Kept != 3 || m.OutputTokens != 300 || m.Refusals[proxy.ReasonHungUp] != 3 {
		t.Errorf("meter %+v", m)
	}
}

func TestTwoAtOnce(t *testing.T) {
	release := make(chan struct{})
	r := newRig(t, func(w http.ResponseWriter, q *http.Request) {
		select {
		case <-release:
		case <-q.Context().Done():
		}
		says(message)(w, q)
	})
	var first sync.WaitGroup
	for range 2 {
		first.Go(func() {
			if a := r.ask(t, plainBody); a.status != 200 {
				t.Errorf("got %d %s", a.status, a.body)
			}
		})
	}
	for deadline := time.Now().Add(10 * time.Second); r.proxy.Meter().Running < 2; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("the first two do not run")
		}
	}
	if m := r.proxy.Meter(); !near(m.ReservedUSD, 2*(bound*6/1e6+100*22.5/1e6)) {
		t.Errorf("reserved: %+v", m)
	}
	a := r.ask(t, plainBody)
	if a.status != http.StatusTooManyRequests || a.header.Get("Retry-After") != "1" || r.proxy.Meter().Refusals[proxy.ReasonRunning] != 1 {
		t.Errorf("the third got %d %s", a.status, a.body)
	}
	close(release)
	first.Wait()
	r.settled(t)
	if a := r.ask(t, plainBody); a.status != 200 {
		t.Errorf("afterwards: %d %s", a.status, a.body)
	}
}

// A place is taken before a body is read: many that come slowly, or large ones at once, are not all in memory.
func TestTwoBodiesAtOnce(t *testing.T) {
	r := newRig(t, says(message))
	for range 2 {
		c, err := net.Dial("tcp", strings.TrimPrefix(r.url, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		if _, err := io.WriteString(c, "POST /v1/messages HTTP/1.1\r\nHost: x\r\nX-Api-Key: "+runKey+"\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{"); err != nil {
			t.Fatal(err)
		}
	}
	for deadline := time.Now().Add(10 * time.Second); ; time.Sleep(time.Millisecond) {
		a := r.ask(t, plainBody)
		if a.status == http.StatusTooManyRequests {
			break
		}
		if a.status != 200 || time.Now().After(deadline) {
			t.Fatalf("beside two bodies that are coming: %d %s", a.status, a.body)
		}
	}
}
