package github

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"

	"selffix/internal/strictjson"
)

// The reasons for which an answer, or a request, is refused. Every error of a request wraps one.
var (
	ErrConfig    = errors.New("unusable configuration")
	ErrNetwork   = errors.New("no answer")
	ErrStatus    = errors.New("unexpected status")
	ErrNotFound  = fmt.Errorf("%w: not found", ErrStatus)
	ErrRedirect  = fmt.Errorf("%w: redirect", ErrStatus)
	ErrLimited   = fmt.Errorf("%w: rate limit", ErrStatus)
	ErrType      = errors.New("unexpected content type")
	ErrBody      = errors.New("unreadable body")
	ErrDate      = errors.New("unusable Date header")
	ErrLink      = errors.New("unusable Link header")
	ErrField     = errors.New("missing or unusable field")
	ErrTruncated = errors.New("incomplete listing")
	ErrBudget    = errors.New("request budget spent")
)

// Error is one refused request or answer. Route and What hold no text of the server's.
type Error struct {
	Route string // "GET /repos/o/r/pulls/7"
	What  string // what was expected and what was met
	Err   error  // one of the sentinels
}

func (e *Error) Error() string { return e.Route + ": " + e.What }

func (e *Error) Unwrap() error { return e.Err }

func fail(route string, sentinel error, format string, args ...any) *Error {
	return &Error{Route: route, What: fmt.Sprintf(format, args...), Err: sentinel}
}

// asError finds what this package said in an error of go-github or net/http, whose own texts quote the server.
func asError(route string, err error) *Error {
	if err == nil {
		return nil
	}
	var e *Error
	if errors.As(err, &e) {
		return e
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return network(route, err)
	}
	return fail(route, ErrBody, "the answer could not be decoded into the expected fields")
}

// network says in static words why no answer came: net/http quotes malformed answers, which may hold
// anything, the token included.
func network(route string, err error) *Error {
	var timeout net.Error
	switch {
	case errors.Is(err, context.Canceled):
		return fail(route, ErrNetwork, "cancelled before the answer was whole")
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &timeout) && timeout.Timeout():
		return fail(route, ErrNetwork, "no whole answer in time")
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return fail(route, ErrNetwork, "the connection ended before the answer did")
	}
	return fail(route, ErrNetwork, "the connection failed or the answer was no HTTP")
}

// malformed says what is wrong with a body, without quoting it.
func malformed(route string, err error) *Error {
	for _, reason := range []error{strictjson.ErrEmpty, strictjson.ErrSyntax, strictjson.ErrKind, strictjson.ErrDuplicate,
		strictjson.ErrKey, strictjson.ErrNull, strictjson.ErrTime, strictjson.ErrDepth} {
		if errors.Is(err, reason) {
			return fail(route, ErrBody, "unusable body: %v", reason)
		}
	}
	return fail(route, ErrBody, "unusable body")
}
