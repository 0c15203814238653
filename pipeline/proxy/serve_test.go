package proxy_test

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"selffix/pipeline/proxy"
)

// A proxy that is told to end waits for nobody for ever; what it cuts is counted.
func TestServeEnds(t *testing.T) {
	host := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		_, _ = io.Copy(io.Discard, q.Body)
		streams(goodEvents()[:4]...)(w, q)
		hang(q)
	}))
	defer host.Close()
	p, err := proxy.New(options(t, host.URL))
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- p.Serve(ctx, l, 50*time.Millisecond) }()
	q, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+l.Addr().String()+"/v1/messages", strings.NewReader(askStream))
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
	stop()
	if err := <-ended; err != nil {
		t.Errorf("got %v", err)
	}
	if m := p.Meter(); m.Kept != 1 || m.Settled != 0 || m.Running != 0 {
		t.Errorf("meter %+v", m)
	}
	if raw, err := io.ReadAll(a.Body); err == nil && !strings.Contains(string(raw), "event: error") {
		t.Errorf("the stream ended as if it were whole: %q", raw)
	}
	if err := p.Serve(t.Context(), l, time.Second); err == nil {
		t.Error("it serves on a closed listener")
	}
}
