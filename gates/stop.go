package gates

import (
	"fmt"
	"strconv"
	"time"
)

// stop is why an evaluation ends before "act"; nil lets it go on.
type stop struct {
	decision Decision
	rule     string
	reason   string
	waiting  bool // only because a value was not read yet
}

func nothing(rule, format string, args ...any) *stop {
	return &stop{decision: Nothing, rule: rule, reason: fmt.Sprintf(format, args...)}
}

func undecided(rule, format string, args ...any) *stop {
	return &stop{decision: Undecided, rule: rule, reason: fmt.Sprintf(format, args...)}
}

// need refuses a value that was not seen, naming the request and what was wrong with its answer.
func need[T any](rule, what string, r Read[T]) *stop {
	if r.Seen {
		return nil
	}
	switch {
	case r.Why != "" && r.Route != "":
		return undecided(rule, "%s could not be read: %s: %s", what, r.Route, r.Why)
	case r.Why != "":
		return undecided(rule, "%s could not be read: %s", what, r.Why)
	}
	s := undecided(rule, "%s was not read", what)
	s.waiting = true
	return s
}

// first returns the first stop among checks, which run in order and only until one stops.
func first(checks ...func() *stop) *stop {
	for _, check := range checks {
		if s := check(); s != nil {
			return s
		}
	}
	return nil
}

// facts collects what a verdict shows.
type facts []Fact

func add[T any](fs *facts, name string, r Read[T], value func(T) string) {
	if r.Seen {
		*fs = append(*fs, Fact{Name: name, Value: value(r.Value), Route: r.Route, At: r.At.UTC()})
	}
}

func (fs *facts) plain(name, value string) {
	*fs = append(*fs, Fact{Name: name, Value: value})
}

func count[T any](xs []T) string { return strconv.Itoa(len(xs)) }

// state shows a state that GitHub documents, and hides what anybody else could have put there.
func state(s string) string {
	switch s {
	case "error", "failure", "pending", "success", "inactive", "in_progress", "queued", "open", "closed":
		return s
	}
	return "other"
}

// ahead is how far a time of GitHub's own may lie after its newest Date header: a record from the future is not one.
const ahead = 5 * time.Minute

// records reports whether t is a time that GitHub can have recorded by now.
func (c Clock) records(t time.Time) bool {
	return !t.IsZero() && !c.Last.IsZero() && !t.After(c.Last.Add(ahead))
}

// stamp shows a time to the second.
func stamp(t time.Time) string { return t.UTC().Format(time.RFC3339) }
