//go:build amd64 || arm64

package fence

import (
	"fmt"
	"io"
	"os"
	"sync"
	"sync/atomic"
)

// output moves what the program writes to the caller, up to the limit of both streams together.
type output struct {
	left  atomic.Int64
	limit int64
	stops chan<- order
	once  sync.Once
	over  *order
	done  sync.WaitGroup
}

// pump starts moving bytes in all three directions.
func pump(stdio [3]*os.File, o Options, stops chan<- order) *output {
	out := &output{limit: o.Limits.OutputBytes, stops: stops}
	out.left.Store(out.limit)
	out.done.Add(2)
	for i, to := range []io.Writer{o.Stdout, o.Stderr} {
		if to == nil {
			to = io.Discard
		}
		go func() { defer out.done.Done(); out.copy(to, stdio[i+1]) }()
	}
	if o.Stdin == nil {
		stdio[0].Close()
		return out
	}
	go func() {
		defer stdio[0].Close()
		_, _ = io.Copy(struct{ io.Writer }{stdio[0]}, o.Stdin) // a program may stop reading
	}()
	return out
}

// copy reads to the end also after the limit: a program that is being killed must not hang in a write.
func (o *output) copy(to io.Writer, from io.Reader) {
	buf := make([]byte, 32<<10)
	for {
		n, err := from.Read(buf)
		if n > 0 && to != nil {
			allowed := o.take(n)
			if _, werr := to.Write(buf[:allowed]); werr != nil {
				o.exceed(order{Stop: Cancelled, Reason: "the output could not be written: " + werr.Error()})
				to = nil
			}
			if allowed < n {
				o.exceed(order{Stop: Exceeded, Reason: fmt.Sprintf("more than %d bytes of output", o.limit)})
				to = nil
			}
		}
		if err != nil {
			return
		}
	}
}

// take reserves up to n bytes of what is left.
func (o *output) take(n int) int {
	left := o.left.Add(-int64(n)) + int64(n)
	return int(min(max(left, 0), int64(n)))
}

func (o *output) exceed(stop order) {
	o.once.Do(func() { o.over = &stop; o.stops <- stop })
}

// drain waits for the last byte, and says why the output ended early, if it did.
func (o *output) drain() *order {
	o.done.Wait()
	return o.over
}
