package agent

import (
	"context"
	"errors"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

// trialTime bounds each try of the network: a fence refuses at once.
const trialTime = 100 * time.Millisecond

// trial tries one thing and reports whether the fence held.
type trial struct {
	name string
	held func(Ground, []string) bool
}

// trials lists what is tried. The first one is the control: if what is allowed failed, the refusals would mean nothing.
func trials() []trial {
	return []trial{
		{"allowed", func(g Ground, _ []string) bool { return allowed(g) }},
		{"tcp", func(Ground, []string) bool { return noDial("tcp", "192.0.2.1:443", "[2001:db8::1]:443") }},
		{"dns", func(Ground, []string) bool { return noDial("udp", "192.0.2.53:53") && noLookup() }},
		{"metadata", func(Ground, []string) bool { return noDial("tcp", "169.254.169.254:80") }},
		{"loopback", func(Ground, []string) bool { return noDial("tcp", "127.0.0.1:80", "[::1]:80") }},
		{"sockets", func(Ground, []string) bool { return noSockets() }},
		{"proc", func(Ground, []string) bool { return unreadable(procPaths()...) }},
		{"home", func(g Ground, _ []string) bool {
			return unreadable(append([]string{"/root", "/home"}, g.Outside...)...)
		}},
		{"devices", func(Ground, []string) bool { return noDevices() }},
		{"environment", knownEnvironment},
		{"write", func(g Ground, _ []string) bool { return unwritable(g) }},
		{"links", func(g Ground, _ []string) bool { return noLinks(g.Write[0]) }},
		{"programs", func(Ground, []string) bool { return noPrograms() }},
	}
}

// mark is the name of files that are made to try, and removed.
const mark = ".self-fix-self-test"

// allowed demands that the writable folders are, and that the readable paths are there.
func allowed(g Ground) bool {
	for _, dir := range g.Write {
		p := filepath.Join(dir, mark)
		if os.WriteFile(p, []byte("x"), 0o600) != nil || os.Remove(p) != nil {
			return false
		}
	}
	for _, p := range g.Read {
		if _, err := os.ReadDir(p); err != nil && !errors.Is(err, syscall.ENOTDIR) {
			return false
		}
	}
	return true
}

// refused reports whether an error is the fence's, and not one of a network that is only not there at the moment.
func refused(err error) bool {
	for _, e := range []error{
		syscall.EPERM, syscall.EACCES, syscall.EAFNOSUPPORT, syscall.EPROTONOSUPPORT, syscall.ENOSYS, syscall.ENETUNREACH,
	} {
		if errors.Is(err, e) {
			return true
		}
	}
	return false
}

func noDial(network string, addresses ...string) bool {
	for _, a := range addresses {
		c, err := net.DialTimeout(network, a, trialTime)
		if err == nil {
			c.Close()
			return false
		}
		if !refused(err) {
			return false
		}
	}
	return true
}

func noLookup() bool {
	ctx, cancel := context.WithTimeout(context.Background(), trialTime)
	defer cancel()
	r := net.Resolver{PreferGo: true}
	_, err := r.LookupHost(ctx, "example.com")
	return err != nil && ctx.Err() == nil // a time-out would mean that somebody was asked
}

// noSockets tries families and types that reach other processes or the kernel.
func noSockets() bool {
	for _, s := range [][3]int{
		{syscall.AF_UNIX, syscall.SOCK_DGRAM, 0}, {syscall.AF_UNIX, syscall.SOCK_SEQPACKET, 0}, {syscall.AF_NETLINK, syscall.SOCK_RAW, 0},
		{syscall.AF_PACKET, syscall.SOCK_RAW, 0}, {syscall.AF_INET, syscall.SOCK_RAW, syscall.IPPROTO_ICMP},
		{syscall.AF_INET, syscall.SOCK_DGRAM, 0}, {syscall.AF_INET6, syscall.SOCK_STREAM, 0}, {40 /* AF_VSOCK */, syscall.SOCK_STREAM, 0},
		{38 /* AF_ALG */, syscall.SOCK_SEQPACKET, 0},
	} {
		fd, err := syscall.Socket(s[0], s[1], s[2])
		if err == nil {
			syscall.Close(fd)
			return false
		}
	}
	return true
}

func procPaths() []string {
	return []string{
		"/proc", "/proc/self/environ", "/proc/self/mem", "/proc/self/maps", "/proc/self/fd", "/proc/thread-self/environ", "/proc/1/environ",
		"/proc/1/cmdline", "/proc/net/tcp", "/proc/self/mountinfo", "/sys", "/sys/kernel",
	}
}

// unreadable demands that no path can be opened, as a file or a folder.
func unreadable(paths ...string) bool {
	for _, p := range paths {
		f, err := os.OpenFile(p, os.O_RDONLY|syscall.O_NONBLOCK, 0)
		if err == nil {
			f.Close()
			return false
		}
	}
	return true
}

func noDevices() bool {
	for _, p := range []string{
		"/dev/tty", "/dev/ptmx", "/dev/console", "/dev/mem", "/dev/kmsg", "/dev/fuse", "/dev/net/tun", "/dev/kvm", "/dev/vsock", "/dev/sda", "/dev/vda",
		"/dev/nvme0n1", "/dev/loop-control", "/dev",
	} {
		for _, flag := range []int{os.O_RDONLY, os.O_WRONLY} {
			f, err := os.OpenFile(p, flag|syscall.O_NONBLOCK|syscall.O_NOCTTY, 0)
			if err == nil {
				f.Close()
				return false
			}
		}
	}
	return true
}

func knownEnvironment(g Ground, environ []string) bool {
	for _, e := range environ {
		name, _, ok := strings.Cut(e, "=")
		if !ok || !slices.Contains(g.Env, name) {
			return false
		}
	}
	return len(environ) > 0
}

// unwritable tries to make a file in folders that every process may often write, and in those that it may only read.
func unwritable(g Ground) bool {
	dirs := append([]string{"/", "/tmp", "/var/tmp", "/dev/shm", "/etc", "/usr", "/usr/lib", "/run", "/root", "/home"}, g.Read...)
	for _, w := range g.Write {
		dirs = append(dirs, filepath.Dir(w))
	}
	for _, dir := range append(dirs, g.Outside...) {
		if slices.ContainsFunc(g.Write, func(w string) bool { return within(dir, w) }) {
			continue
		}
		p := filepath.Join(dir, mark)
		f, err := os.OpenFile(p, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		if err == nil {
			f.Close()
			_ = os.Remove(p) // the check has failed already
			return false
		}
	}
	return true
}

// noLinks demands that nothing but files and folders can be made where the agent may write: links and pipes would wait there for
// whoever reads the folder later.
func noLinks(dir string) bool {
	p := filepath.Join(dir, mark)
	target := filepath.Join(dir, mark+"-target")
	if os.WriteFile(target, nil, 0o600) != nil {
		return false
	}
	defer os.Remove(target)
	for _, try := range []func() error{
		func() error { return os.Symlink("/etc/passwd", p) },
		func() error { return os.Link(target, p) },
		func() error { return syscall.Mkfifo(p, 0o600) },
		func() error { return syscall.Mknod(p, syscall.S_IFCHR|0o600, 1<<8|3) },
	} {
		if try() == nil {
			_ = os.Remove(p) // the check has failed already
			return false
		}
	}
	return true
}

func noPrograms() bool {
	for _, p := range []string{"/bin/sh", "/usr/bin/env", "/usr/bin/git", "/usr/bin/curl"} {
		c := exec.Command(p)
		if c.Start() == nil {
			_ = c.Process.Kill() // the check has failed already
			_ = c.Wait()
			return false
		}
	}
	return true
}
