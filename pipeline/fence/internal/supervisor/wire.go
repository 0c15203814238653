package supervisor

import (
	"errors"
	"io"
)

// maxMessage bounds one message in bytes: the arguments and environment of a program, which a kernel bounds by 2 MiB, and
// the paths that it is given.
const maxMessage = 16 << 20

var errMessage = errors.New("the message between fence and supervisor is broken")

// wire writes or reads the fields of a message, in the order in which they are given: one description serves both ends.
type wire struct {
	buf     []byte
	reading bool
	broken  bool
}

func (w *wire) number(n *uint64) {
	if !w.reading {
		for shift := 0; shift < 64; shift += 8 {
			w.buf = append(w.buf, byte(*n>>shift))
		}
		return
	}
	if w.broken = w.broken || len(w.buf) < 8; w.broken {
		return
	}
	*n = 0
	for i, b := range w.buf[:8] {
		*n |= uint64(b) << (8 * i)
	}
	w.buf = w.buf[8:]
}

func (w *wire) text(s *string) {
	size := uint64(len(*s))
	w.number(&size)
	if !w.reading {
		w.buf = append(w.buf, *s...)
		return
	}
	if w.broken = w.broken || size > uint64(len(w.buf)); w.broken {
		return
	}
	*s, w.buf = string(w.buf[:size]), w.buf[size:]
}

func (w *wire) flag(b *bool) {
	var n uint64
	if *b {
		n = 1
	}
	w.number(&n)
	w.broken = w.broken || n > 1
	*b = n == 1
}

// each passes over a list.
func each[T any](w *wire, list *[]T, one func(*T)) {
	count := uint64(len(*list))
	w.number(&count)
	if w.reading {
		if w.broken = w.broken || count > uint64(len(w.buf))/8; w.broken { // no field is shorter
			return
		}
		*list = make([]T, count)
	}
	for i := range *list {
		one(&(*list)[i])
	}
}

// message is what the two ends exchange.
type message interface{ fields(*wire) }

// Send writes one message.
func Send(to io.Writer, m message) error {
	body := wire{buf: make([]byte, 8, 4096)}
	m.fields(&body)
	head, size := wire{}, uint64(len(body.buf)-8)
	if size > maxMessage {
		return errMessage
	}
	head.number(&size)
	copy(body.buf, head.buf)
	_, err := to.Write(body.buf)
	return err
}

// Receive reads one message whole.
func Receive(from io.Reader, m message) error {
	head := wire{buf: make([]byte, 8), reading: true}
	if _, err := io.ReadFull(from, head.buf); err != nil {
		return err
	}
	var size uint64
	head.number(&size)
	if size > maxMessage {
		return errMessage
	}
	body := wire{buf: make([]byte, size), reading: true}
	if _, err := io.ReadFull(from, body.buf); err != nil {
		return errors.Join(io.ErrUnexpectedEOF, err)
	}
	m.fields(&body)
	if body.broken || len(body.buf) != 0 {
		return errMessage
	}
	return nil
}
