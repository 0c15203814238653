//go:build linux && (amd64 || arm64)

package fence

import (
	"testing"
	"time"
)

// A program that makes files faster than they can be walked is held by the file system's own count.
func TestInodesAreWatched(t *testing.T) {
	limits := Limits{DiskBytes: 1000, DiskFiles: 100}
	first := space{bytes: 10_000, files: 10_000}
	for name, c := range map[string]struct {
		now  space
		over bool
	}{
		"nothing fell":              {first, false},
		"twice the limits":          {space{8000, 9800}, false},
		"more files":                {space{10_000, 9799}, true},
		"more bytes":                {space{7999, 10_000}, true},
		"somebody else freed some":  {space{20_000, 20_000}, false},
		"a file system without any": {space{10_000, 10_000}, false},
	} {
		if got := first.fell(c.now, limits); (got != "") != c.over {
			t.Errorf("%s: %q", name, got)
		}
	}
	if now := spaceOf([]string{t.TempDir()}); now.bytes <= 0 {
		t.Errorf("no free space is seen: %+v", now)
	}
}

// However long a walk took, the next one comes soon.
func TestWalksGoOn(t *testing.T) {
	for took, want := range map[time.Duration]time.Duration{
		0: walkEvery, 10 * time.Millisecond: walkEvery + 100*time.Millisecond, time.Second: walkAtLeast, time.Hour: walkAtLeast,
	} {
		if got := untilNext(took); got != want {
			t.Errorf("after %v: %v, want %v", took, got, want)
		}
	}
}
