package demo

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"text/tabwriter"
	"time"

	"selffix/internal/visible"
)

// Voice says what happens while it happens, one line at a time, with the time since the beginning.
type Voice struct {
	mu    sync.Mutex
	w     io.Writer
	now   func() time.Time
	begin time.Time
}

// NewVoice says it to w.
func NewVoice(w io.Writer, now func() time.Time) *Voice {
	return &Voice{w: w, now: now, begin: now()}
}

// Say prints one line. What others wrote may be part of it, so that all of it is made visible; a terminal that is gone
// is no reason to end a play.
func (v *Voice) Say(who, format string, a ...any) {
	v.mu.Lock()
	defer v.mu.Unlock()
	line := fmt.Sprintf("%6.1f s  %-15s %s", v.now().Sub(v.begin).Seconds(), who, fmt.Sprintf(format, a...))
	_, _ = io.WriteString(v.w, visible.String(line)+"\n")
}

// Head prints the title of what follows.
func (v *Voice) Head(title string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	_, _ = io.WriteString(v.w, "\n== "+visible.String(title)+"\n")
}

// beat is how often a wait says that it goes on.
const beat = 5 * time.Second

// While says every few seconds that something is still going on, until the returned function is called.
func (v *Voice) While(who, what string) (done func()) {
	stop, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		t := time.NewTicker(beat)
		defer t.Stop()
		for {
			select {
			case <-stop:
				return
			case <-t.C:
				v.Say(who, "… %s", what)
			}
		}
	}()
	return func() { close(stop); <-ended }
}

// WriteTable prints every step of every play.
func (r Report) WriteTable(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, p := range r.Plays {
		fmt.Fprintf(t, "\n%s: %s\n", strings.ToUpper(visible.String(p.Name)), visible.String(p.Outcome))
		fmt.Fprintln(t, "STEP\tSECONDS\tSECRETS\tEXPOSED TO\tOUTCOME")
		for _, s := range p.Steps {
			fmt.Fprintf(t, "%s\t%.2f\t%s\t%s\t%s\n", visible.String(s.Name), s.Seconds, list(s.Secrets), list(s.ExposedTo), visible.String(s.Outcome))
		}
		if err := t.Flush(); err != nil {
			return err
		}
		for _, by := range p.StoppedBy {
			if _, err := fmt.Fprintf(w, "stopped by: %s\n", visible.String(by)); err != nil {
				return err
			}
		}
	}
	return nil
}

func list(items []string) string {
	if len(items) == 0 {
		return "–"
	}
	return visible.String(strings.Join(items, ", "))
}
