package ghfake

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"strings"
)

// errReset is what a client of [Server.Transport] sees where one on the network sees a reset connection.
var errReset = errors.New("ghfake: connection reset")

// Transport answers a client's requests in this process, without a connection: for the thousands of evaluations of a property
// test, and for a client that insists on another address than loopback ([Options.Public]). Whatever token the client sends stands for
// secret, which must be one of [Server.AddToken]'s; a real one is never looked at.
func (s *Server) Transport(secret string) http.RoundTripper { return transport{s, secret} }

type transport struct {
	srv    *Server
	secret string
}

// RoundTrip answers as the server would, and fails where the connection would.
func (t transport) RoundTrip(req *http.Request) (*http.Response, error) {
	var body []byte
	if req.Body != nil {
		var err error
		body, err = io.ReadAll(io.LimitReader(req.Body, maxBody))
		if err := errors.Join(err, req.Body.Close()); err != nil {
			return nil, err
		}
	}
	in := req.Clone(req.Context())
	in.RequestURI = req.URL.RequestURI()
	in.Header.Set("Authorization", "Bearer "+t.secret)
	a := t.srv.exchange(in, body)
	switch {
	case a.Lost:
		return nil, errReset
	case a.Hang:
		<-req.Context().Done()
		return nil, req.Context().Err()
	}
	if a.Status == http.StatusNoContent || a.Status == http.StatusNotModified {
		a.Body = nil
	}
	out := &http.Response{Status: http.StatusText(a.Status), StatusCode: a.Status, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Request: req,
		Header: http.Header{}, ContentLength: int64(len(a.Body)), Body: io.NopCloser(bytes.NewReader(a.Body))}
	for name, values := range a.Header {
		if len(values) > 0 {
			out.Header[http.CanonicalHeaderKey(name)] = values
		}
	}
	if a.Cut > 0 && a.Cut < len(a.Body) {
		out.Body = io.NopCloser(io.MultiReader(strings.NewReader(string(a.Body[:a.Cut])), resetReader{}))
	}
	return out, nil
}

// resetReader is the rest of a body after the connection was reset.
type resetReader struct{}

func (resetReader) Read([]byte) (int, error) { return 0, errReset }
