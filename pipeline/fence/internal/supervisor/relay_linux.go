//go:build amd64 || arm64

package supervisor

import (
	"errors"
	"io"
	"os"
	"sync"
	"syscall"
	"unsafe"
)

// maxStreams bounds the sockets that the program holds at once: each costs the supervisor one descriptor and one goroutine.
const maxStreams = 64

// relay gives the program sockets that lead nowhere but to one address. The supervisor makes each one itself, as one end of
// a pair: so there is no socket file, no address is ever read from the program's memory, nothing can race, and flags
// such as O_NONBLOCK belong to the very descriptor that the program got. A connect of it is answered without a look.
type relay struct {
	to    Relay
	slots chan struct{}
}

func newRelay(to Relay) relay { return relay{to: to, slots: make(chan struct{}, maxStreams)} }

// Structures of seccomp_unotify(2).
type (
	notification struct {
		id    uint64
		pid   uint32
		flags uint32
		nr    int32
		arch  uint32
		ip    uint64
		args  [6]uint64
	}
	response struct {
		id    uint64
		value int64
		errno int32
		flags uint32
	}
	addDescriptor struct {
		id         uint64
		flags      uint32
		descriptor uint32
		as         uint32
		asFlags    uint32
	}
)

// Sizes of what this package can take from the kernel and give to it; a newer kernel's may be larger.
const (
	NotificationSize = int(unsafe.Sizeof(notification{}))
	ResponseSize     = int(unsafe.Sizeof(response{}))
)

// serve answers the notifications until the last process that has the filter is gone.
func (r relay) serve(listener int) error {
	fds := []pollFD{{fd: int32(listener), events: pollIn}}
	for {
		if _, err := wait(fds, -1); err != nil && !errors.Is(err, syscall.EINTR) {
			return wrap("waiting for a notification", err)
		}
		if fds[0].revents&pollIn == 0 {
			if fds[0].revents&pollHup != 0 {
				return nil
			}
			continue
		}
		var n notification
		_, err := do(syscall.SYS_IOCTL, num(listener), num(seccompNotifRecv), ptr(&n))
		if errors.Is(err, syscall.EINTR) || errors.Is(err, syscall.ENOENT) { // the process ended before it was answered
			continue
		}
		if err != nil {
			return wrap("receiving a notification", err)
		}
		if n.nr != syscall.SYS_SOCKET {
			r.answer(listener, response{id: n.id})
			continue
		}
		if err := r.socket(listener, n); err != nil {
			r.answer(listener, response{id: n.id, errno: -int32(syscall.EMFILE)})
		}
	}
}

// answer ignores that the asking process is gone by now.
func (relay) answer(listener int, resp response) {
	_, _ = do(syscall.SYS_IOCTL, num(listener), num(seccompNotifSend), ptr(&resp))
}

// socket installs one end of a new pair in the program, as the result of its call, and serves the other end.
func (r relay) socket(listener int, n notification) error {
	select {
	case r.slots <- struct{}{}:
	default:
		return syscall.EMFILE
	}
	kind := int(n.args[1])
	pair, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC|kind&syscall.SOCK_NONBLOCK, 0)
	if err != nil {
		<-r.slots
		return err
	}
	// Not with SECCOMP_ADDFD_FLAG_SEND, which answers in the same step: a program that a signal wakes at that moment sees that it has
	// been answered, and takes the answer, 0, before the descriptor is there (seen on Linux 6.18).
	add := addDescriptor{id: n.id, descriptor: uint32(pair[0]), asFlags: uint32(kind & syscall.SOCK_CLOEXEC)}
	installed, err := do(syscall.SYS_IOCTL, num(listener), num(seccompNotifAddfd), ptr(&add))
	syscall.Close(pair[0])
	if err != nil {
		syscall.Close(pair[1])
		<-r.slots
		return err
	}
	r.answer(listener, response{id: n.id, value: int64(installed)})
	if err := syscall.SetNonblock(pair[1], true); err != nil {
		syscall.Close(pair[1])
		<-r.slots
		return nil // the program meets a closed stream
	}
	go func() {
		defer func() { <-r.slots }()
		r.stream(os.NewFile(uintptr(pair[1]), "program"))
	}()
	return nil
}

// stream connects to the relay's address once the program has begun with RelayPrefix, and closes whatever begins otherwise.
func (r relay) stream(program *os.File) {
	defer program.Close()
	begin := make([]byte, len(RelayPrefix))
	for have := 0; have < len(begin); {
		n, err := program.Read(begin[have:])
		if err != nil || string(begin[:have+n]) != RelayPrefix[:have+n] {
			return
		}
		have += n
	}
	upstream, err := r.dial()
	if err != nil {
		return
	}
	defer upstream.Close()
	if _, err := upstream.Write(begin); err != nil {
		return
	}
	var done sync.WaitGroup
	done.Add(2)
	go func() { defer done.Done(); pass(upstream, program) }()
	go func() { defer done.Done(); pass(program, upstream) }()
	done.Wait()
}

// pass copies one direction and then closes it, so that a half-closed stream ends in both.
func pass(to, from *os.File) {
	// Without these types the copy would try splice and sendfile, which the supervisor's own filter refuses.
	_, err := io.Copy(struct{ io.Writer }{to}, struct{ io.Reader }{from})
	how := syscall.SHUT_WR
	if err != nil && !errors.Is(err, io.EOF) {
		how = syscall.SHUT_RDWR
	}
	if conn, err := to.SyscallConn(); err == nil {
		_ = conn.Control(func(fd uintptr) { _ = syscall.Shutdown(int(fd), how) })
	}
	if conn, err := from.SyscallConn(); err == nil {
		_ = conn.Control(func(fd uintptr) { _ = syscall.Shutdown(int(fd), syscall.SHUT_RD) })
	}
}

// dial connects without package net, which would look for resolvers and interfaces where no file can be opened.
func (r relay) dial() (*os.File, error) {
	family, addr := r.to.address()
	fd, err := syscall.Socket(family, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	if err := syscall.Connect(fd, addr); err != nil {
		syscall.Close(fd)
		return nil, err
	}
	if err := syscall.SetNonblock(fd, true); err != nil {
		syscall.Close(fd)
		return nil, err
	}
	return os.NewFile(uintptr(fd), "relay"), nil
}

func (r Relay) address() (family int, addr syscall.Sockaddr) {
	if len(r.IP) == 4 {
		return syscall.AF_INET, &syscall.SockaddrInet4{Port: int(r.Port), Addr: [4]byte([]byte(r.IP))}
	}
	v6 := &syscall.SockaddrInet6{Port: int(r.Port)}
	copy(v6.Addr[:], r.IP)
	return syscall.AF_INET6, v6
}
