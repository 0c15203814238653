//go:build amd64 || arm64

package fence

import (
	"fmt"
	"unsafe"

	"golang.org/x/sys/unix"

	"selffix/pipeline/fence/internal/supervisor"
)

// minLandlock is the first ABI that governs truncate(2) (Linux 6.2). Below it a fenced process can empty files outside
// wherever file permissions allow it.
const minLandlock = 3

// Rights of Landlock's ABI 1: everything that exists to be denied.
const (
	accessFileABI1 = unix.LANDLOCK_ACCESS_FS_EXECUTE | unix.LANDLOCK_ACCESS_FS_WRITE_FILE | unix.LANDLOCK_ACCESS_FS_READ_FILE
	accessDirABI1  = unix.LANDLOCK_ACCESS_FS_READ_DIR | unix.LANDLOCK_ACCESS_FS_REMOVE_DIR | unix.LANDLOCK_ACCESS_FS_REMOVE_FILE |
		unix.LANDLOCK_ACCESS_FS_MAKE_CHAR | unix.LANDLOCK_ACCESS_FS_MAKE_DIR | unix.LANDLOCK_ACCESS_FS_MAKE_REG |
		unix.LANDLOCK_ACCESS_FS_MAKE_SOCK | unix.LANDLOCK_ACCESS_FS_MAKE_FIFO | unix.LANDLOCK_ACCESS_FS_MAKE_BLOCK |
		unix.LANDLOCK_ACCESS_FS_MAKE_SYM
)

// Rights that rules grant. No rule grants MAKE_SYM, MAKE_SOCK, MAKE_FIFO, MAKE_CHAR or MAKE_BLOCK: what reads the folder later
// finds files and folders only. None grants REFER: a rename or link from one folder into another answers EXDEV, as between
// two file systems, and programs copy instead.
const (
	readFile  = unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_EXECUTE
	readDir   = readFile | unix.LANDLOCK_ACCESS_FS_READ_DIR
	writeFile = unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_WRITE_FILE | unix.LANDLOCK_ACCESS_FS_TRUNCATE
	writeDir  = writeFile | unix.LANDLOCK_ACCESS_FS_READ_DIR | unix.LANDLOCK_ACCESS_FS_MAKE_REG | unix.LANDLOCK_ACCESS_FS_MAKE_DIR |
		unix.LANDLOCK_ACCESS_FS_REMOVE_FILE | unix.LANDLOCK_ACCESS_FS_REMOVE_DIR
	device = unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_WRITE_FILE
)

// handled is what a ruleset denies unless a rule grants it.
type handled struct {
	abi int
	supervisor.Rights
}

// ruleNetPort is LANDLOCK_RULE_NET_PORT.
const ruleNetPort = 2

// handledBy is everything that the kernel's ABI knows.
func handledBy(abi int) handled {
	h := handled{abi: abi}
	h.FS = accessFileABI1 | accessDirABI1
	if abi >= 2 {
		h.FS |= unix.LANDLOCK_ACCESS_FS_REFER
	}
	if abi >= 3 {
		h.FS |= unix.LANDLOCK_ACCESS_FS_TRUNCATE
	}
	if abi >= 4 {
		h.Net = unix.LANDLOCK_ACCESS_NET_BIND_TCP | unix.LANDLOCK_ACCESS_NET_CONNECT_TCP
	}
	if abi >= 5 {
		h.FS |= unix.LANDLOCK_ACCESS_FS_IOCTL_DEV
	}
	if abi >= 6 {
		h.Scoped = unix.LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET | unix.LANDLOCK_SCOPE_SIGNAL
	}
	return h
}

// landlockABI asks the kernel, and takes any error for "none": a container's own filter may answer anything.
func landlockABI() (int, error) {
	abi, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	if errno != 0 {
		return 0, errno
	}
	return int(abi), nil
}

// bestLandlock is the strongest set of rights that this kernel really takes. A kernel may report an ABI and refuse its
// rights, so a ruleset is made and thrown away.
func bestLandlock() (handled, error) {
	abi, err := landlockABI()
	if err != nil {
		return handled{}, fmt.Errorf("%w: Landlock: %v; it needs Linux 6.2 with CONFIG_SECURITY_LANDLOCK and lsm=…,landlock",
			ErrUnavailable, err)
	}
	if abi < minLandlock {
		return handled{}, fmt.Errorf("%w: Landlock ABI %d, at least %d (Linux 6.2) is needed", ErrUnavailable, abi, minLandlock)
	}
	h := handledBy(abi)
	fd, err := h.ruleset()
	if err != nil {
		return handled{}, fmt.Errorf("%w: Landlock ABI %d is reported and its rights are refused: %v", ErrUnavailable, abi, err)
	}
	unix.Close(fd)
	return h, nil
}

// ruleset makes an empty ruleset. An older kernel knows a shorter attribute, and refuses a longer one only if
// the rest is not zero.
func (h handled) ruleset() (int, error) {
	attr := h.Rights
	fd, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, uintptr(unsafe.Pointer(&attr)), unsafe.Sizeof(attr), 0)
	if errno != 0 {
		return -1, errno
	}
	return int(fd), nil
}

// grants are what the profile's paths may do, of the rights that the kernel knows.
func (h handled) grants(read, write []string) []supervisor.Grant {
	all := make([]supervisor.Grant, 0, len(read)+len(write)+len(devices()))
	for _, p := range read {
		all = append(all, supervisor.Grant{Path: p, File: readFile & h.FS, Dir: readDir & h.FS})
	}
	for _, p := range write {
		all = append(all, supervisor.Grant{Path: p, File: writeFile & h.FS, Dir: writeDir & h.FS})
	}
	for _, p := range devices() {
		all = append(all, supervisor.Grant{Path: p, File: device & h.FS, Optional: true})
	}
	return all
}

// restrictConnects keeps the calling thread, and what it starts, from every TCP port but one. It does nothing where
// the kernel cannot (ABI 3): the supervisor's connects are then held by its own system call filter alone.
func restrictConnects(abi int, port uint16) error {
	if abi < 4 {
		return nil
	}
	h := handled{abi: abi}
	h.Net = unix.LANDLOCK_ACCESS_NET_BIND_TCP | unix.LANDLOCK_ACCESS_NET_CONNECT_TCP
	ruleset, err := h.ruleset()
	if err != nil {
		return fmt.Errorf("landlock ruleset for the supervisor: %w", err)
	}
	defer unix.Close(ruleset)
	if port != 0 {
		attr := netPort{access: unix.LANDLOCK_ACCESS_NET_CONNECT_TCP, port: uint64(port)}
		_, _, errno := unix.Syscall6(unix.SYS_LANDLOCK_ADD_RULE, uintptr(ruleset), ruleNetPort,
			uintptr(unsafe.Pointer(&attr)), 0, 0, 0)
		if errno != 0 {
			return fmt.Errorf("landlock rule for port %d: %w", port, errno)
		}
	}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("no_new_privs: %w", err)
	}
	if _, _, errno := unix.Syscall(unix.SYS_LANDLOCK_RESTRICT_SELF, uintptr(ruleset), 0, 0); errno != 0 {
		return fmt.Errorf("landlock for the supervisor: %w", errno)
	}
	return nil
}

// netPort is struct landlock_net_port_attr.
type netPort struct{ access, port uint64 }
