package fence

import (
	"fmt"
	"unsafe"

	"golang.org/x/sys/unix"
)

// mandatory checks what the fence never does without, and says what is missing and what to do.
func mandatory(relay bool) (handled, error) {
	land, err := bestLandlock()
	if err != nil {
		return handled{}, err
	}
	actions := []action{actKill, actErrno, actAllow}
	if relay {
		actions = append(actions, actNotify)
	}
	for _, a := range actions {
		value := uint32(a)
		_, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_GET_ACTION_AVAIL, 0, uintptr(unsafe.Pointer(&value)))
		if errno != 0 {
			return handled{}, fmt.Errorf("%w: seccomp action %#x: %w; it needs Linux 5.0 with CONFIG_SECCOMP_FILTER, and a container that allows seccomp(2)",
				ErrUnavailable, value, errno)
		}
	}
	if relay {
		var sizes [3]uint16
		_, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_GET_NOTIF_SIZES, 0, uintptr(unsafe.Pointer(&sizes)))
		if errno != 0 || uintptr(sizes[0]) > unsafe.Sizeof(notification{}) || uintptr(sizes[1]) > unsafe.Sizeof(response{}) {
			return handled{}, fmt.Errorf("%w: seccomp notifications: sizes %v, %v", ErrUnavailable, sizes, errno)
		}
	}
	return land, nil
}
