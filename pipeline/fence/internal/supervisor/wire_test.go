package supervisor

import (
	"bytes"
	"errors"
	"io"
	"reflect"
	"testing"
	"time"
)

// filled has a value in every field of a message, so that a field which one description forgot comes back empty.
func filled() *Request {
	return &Request{
		Owners: 2, Namespaces: true, Mounts: []Mount{{"/usr", 1, 2, true}, {"/etc", 3, 4, false}}, Links: []Link{{"/bin", "usr/bin"}},
		Handled: Rights{1, 2, 3}, Grants: []Grant{{"/usr", 4, 5, true}}, Program: "/bin/true", Args: []string{"true", ""}, Env: []string{"A=b"},
		Dir: "/", User: 7, Capable: true, Limits: []Limit{{"core", 8, 9}}, Filter: []uint64{1 << 63, 10}, Relay: Relay{"\x7f\x00\x00\x01", 80},
		Timeout: 11 * time.Second, OwnFilter: []uint64{12},
	}
}

func TestMessagesComeBackWhole(t *testing.T) {
	for _, c := range []struct{ sent, got message }{
		{filled(), &Request{}},
		{&Order{"deadline", "late"}, &Order{}},
		{&Status{Refused: "no", Started: 1, Ended: true, Lost: "l", Other: true, Wait: 2, Order: Order{"a", "b"}}, &Status{}},
	} {
		v := reflect.ValueOf(c.sent).Elem()
		for i := range v.NumField() {
			if v.Field(i).IsZero() {
				t.Fatalf("%s.%s is not filled in here", v.Type(), v.Type().Field(i).Name)
			}
		}
		var pipe bytes.Buffer
		if err := Send(&pipe, c.sent); err != nil {
			t.Fatal(err)
		}
		if err := Receive(&pipe, c.got); err != nil || !reflect.DeepEqual(c.sent, c.got) {
			t.Errorf("sent %+v, got %+v, %v", c.sent, c.got, err)
		}
	}
}

func TestMessagesRefused(t *testing.T) {
	var pipe bytes.Buffer
	if err := Send(&pipe, filled()); err != nil {
		t.Fatal(err)
	}
	whole := pipe.Bytes()
	for n := range whole {
		err := Receive(bytes.NewReader(whole[:n]), &Request{})
		if n == 0 && !errors.Is(err, io.EOF) || n > 0 && !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("the first %d of %d bytes: %v", n, len(whole), err)
		}
	}
	body := whole[8:]
	framed := func(body []byte) io.Reader {
		size, head := uint64(len(body)), wire{}
		head.number(&size)
		return bytes.NewReader(append(head.buf, body...))
	}
	for n := range body {
		if err := Receive(framed(body[:n]), &Request{}); !errors.Is(err, errMessage) {
			t.Errorf("a message of the first %d of %d bytes: %v", n, len(body), err)
		}
	}
	for name, m := range map[string][]byte{
		"a byte too many":          append(bytes.Clone(body), 0),
		"a flag that is neither":   append(append(bytes.Clone(body[:8]), 2), body[9:]...),
		"a list longer than it is": append(append(bytes.Clone(body[:16]), bytes.Repeat([]byte{0xff}, 8)...), body[24:]...),
	} {
		if err := Receive(framed(m), &Request{}); !errors.Is(err, errMessage) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := Receive(bytes.NewReader(bytes.Repeat([]byte{0xff}, 8)), &Request{}); !errors.Is(err, errMessage) {
		t.Errorf("a message of 2^64-1 bytes: %v", err)
	}
	if err := Send(io.Discard, &Order{Reason: string(make([]byte, maxMessage))}); !errors.Is(err, errMessage) {
		t.Errorf("sending more than %d bytes: %v", maxMessage, err)
	}
}
