package github

import (
	"bytes"
	"context"
	"net/http"
	"strconv"
	"time"
)

// Retries: at most two, and only of GETs, which change nothing.
const (
	maxRetries    = 2
	maxRetryAfter = 20 * time.Second
	never         = time.Duration(-1)
)

// backoff is how long to wait at least before try+1.
func backoff(try int) time.Duration { return time.Duration(try+1) * time.Second }

// again allows another try after a broken connection, unless the caller's own time is over.
func again(ctx context.Context) time.Duration {
	if ctx.Err() != nil {
		return never
	}
	return 0
}

// retryAfter says how long to wait before asking again, or never. Retry-After counts as whole seconds only: an
// HTTP date read as zero would mean asking at once.
func retryAfter(resp *http.Response, body []byte) time.Duration {
	limited := resp.StatusCode == http.StatusTooManyRequests ||
		resp.StatusCode == http.StatusForbidden && (resp.Header.Get("Retry-After") != "" || secondary(resp, body))
	if !limited && resp.StatusCode < 500 {
		return never
	}
	raw := resp.Header.Get("Retry-After")
	if raw == "" {
		return 0
	}
	seconds, err := strconv.Atoi(raw)
	if err != nil || seconds < 0 || seconds > int(maxRetryAfter/time.Second) {
		return never
	}
	return time.Duration(seconds) * time.Second
}

// secondary recognises a limit that GitHub announces in words alone.
func secondary(resp *http.Response, body []byte) bool {
	return resp.Header.Get("X-RateLimit-Remaining") == "0" || bytes.Contains(bytes.ToLower(body), []byte("rate limit"))
}

// pause waits on the real clock.
func pause(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}
