//go:build amd64 || arm64

package fence

import (
	"fmt"
	"net/netip"
	"os"
	"syscall"
	"time"
)

// request is one run with everything resolved that only the caller can resolve.
type request struct {
	Profile Profile
	Program string // absolute
	Args    []string
	Env     []string
	Dir     string
	Read    []string // absolute, without "/"
	Write   []string
	Relay   netip.AddrPort // zero: none
	Timeout time.Duration
	Limits  Limits
	Tasks   uint64 // RLIMIT_NPROC
	ABI     int    // of Landlock
	Layout  layout
}

// layout is which of the optional parts a start tries.
type layout struct {
	Name       string
	Namespaces bool
	UserNS     bool    // namespaces by way of a user namespace
	User       uint32  // the uid to take; 0: stay
	Owners     []owner // whose folders are shown as the program's own, by one user namespace each
	GiveAway   bool    // folders to write are given to User before, and taken back after
}

// owner is who a folder belongs to.
type owner struct{ UID, GID uint32 }

// ownerOf says whether a path has to be shown under another owner so that the program can use it: a folder to write
// always, one to read if its own mode keeps others out. What lies below a folder that others may read keeps its
// permissions: giving /etc does not give /etc/shadow.
func ownerOf(path string, write bool) (owner, bool, error) {
	st, err := os.Stat(path)
	if err != nil {
		return owner{}, false, fmt.Errorf("%w: path %q: %w", ErrOptions, cut(path), err)
	}
	sys := st.Sys().(*syscall.Stat_t)
	needed := os.FileMode(0o004)
	if st.IsDir() {
		needed = 0o005
	}
	return owner{sys.Uid, sys.Gid}, write || st.Mode().Perm()&needed != needed, nil
}
