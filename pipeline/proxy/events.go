package proxy

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"net/http"
	"slices"
)

// readBuffer is the size of the reads of a stream.
const readBuffer = 64 << 10

// onward reads from the host, and first passes on to the client what has come before: no event waits for the next one, and
// many that come at once go out at once.
type onward struct {
	from io.Reader
	out  *bufio.Writer
	w    http.ResponseWriter
}

func (o onward) Read(b []byte) (int, error) {
	if o.out.Buffered() > 0 {
		if err := o.flush(); err != nil {
			return 0, errors.Join(errHungUp, err)
		}
	}
	return o.from.Read(b)
}

func (o onward) flush() error {
	return errors.Join(o.out.Flush(), http.NewResponseController(o.w).Flush())
}

// errHungUp is met when the client takes nothing any more.
var errHungUp = errors.New("the client went away")

func writeEvent(w io.Writer, name string, data []byte) error {
	for _, part := range [][]byte{[]byte("event: "), []byte(name), []byte("\ndata: "), data, []byte("\n\n")} {
		if _, err := w.Write(part); err != nil {
			return err
		}
	}
	return nil
}

// errEvent is wrapped by every reason for which a stream is not made of events.
var errEvent = errors.New("the host's stream is no stream of events")

// events reads server-sent events. The service's own have one "event" and one "data" line; more of either is refused,
// since clients read them in different ways.
type events struct {
	from *bufio.Reader
	most int
	buf  []byte // data of the event
}

// next returns the name and the data of the next event. data is good until the next call.
func (e *events) next() (string, []byte, error) {
	var name string
	var has bool
	e.buf = e.buf[:0]
	for {
		line, err := e.line()
		switch {
		case err != nil:
			return "", nil, err
		case len(line) == 0 && has && name != "":
			return name, e.buf, nil
		case len(line) == 0 && !has && name == "":
			continue
		case len(line) == 0:
			return "", nil, errEvent
		}
		field, value, _ := bytes.Cut(line, []byte(":"))
		value = bytes.TrimPrefix(value, []byte(" "))
		switch string(field) {
		case "event":
			if name != "" || len(value) == 0 || len(value) > maxName {
				return "", nil, errEvent
			}
			name = string(value)
		case "data":
			if has {
				return "", nil, errEvent
			}
			has = true
			e.buf = append(e.buf, value...)
		case "", "id", "retry": // a comment, and what clients of this API do not use
		default:
			return "", nil, errEvent
		}
	}
}

// line reads one line without its end. The service ends lines with a line feed.
func (e *events) line() ([]byte, error) {
	line, err := e.from.ReadSlice('\n')
	if err == nil {
		return bytes.TrimSuffix(line[:len(line)-1], []byte("\r")), nil
	}
	if !errors.Is(err, bufio.ErrBufferFull) {
		return nil, err
	}
	long := slices.Clone(line)
	for errors.Is(err, bufio.ErrBufferFull) {
		if len(long) > e.most {
			return nil, errTooLong
		}
		line, err = e.from.ReadSlice('\n')
		long = append(long, line...)
	}
	if err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(long[:len(long)-1], []byte("\r")), nil
}
