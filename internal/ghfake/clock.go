package ghfake

import (
	"sync"
	"time"
)

// Clock is GitHub's clock. Every Date header and every created_at comes from it, at a granularity of
// one second. The zero value follows the system's clock.
type Clock struct {
	mu     sync.Mutex
	fixed  time.Time
	offset time.Duration
}

// Now is the time on the clock, in UTC, cut to the second.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := c.fixed
	if now.IsZero() {
		now = time.Now()
	}
	return now.Add(c.offset).UTC().Truncate(time.Second)
}

// Set stops the clock at t. The zero time lets it follow the system's clock again.
func (c *Clock) Set(t time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.fixed, c.offset = t, 0
}

// Advance moves the clock by d, which may be negative.
func (c *Clock) Advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.offset += d
}
