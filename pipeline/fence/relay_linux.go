//go:build amd64 || arm64

package fence

import (
	"errors"
	"fmt"
	"io"
	"net/netip"
	"os"
	"sync"
	"unsafe"

	"golang.org/x/sys/unix"
)

// maxStreams bounds the sockets that the program holds at once: each costs the supervisor one descriptor and one goroutine.
const maxStreams = 64

// relay gives the program sockets that lead nowhere but to one address. The supervisor makes each one itself, as one end of
// a pair: so there is no socket file, no address is ever read from the program's memory, nothing can race, and flags
// such as O_NONBLOCK belong to the very descriptor that the program got. A connect of it is answered without a look.
type relay struct {
	to    netip.AddrPort
	slots chan struct{}
}

func newRelay(to netip.AddrPort) relay { return relay{to: to, slots: make(chan struct{}, maxStreams)} }

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

// The two requests that x/sys/unix has, and the third: _IOW('!', 3, struct seccomp_notif_addfd).
const notifAddfd = 0x40182103

// serve answers the notifications until the last process that has the filter is gone.
func (r relay) serve(listener int) error {
	wait := []unix.PollFd{{Fd: int32(listener), Events: unix.POLLIN}}
	for {
		if _, err := unix.Poll(wait, -1); err != nil && !errors.Is(err, unix.EINTR) {
			return fmt.Errorf("waiting for a notification: %w", err)
		}
		if wait[0].Revents&unix.POLLIN == 0 {
			if wait[0].Revents&unix.POLLHUP != 0 {
				return nil
			}
			continue
		}
		var n notification
		_, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(listener), unix.SECCOMP_IOCTL_NOTIF_RECV, uintptr(unsafe.Pointer(&n)))
		switch errno {
		case 0:
		case unix.EINTR, unix.ENOENT: // the process ended before it was answered
			continue
		default:
			return fmt.Errorf("receiving a notification: %w", errno)
		}
		if n.nr != unix.SYS_SOCKET {
			r.answer(listener, response{id: n.id})
			continue
		}
		if err := r.socket(listener, n); err != nil {
			r.answer(listener, response{id: n.id, errno: -int32(unix.EMFILE)})
		}
	}
}

// answer ignores that the asking process is gone by now.
func (relay) answer(listener int, resp response) {
	unix.Syscall(unix.SYS_IOCTL, uintptr(listener), unix.SECCOMP_IOCTL_NOTIF_SEND, uintptr(unsafe.Pointer(&resp)))
}

// socket installs one end of a new pair in the program, as the result of its call, and serves the other end.
func (r relay) socket(listener int, n notification) error {
	select {
	case r.slots <- struct{}{}:
	default:
		return unix.EMFILE
	}
	kind := int(n.args[1])
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC|kind&unix.SOCK_NONBLOCK, 0)
	if err != nil {
		<-r.slots
		return err
	}
	add := addDescriptor{id: n.id, flags: unix.SECCOMP_ADDFD_FLAG_SEND, descriptor: uint32(pair[0]),
		asFlags: uint32(kind & unix.SOCK_CLOEXEC)}
	_, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(listener), notifAddfd, uintptr(unsafe.Pointer(&add)))
	unix.Close(pair[0])
	if errno != 0 {
		unix.Close(pair[1])
		<-r.slots
		return errno
	}
	if err := unix.SetNonblock(pair[1], true); err != nil {
		unix.Close(pair[1])
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
	how := unix.SHUT_WR
	if err != nil && !errors.Is(err, io.EOF) {
		how = unix.SHUT_RDWR
	}
	if conn, err := to.SyscallConn(); err == nil {
		_ = conn.Control(func(fd uintptr) { _ = unix.Shutdown(int(fd), how) })
	}
	if conn, err := from.SyscallConn(); err == nil {
		_ = conn.Control(func(fd uintptr) { _ = unix.Shutdown(int(fd), unix.SHUT_RD) })
	}
}

// dial connects without package net, which would look for resolvers and interfaces where no file can be opened.
func (r relay) dial() (*os.File, error) {
	family, addr := unix.AF_INET6, unix.Sockaddr(&unix.SockaddrInet6{Port: int(r.to.Port()), Addr: r.to.Addr().As16()})
	if r.to.Addr().Unmap().Is4() {
		family, addr = unix.AF_INET, &unix.SockaddrInet4{Port: int(r.to.Port()), Addr: r.to.Addr().Unmap().As4()}
	}
	fd, err := unix.Socket(family, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	if err := unix.Connect(fd, addr); err != nil {
		unix.Close(fd)
		return nil, err
	}
	if err := unix.SetNonblock(fd, true); err != nil {
		unix.Close(fd)
		return nil, err
	}
	return os.NewFile(uintptr(fd), "relay"), nil
}
