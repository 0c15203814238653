//go:build amd64 || arm64

package supervisor

import (
	"errors"
	"strconv"
	"syscall"
)

// fenceSelf takes from every thread of this process what it needs no longer: after the program has started, the
// supervisor passes bytes between the program and the relay, and must be worth nothing to whoever finds a fault in that.
func fenceSelf(filter []uint64) error {
	if _, err := do(syscall.SYS_PRCTL, num(prSetNoNewPrivs), num(1)); err != nil {
		return wrap("no_new_privs of the supervisor", err)
	}
	thread, err := do(sysSeccomp, num(seccompSetModeFilter), num(seccompFlagTsync), ptr(filterProgram(filter)))
	if err == nil && thread != 0 {
		err = errors.New("thread " + strconv.Itoa(thread) + " cannot take it")
	}
	return wrap("seccomp of the supervisor", err)
}
