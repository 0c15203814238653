//go:build amd64 || arm64

package fence

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// newRequest resolves what only the caller can: the program's path, and the relay's address.
func newRequest(ctx context.Context, o Options, kernel handled) (request, error) {
	r := request{Profile: o.Profile, Args: o.Args, Env: o.Env, Dir: o.Dir, Timeout: o.Timeout, Limits: o.Limits, ABI: kernel.abi}
	var err error
	if r.Read, err = expandRoot(o.Read); err != nil {
		return r, err
	}
	if slices.Contains(o.Write, "/") {
		return r, fmt.Errorf("%w: writing to \"/\" and all below it is no fence; name folders", ErrOptions)
	}
	r.Write = o.Write
	for _, p := range append(slices.Clone(r.Read), r.Write...) {
		if _, err := os.Stat(p); err != nil {
			return r, fmt.Errorf("%w: path %q: %w", ErrOptions, cut(p), err)
		}
	}
	if r.Program, err = findProgram(o.Args[0], o.Dir, o.Env); err != nil {
		return r, err
	}
	if o.Relay != "" {
		r.Relay, err = resolveRelay(ctx, o.Relay)
	}
	return r, err
}

// nested refuses a path to read below a path to write where there are no mounts to tell them apart: Landlock's rights add up
// along a path, so the inner one could be written too.
func (r request) nested() error {
	if r.Layout.Namespaces {
		return nil
	}
	for _, write := range r.Write {
		for _, read := range r.Read {
			if read != write && Within([]string{write}, read) {
				return fmt.Errorf("%w: without namespaces %q would be writable, as it lies below %q, which is given to write; keep them apart",
					ErrUnavailable, cut(read), cut(write))
			}
		}
	}
	return nil
}

// usualPath is where programs are looked for when the environment names no PATH.
const usualPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

// findProgram gives the absolute path of a program, as execvp would find it in the fenced environment.
func findProgram(name, dir string, env []string) (string, error) {
	if filepath.IsAbs(name) {
		return name, nil
	}
	if strings.Contains(name, "/") {
		return filepath.Join(dir, name), nil
	}
	path := usualPath
	for _, e := range env {
		if v, is := strings.CutPrefix(e, "PATH="); is {
			path = v
		}
	}
	for _, folder := range filepath.SplitList(path) {
		if !filepath.IsAbs(folder) {
			continue // a relative entry would run what lies in the folder that the program starts in
		}
		p := filepath.Join(folder, name)
		if st, err := os.Stat(p); err == nil && st.Mode().IsRegular() && st.Mode().Perm()&0o111 != 0 {
			return p, nil
		}
	}
	return "", fmt.Errorf("%w: %q is no program in %s: %w", ErrOptions, cut(name), cut(path), exec.ErrNotFound)
}

// resolveRelay needs a port and takes the first address of the host: the supervisor can look up none.
func resolveRelay(ctx context.Context, hostport string) (netip.AddrPort, error) {
	host, portText, err := net.SplitHostPort(hostport)
	if err != nil {
		return netip.AddrPort{}, fmt.Errorf("%w: relay %q, expected HOST:PORT", ErrOptions, cut(hostport))
	}
	port, err := strconv.ParseUint(portText, 10, 16)
	if err != nil || port == 0 {
		return netip.AddrPort{}, fmt.Errorf("%w: relay %q, expected a port from 1 to 65535", ErrOptions, cut(hostport))
	}
	addrs, err := net.DefaultResolver.LookupNetIP(ctx, "ip", host)
	if err != nil || len(addrs) == 0 {
		return netip.AddrPort{}, fmt.Errorf("%w: relay %q: no address: %v", ErrOptions, cut(hostport), err)
	}
	return netip.AddrPortFrom(addrs[0].Unmap().WithZone(""), uint16(port)), nil
}

// layouts lists the ways to try, strongest first. As root the program always gets a uid of its own; without privilege it
// always keeps the caller's.
func layouts(r request, user uint32) ([]layout, error) {
	if os.Geteuid() != 0 {
		if user != 0 {
			return nil, fmt.Errorf("%w: uid %d: only root may take another uid; leave it out, or run as root", ErrUnavailable, user)
		}
		return []layout{{Name: "user namespace", Namespaces: true, UserNS: true}, {Name: "plain"}}, nil
	}
	if !capable(unix.CAP_SETUID) || !capable(unix.CAP_SETGID) {
		return nil, fmt.Errorf("%w: this root may not change its uid (CAP_SETUID, CAP_SETGID), and a fenced program never runs as root; run as an ordinary user",
			ErrUnavailable)
	}
	uid, err := freeUser(user)
	if err != nil {
		return nil, err
	}
	owners, err := ownersOf(r)
	if err != nil {
		return nil, err
	}
	return []layout{
		{Name: "namespaces, mapped owner", Namespaces: true, User: uid, Owners: owners},
		{Name: "namespaces", Namespaces: true, User: uid, GiveAway: true},
		{Name: "uid", User: uid, GiveAway: true},
	}, nil
}

