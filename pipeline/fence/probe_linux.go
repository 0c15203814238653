//go:build amd64 || arm64

package fence

import (
	"context"
	"fmt"
	"os"
	"strings"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"selffix/pipeline/fence/internal/supervisor"
)

// mandatory checks what the fence never does without, and says what is missing and what to do.
func mandatory(relay bool) (handled, error) {
	land, err := bestLandlock()
	if err != nil {
		return handled{}, err
	}
	for _, a := range []action{actKill, actErrno, actAllow} {
		if err := actionAvailable(a); err != nil {
			return handled{}, err
		}
	}
	if relay {
		return land, notifications()
	}
	return land, nil
}

func actionAvailable(a action) error {
	value := uint32(a)
	_, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_GET_ACTION_AVAIL, 0, uintptr(unsafe.Pointer(&value)))
	if errno != 0 {
		return fmt.Errorf("%w: seccomp action %#x: %w; it needs CONFIG_SECCOMP_FILTER, and a container that allows seccomp(2)",
			ErrUnavailable, value, errno)
	}
	return nil
}

// notifications checks that the supervisor can answer sockets and connects of the program.
func notifications() error {
	if err := actionAvailable(actNotify); err != nil {
		return err
	}
	var sizes [3]uint16 // notification, response, data
	_, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_GET_NOTIF_SIZES, 0, uintptr(unsafe.Pointer(&sizes)))
	if errno != 0 || int(sizes[0]) > supervisor.NotificationSize || int(sizes[1]) > supervisor.ResponseSize {
		return fmt.Errorf("%w: seccomp notifications of sizes %v: %v; the relay cannot be served", ErrUnavailable, sizes, errno)
	}
	return nil
}

// probeArg has the program that Explain runs behind the fence, this one again, end at once.
const probeArg = supervisor.Probe

// Explain puts a fence on a program that does nothing, and reports which layers were there.
func Explain(ctx context.Context, helper Helper) Report {
	r := Report{Kernel: kernelName(), Root: os.Geteuid() == 0, Relay: notifications() == nil, Cgroups: cgroups()}
	self, err := os.Executable()
	if err != nil {
		r.Err = fmt.Errorf("%w: finding this program: %w", ErrUnavailable, err)
		return r
	}
	o := Options{Helper: helper, Args: []string{self, probeArg}, Timeout: 10 * time.Second, Read: []string{self}}
	for _, p := range []string{"/lib", "/lib64", "/usr/lib", "/usr/lib64", "/etc/ld.so.cache"} { // if it is linked dynamically
		if _, err := os.Stat(p); err == nil {
			o.Read = append(o.Read, p)
		}
	}
	result, err := Run(ctx, o)
	if err == nil && (result.End != Exited || result.Code != 0) {
		err = fmt.Errorf("%w: an empty program %v", ErrUnavailable, result)
	}
	r.Layers, r.Err = result.Layers, err
	return r
}

func kernelName() string {
	var u unix.Utsname
	if err := unix.Uname(&u); err != nil {
		return "unknown"
	}
	return unix.ByteSliceToString(u.Sysname[:]) + " " + unix.ByteSliceToString(u.Release[:]) + " " + unix.ByteSliceToString(u.Machine[:])
}

// cgroups says what there is. The fence bounds single processes, their number, the disk and the memory of the whole run by
// itself, so that it does the same in a container, where control groups are mostly read-only.
func cgroups() string {
	text, err := os.ReadFile("/sys/fs/cgroup/cgroup.controllers")
	if err != nil {
		return "not used; no version 2 hierarchy is mounted"
	}
	return "not used; controllers here: " + strings.TrimSpace(string(text))
}
