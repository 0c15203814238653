package proxy

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net"
	"net/http"
	"time"
)

// host is the one place that requests go to.
type host struct {
	url    string
	client *http.Client
}

// newHost makes a client of its own: no proxy from the environment, no redirects, no cookies, no
// transparent decompression, and few connections.
func newHost(base string, roots *x509.CertPool, l Limits) *host {
	dial := &net.Dialer{Timeout: 10 * time.Second, KeepAlive: 30 * time.Second}
	t := &http.Transport{
		Proxy:                  nil,
		DialContext:            dial.DialContext,
		TLSClientConfig:        &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: roots},
		TLSHandshakeTimeout:    10 * time.Second,
		ForceAttemptHTTP2:      true,
		DisableCompression:     true,
		MaxIdleConns:           maxRunning,
		MaxConnsPerHost:        2 * maxRunning,
		IdleConnTimeout:        20 * time.Second, // shorter than the host's: a request on a connection that it just closed would be lost
		ResponseHeaderTimeout:  l.HeaderTime,
		MaxResponseHeaderBytes: 64 << 10,
		WriteBufferSize:        64 << 10,
		ReadBufferSize:         64 << 10,
	}
	return &host{
		url: base + messagesPath,
		client: &http.Client{
			Transport:     t,
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
	}
}

// send makes one request. sent is false only if no byte of it can have reached the host.
func (h *host) send(ctx context.Context, body []byte, header http.Header) (answer *http.Response, sent bool, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, h.url, bytes.NewReader(body))
	if err != nil {
		return nil, false, err
	}
	req.GetBody = nil // net/http must not send a request a second time: it was reserved once
	req.Header = header
	answer, err = h.client.Do(req)
	if err != nil {
		var op *net.OpError
		return nil, !(errors.As(err, &op) && op.Op == "dial"), err
	}
	return answer, true, nil
}