// ownersOf lists each owner whose paths the program needs to see as its own.
func ownersOf(r request) ([]owner, error) {
	var owners []owner
	add := func(paths []string, write bool) error {
		for _, p := range paths {
			o, needed, err := ownerOf(p, write)
			if err != nil {
				return err
			}
			if needed && !slices.Contains(owners, o) {
				owners = append(owners, o)
			}
		}
		return nil
	}
	return owners, errors.Join(add(r.Read, false), add(r.Write, true))
}

// capable reports whether this process has a capability in force.
func capable(bit int) bool {
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var data [2]unix.CapUserData
	if unix.Capget(&header, &data[0]) != nil {
		return false
	}
	return data[bit/32].Effective&(1<<(bit%32)) != 0
}

// freeUser checks that no process has the uid, or picks one. Picked uids lie above those of containers and below the last
// ranges that systemd names, or, where this root has fewer uids (a container with a map of its own), in the upper half of its map.
func freeUser(wanted uint32) (uint32, error) {
	if wanted != 0 {
		n, err := processesOf(wanted)
		switch {
		case err != nil:
			return 0, fmt.Errorf("%w: listing processes: %w", ErrUnavailable, err)
		case n > 0:
			return 0, fmt.Errorf("%w: uid %d: %d processes have it; name one that no process has, or leave it out", ErrUnavailable, wanted, n)
		}
		return wanted, nil
	}
	low, high := uint64(0x70000000), uint64(0x7ffe0000)
	if most := mappedUsers(); most < high {
		low, high = most/2, most
	}
	if high < 4096 {
		return 0, fmt.Errorf("%w: only %d uids are mapped here; name a free one with --user", ErrUnavailable, high)
	}
	for range 64 {
		var b [8]byte
		_, _ = rand.Read(b[:]) // never fails
		uid := uint32(low + binary.NativeEndian.Uint64(b[:])%(high-low))
		if uid != nobody && unused(uid) {
			return uid, nil
		}
	}
	return 0, fmt.Errorf("%w: no free uid from %d to %d", ErrUnavailable, low, high)
}

// unused reports that no process has the uid. The kernel is asked for the priority of the uid's processes and answers that there
// are none: listing all processes costs more than the rest of a start. Of a set-user-ID program it knows the other uid
// only, but nobody can have installed one of a uid that was drawn just now. An answer that the kernel refuses is looked up.
func unused(uid uint32) bool {
	_, err := unix.Getpriority(unix.PRIO_USER, int(uid))
	if err == nil || errors.Is(err, unix.ESRCH) {
		return err != nil
	}
	n, err := processesOf(uid)
	return err == nil && n == 0
}

// mappedUsers is the number of uids from 0 that this user namespace has.
func mappedUsers() uint64 {
	text, err := os.ReadFile("/proc/self/uid_map")
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(text)) {
		f := strings.Fields(line)
		if len(f) == 3 && f[0] == "0" {
			n, _ := strconv.ParseUint(f[2], 10, 64)
			return n
		}
	}
	return 0
}

// processesOf counts the processes that have the uid.
func processesOf(uid uint32) (int, error) {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return 0, err
	}
	count := 0
	for _, e := range entries {
		if name := e.Name(); name[0] < '0' || name[0] > '9' {
			continue
		}
		if st, err := os.Stat("/proc/" + e.Name()); err == nil && st.Sys().(*syscall.Stat_t).Uid == uid {
			count++
		}
	}
	return count, nil
}

// taskLimit is RLIMIT_NPROC: it counts all tasks of a uid in a user namespace, so where the program shares the caller's uid it
// is set that much above what the user already has.
func taskLimit(l layout, processes uint64) (uint64, error) {
	const ours = 32 // threads of the supervisor under the same uid
	if l.User != 0 {
		return processes, nil
	}
	if l.UserNS {
		return processes + ours, nil
	}
	mine := uint32(os.Getuid())
	tasks, err := filepath.Glob("/proc/[0-9]*/task/[0-9]*")
	if err != nil {
		return 0, fmt.Errorf("%w: counting processes: %w", ErrUnavailable, err)
	}
	var n uint64
	for _, t := range tasks {
		if st, err := os.Stat(t); err == nil && st.Sys().(*syscall.Stat_t).Uid == mine {
			n++
		}
	}
	return n + processes + ours, nil
}
