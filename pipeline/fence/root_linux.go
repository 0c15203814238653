//go:build amd64 || arm64

package fence

import (
	"errors"
	"maps"
	"os"
	"slices"

	"golang.org/x/sys/unix"

	"selffix/pipeline/fence/internal/supervisor"
)

// errNamespaces marks what fails where the kernel gives no namespaces, or not with these file systems. Run then tries the next way;
// nothing mandatory depends on it.
var errNamespaces = errors.New("no namespaces here")

// root lists what the root of the program's own has: the request's paths under their own names, the devices, the symbolic
// links by which all these are named, and nothing else.
func (r request) root() ([]supervisor.Mount, []supervisor.Link, error) {
	n := names{links: map[string]string{}}
	wishes := map[string]supervisor.Mount{}
	var readable []string
	for _, p := range r.Read {
		at, err := n.resolve(p)
		if err != nil {
			return nil, nil, err
		}
		owner, err := r.ownerOf(at, false)
		if err != nil {
			return nil, nil, err
		}
		readable = append(readable, at)
		wishes[at] = supervisor.Mount{Owner: owner, Attr: readOnly}
	}
	given := slices.Clone(readable)
	for _, p := range r.Write {
		at, err := n.resolve(p)
		if err != nil {
			return nil, nil, err
		}
		owner, err := r.ownerOf(at, true)
		if err != nil {
			return nil, nil, err
		}
		given = append(given, at)
		wish := supervisor.Mount{Owner: owner, Attr: writable}
		if covers(readable, at) {
			wish.Attr &^= unix.MOUNT_ATTR_NOEXEC
		}
		wishes[at] = wish
	}
	for _, p := range devices() {
		if _, err := os.Stat(p); err == nil {
			wishes[p] = supervisor.Mount{Attr: unix.MOUNT_ATTR_NOSUID | unix.MOUNT_ATTR_NOEXEC}
		}
	}
	for _, p := range []string{r.Program, r.Dir} {
		_, _ = n.resolve(p) // only for the links; a missing file is exec's to tell
	}
	n.merged(given)
	return mountsOf(wishes), linksOf(n.links, wishes), nil
}

// Attributes of a mount that is read and executed, and of one that is written.
const (
	readOnly = unix.MOUNT_ATTR_NOSUID | unix.MOUNT_ATTR_NODEV | unix.MOUNT_ATTR_RDONLY
	writable = unix.MOUNT_ATTR_NOSUID | unix.MOUNT_ATTR_NODEV | unix.MOUNT_ATTR_NOEXEC
)

func mountsOf(wishes map[string]supervisor.Mount) []supervisor.Mount {
	mounts := make([]supervisor.Mount, 0, len(wishes))
	for _, p := range slices.Sorted(maps.Keys(wishes)) { // a folder before what lies in it
		m := wishes[p]
		m.Path, m.Covered = p, coveredByOther(wishes, p)
		mounts = append(mounts, m)
	}
	return mounts
}

// linksOf leaves out links that lie in a mount: they are there already.
func linksOf(links map[string]string, wishes map[string]supervisor.Mount) []supervisor.Link {
	var all []supervisor.Link
	for _, p := range slices.Sorted(maps.Keys(links)) {
		if !coveredByOther(wishes, p) {
			all = append(all, supervisor.Link{Path: p, Text: links[p]})
		}
	}
	return all
}

func coveredByOther(wishes map[string]supervisor.Mount, p string) bool {
	for w := range wishes {
		if w != p && covers([]string{w}, p) {
			return true
		}
	}
	return false
}

// ownerOf is the number, from 1, of the user namespace that shows the path as the program's own; 0 if none is needed.
func (r request) ownerOf(path string, write bool) (uint64, error) {
	o, needed, err := ownerOf(path, write)
	if err != nil || !needed {
		return 0, err
	}
	return uint64(slices.Index(r.Layout.Owners, o) + 1), nil
}
