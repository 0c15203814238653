//go:build amd64 || arm64

package fence

import (
	"errors"
	"fmt"
	"os"
	"path"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// names follows paths from the caller's root the way the kernel does, and remembers every symbolic link on the way, so that
// a root made anew answers to the same names: /bin/sh stays /bin/sh where /bin is a link into /usr.
type names struct {
	links map[string]string // path of the link itself, without links in it, to its text
}

// maxLinks is the kernel's own bound for one walk.
const maxLinks = 40

// resolve returns the path without links.
func (n names) resolve(name string) (string, error) {
	at, rest := "/", strings.Split(strings.Trim(name, "/"), "/")
	for hops := 0; len(rest) > 0; {
		part := rest[0]
		rest = rest[1:]
		if part == "" || part == "." {
			continue
		}
		next := path.Join(at, part) // ".." too: at has no links in it
		text, err := os.Readlink(next)
		if err != nil {
			if !errors.Is(err, unix.EINVAL) {
				return "", fmt.Errorf("path %q: %w", cut(name), err)
			}
			at = next
			continue
		}
		if hops++; hops > maxLinks {
			return "", fmt.Errorf("path %q: %w", cut(name), unix.ELOOP)
		}
		n.links[next] = text
		rest = append(strings.Split(text, "/"), rest...)
		if path.IsAbs(text) {
			at = "/"
		}
	}
	return at, nil
}

// merged adds the links of the root folder, such as /lib64, whose targets are given: programs name their loader by it.
func (n names) merged(given []string) {
	entries, err := os.ReadDir("/")
	if err != nil {
		return // a program whose loader is not found then says so
	}
	for _, e := range entries {
		if e.Type()&os.ModeSymlink == 0 {
			continue
		}
		at, err := names{links: map[string]string{}}.resolve("/" + e.Name())
		if err == nil && covers(given, at) {
			_, _ = n.resolve("/" + e.Name())
		}
	}
}

// expandRoot replaces "/" by what lies in it, without the folders that are never given.
func expandRoot(paths []string) ([]string, error) {
	if !slices.Contains(paths, "/") {
		return paths, nil
	}
	entries, err := os.ReadDir("/")
	if err != nil {
		return nil, fmt.Errorf("%w: reading /: %w", ErrOptions, err)
	}
	var all []string
	for _, p := range paths {
		if p != "/" {
			all = append(all, p)
		}
	}
	for _, e := range entries {
		p := "/" + e.Name()
		if _, err := os.Stat(p); err == nil && !covers(hiddenPaths(), p) && !slices.Contains(all, p) {
			all = append(all, p)
		}
	}
	return all, nil
}
