//go:build amd64 || arm64

package fence

import (
	"fmt"

	"golang.org/x/sys/unix"

	"selffix/pipeline/fence/internal/supervisor"
)

// supervised is the request as the supervisor takes it: every decision is made, and only the kernel can still refuse.
func (r request) supervised() (*supervisor.Request, error) {
	s := &supervisor.Request{
		Owners: uint64(len(r.Layout.Owners)), Namespaces: r.Layout.Namespaces, Program: r.Program, Args: r.Args, Env: r.Env, Dir: r.Dir,
		User: uint64(r.Layout.User), Capable: r.Layout.User != 0 || r.Layout.UserNS, Limits: r.rlimits(), Timeout: r.Timeout,
	}
	var err error
	if r.Layout.Namespaces {
		if s.Mounts, s.Links, err = r.root(); err != nil {
			return nil, fmt.Errorf("%w: %w", ErrUnavailable, err)
		}
	}
	h := handledBy(r.ABI)
	s.Handled = h.Rights
	s.Grants = h.grants(r.Read, r.Write)
	if s.Filter, err = r.filter().raw(); err != nil {
		return nil, err
	}
	if s.OwnFilter, err = supervisorRules(native()).raw(); err != nil {
		return nil, err
	}
	if r.Relay.IsValid() {
		s.Relay = supervisor.Relay{IP: string(r.Relay.Addr().AsSlice()), Port: uint64(r.Relay.Port())}
	}
	return s, nil
}

// filter is the profile's table for this kernel and layout.
func (r request) filter() table {
	var s setting
	if r.Relay.IsValid() {
		s.net = netRelay
	}
	if r.Layout.Namespaces || handledBy(r.ABI).Scoped != 0 {
		s.signals = signalsInside
	}
	if r.Layout.Namespaces || r.Layout.User != 0 {
		s.files = filesInside
	}
	return rulesOf(r.Profile, native(), s)
}

// rlimits bound the program. RLIMIT_CORE is 1, not 0: with 0 a core_pattern that is a pipe is still run, by root, on
// the program's memory. Address space is not bounded, since JavaScript engines reserve far more than they use.
func (r request) rlimits() []supervisor.Limit {
	return []supervisor.Limit{
		{Name: "core", Resource: unix.RLIMIT_CORE, Value: 1},
		{Name: "file size", Resource: unix.RLIMIT_FSIZE, Value: r.Limits.FileBytes},
		{Name: "open files", Resource: unix.RLIMIT_NOFILE, Value: r.Limits.OpenFiles},
		{Name: "processes", Resource: unix.RLIMIT_NPROC, Value: r.Tasks},
		{Name: "data", Resource: unix.RLIMIT_DATA, Value: r.Limits.DataBytes},
		{Name: "locked memory", Resource: unix.RLIMIT_MEMLOCK, Value: 1 << 20},
		{Name: "message queues", Resource: unix.RLIMIT_MSGQUEUE, Value: 0},
		{Name: "pending signals", Resource: unix.RLIMIT_SIGPENDING, Value: 1024},
	}
}
