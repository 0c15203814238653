package proxy

import (
	"context"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"time"
)

// Serve answers on l until ctx ends, and returns when no request runs any more: running ones have grace to end,
// then their connections are closed, which keeps their reservations.
func (p *Proxy) Serve(ctx context.Context, l net.Listener, grace time.Duration) error {
	s := &http.Server{
		Handler:           p,
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
	stop, cancel := context.WithTimeout(context.WithoutCancel(ctx), grace)
	defer cancel()
	err := s.Shutdown(stop)
	if errors.Is(err, context.DeadlineExceeded) {
		err = s.Close()
	}
	p.host.client.CloseIdleConnections()
	<-ended
	return err
}
