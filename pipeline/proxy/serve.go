package proxy

import (
	"context"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"sync"
	"time"
)

// Serve answers on l until ctx ends, and returns when no request runs any more, so that the meter stands still: running ones have
// grace to end, then they are cut, which keeps their reservations.
func (p *Proxy) Serve(ctx context.Context, l net.Listener, grace time.Duration) error {
	running, cut := context.WithCancel(context.WithoutCancel(ctx))
	defer cut()
	var requests sync.WaitGroup
	s := &http.Server{
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			requests.Add(1)
			defer requests.Done()
			p.ServeHTTP(w, r)
		}),
		BaseContext:       func(net.Listener) context.Context { return running },
		ReadHeaderTimeout: 10 * time.Second,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    32 << 10,
		ErrorLog:          log.New(io.Discard, "", 0), // it would quote what clients send
	}
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(l) }()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	stop, cancel := context.WithTimeout(running, grace)
	defer cancel()
	err := s.Shutdown(stop)
	if errors.Is(err, context.DeadlineExceeded) {
		cut()
		err = s.Close()
	}
	<-ended
	requests.Wait()
	p.host.client.CloseIdleConnections()
	return err
}
