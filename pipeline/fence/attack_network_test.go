//go:build linux && (amd64 || arm64)

package fence

import (
	"bufio"
	"bytes"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
)

// listener is a service of the machine that a fenced program must not reach: an SSH agent, a message bus, an engine. It counts
// who came.
type listener struct {
	address string
	visits  *atomic.Int64
}

// services start one of each kind: a stream and a datagram socket by path, both open to every user, and in the abstract
// space.
func services(t *testing.T) (streams, datagrams []listener) {
	t.Helper()
	dir := folder(t)
	if err := os.Chmod(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	abstract := fmt.Sprintf("@fence-test-%d-%s", os.Getpid(), filepath.Base(dir))
	for _, name := range []string{"agent.sock", "bus.sock", "engine.sock"} {
		streams = append(streams, serveStream(t, filepath.Join(dir, name)))
	}
	streams = append(streams, serveStream(t, abstract))
	return streams, []listener{serveDatagram(t, filepath.Join(dir, "log")), serveDatagram(t, abstract+"-log")}
}

func serveStream(t *testing.T, address string) listener {
	t.Helper()
	l, err := net.Listen("unix", address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	open(t, address)
	visits := new(atomic.Int64)
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			visits.Add(1)
			go func() {
				defer c.Close()
				_, _ = c.Read(make([]byte, 1))
				fmt.Fprint(c, "welcome")
			}()
		}
	}()
	return listener{address, visits}
}

func serveDatagram(t *testing.T, address string) listener {
	t.Helper()
	l, err := net.ListenPacket("unixgram", address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	open(t, address)
	visits := new(atomic.Int64)
	go func() {
		buf := make([]byte, 64)
		for {
			if _, _, err := l.ReadFrom(buf); err != nil {
				return
			}
			visits.Add(1)
		}
	}()
	return listener{address, visits}
}

func open(t *testing.T, address string) {
	t.Helper()
	if strings.HasPrefix(address, "@") {
		return
	}
	if err := os.Chmod(address, 0o777); err != nil {
		t.Fatal(err)
	}
}

// TestSockets: no service of the machine is reached by stream or datagram, by path or abstract name, without and with a
// relay, also where its folder was given.
func TestSockets(t *testing.T) {
	eachWay(t, func(t *testing.T, way string) {
		streams, datagrams := services(t)
		relayed := httptest.NewServer(http.NotFoundHandler())
		defer relayed.Close()
		for _, relay := range []string{"", strings.TrimPrefix(relayed.URL, "http://")} {
			for _, s := range streams {
				o := Options{Relay: relay, Read: givenFolder(s.address)}
				out := fails(t, way, o, "stream", s.address)
				if relay == "" && !strings.Contains(out, "connection refused") {
					t.Errorf("connect without a relay: %s, want it refused", out)
				}
			}
			for _, d := range datagrams {
				fails(t, way, Options{Relay: relay, Write: givenFolder(d.address)}, "datagram", d.address)
			}
			fails(t, way, Options{Relay: relay}, "inet")
		}
		for _, l := range append(streams, datagrams...) {
			if n := l.visits.Load(); n != 0 {
				t.Errorf("%s was reached %d times", l.address, n)
			}
		}
		for _, s := range streams {
			works(t, "stream", s.address)
		}
		for _, d := range datagrams {
			works(t, "datagram", d.address)
		}
		works(t, "inet")
	})
}

func givenFolder(address string) []string {
	if strings.HasPrefix(address, "@") {
		return nil
	}
	return []string{filepath.Dir(address)}
}

// TestRelay: every connect, to whatever name, leads to the relay and nowhere else; blocking and non-blocking descriptors
// stay what they are; a stream that begins with anything but a model request is closed.
func TestRelay(t *testing.T) {
	eachWay(t, func(t *testing.T, way string) {
		var requests atomic.Int64
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			requests.Add(1)
			w.Header().Set("Connection", "close")
			fmt.Fprint(w, "hello")
		}))
		defer server.Close()
		o := Options{Relay: strings.TrimPrefix(server.URL, "http://")}
		request := "POST /v1/messages?beta=true HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n"
		for _, flag := range []string{"block", "nonblock"} {
			result, out := attacked(t, way, o, "relay", "/no/such/socket", request, flag)
			if result.Code != attackWorked || out != "HTTP/1.1 200 OK\r\n" {
				t.Errorf("%s: %v %q, want the relay's answer", flag, result, out)
			}
		}
		if n := requests.Load(); n != 2 {
			t.Errorf("the relay had %d requests, want 2", n)
		}
		for _, other := range []string{"GET /v1/messages HTTP/1.1\r\nHost: x\r\n\r\n", "POST /v1/message HTTP/1.1\r\n\r\n", "\x02nscd"} {
			fails(t, way, o, "relay", "/var/run/nscd/socket", other, "block")
		}
		if n := requests.Load(); n != 2 {
			t.Errorf("the relay had %d requests, want 2: something else came through", n)
		}
	})
}

// TestRelayIsGone: a relay that nobody answers closes the stream.
func TestRelayIsGone(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := l.Addr().String()
	l.Close()
	eachWay(t, func(t *testing.T, way string) {
		fails(t, way, Options{Relay: address}, "relay", "/x", "POST /v1/messages HTTP/1.1\r\n\r\n", "block")
	})
}

// TestRelayStreams: many bytes both ways, and a half-closed stream, arrive whole.
func TestRelayStreams(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	const size = 8 << 20
	got := make(chan int, 8)
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer c.Close()
				n, _ := bufio.NewReader(c).WriteTo(discard{})
				got <- int(n)
				_, _ = c.Write(bytes.Repeat([]byte("x"), size))
			}()
		}
	}()
	eachWay(t, func(t *testing.T, way string) {
		result, out := attacked(t, way, Options{Relay: l.Addr().String()}, "relay-bulk", fmt.Sprint(size))
		if result.Code != attackWorked {
			t.Fatalf("%v %s", result, out)
		}
		if n := <-got; n != size+len(RelayPrefix) {
			t.Errorf("the relay got %d bytes, want %d", n, size+len(RelayPrefix))
		}
	})
}

type discard struct{}

func (discard) Write(p []byte) (int, error) { return len(p), nil }
