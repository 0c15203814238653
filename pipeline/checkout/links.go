package checkout

import (
	"errors"
	"fmt"
	"os"
	"path"
	"slices"
	"strings"

	"selffix/internal/scratch"
	"selffix/pipeline/tree"
)

// ErrLinks marks a list of links that do not belong into the tree beside it.
var ErrLinks = errors.New("not the links of this tree")

// MakeLinks makes the links of a tree whose files lie in dst. They come last, so that no file is ever written through one.
//
// The list may come from a process that read hostile objects, so it is believed as little as they are: a link that leads out of the
// tree, by its own text or through another link of the list, is refused, and so is one in place of a file, or below another link.
func MakeLinks(dst string, links []Link) error {
	root, err := os.OpenRoot(dst)
	if err != nil {
		return fmt.Errorf("make the tree's links: %w", err)
	}
	defer root.Close()
	targets := make(map[string]string, len(links))
	for _, l := range links {
		if _, twice := targets[l.Path]; twice || len(l.Target) > maxLinkBytes || path.Clean(l.Path) != l.Path {
			return fmt.Errorf("%w: %.120q", ErrLinks, l.Path)
		}
		targets[l.Path] = l.Target
	}
	r := resolver{links: targets}
	for _, l := range links {
		hops := 0
		if _, ok := r.follow(path.Dir(l.Path), l.Target, &hops); !ok {
			return fmt.Errorf("%w: %.120q leads out of it", ErrLinks, l.Path)
		}
		if err := root.MkdirAll(path.Dir(l.Path), 0o755); err != nil {
			return fmt.Errorf("%w: %.120q: %w", ErrLinks, l.Path, err)
		}
		if err := root.Symlink(l.Target, l.Path); err != nil {
			return fmt.Errorf("%w: %.120q: %w", ErrLinks, l.Path, err)
		}
	}
	return nil
}

// maxHops bounds how many links one name may lead through, as Linux does.
const maxHops = 40

// resolver follows links inside a listing, by their text alone, as the kernel would.
type resolver struct {
	files   tree.Listing
	folders map[string]bool
	links   map[string]string // path to target
}

func newResolver(files tree.Listing, targets map[string]string) resolver {
	r := resolver{files: files, folders: map[string]bool{"": true}, links: targets}
	for _, e := range files {
		for d := path.Dir(e.Path); d != "."; d = path.Dir(d) {
			r.folders[d] = true
		}
	}
	return r
}

// keepInside says which links stay. A link that leads through one which goes, goes too.
func keepInside(files tree.Listing, targets map[string]string) map[string]bool {
	for {
		r := newResolver(files, targets)
		kept := make(map[string]string)
		for p, target := range targets {
			if r.inside(p) {
				kept[p] = target
			}
		}
		if len(kept) == len(targets) {
			break
		}
		targets = kept
		files = slices.DeleteFunc(slices.Clone(files), func(e tree.Entry) bool {
			_, stays := kept[e.Path]
			return e.Mode == scratch.ModeLink && !stays
		})
	}
	stay := make(map[string]bool, len(targets))
	for p := range targets {
		stay[p] = true
	}
	return stay
}

// inside reports whether the link at p leads to a file or folder of the tree without ever leaving it, and
// not to a folder that holds the link, in which a walk would go in circles.
func (r resolver) inside(p string) bool {
	hops := 0
	end, ok := r.follow(path.Dir(p), r.links[p], &hops)
	if !ok || end == "" || strings.HasPrefix(p, end+"/") {
		return false
	}
	if r.folders[end] {
		return true
	}
	e, ok := r.files.Find(end)
	return ok && e.Mode != scratch.ModeLink
}

// follow walks target from the folder at, part by part; "" is the root of the tree.
func (r resolver) follow(at, target string, hops *int) (string, bool) {
	if target == "" || strings.HasPrefix(target, "/") || strings.ContainsRune(target, 0) {
		return "", false
	}
	if at == "." {
		at = ""
	}
	for _, part := range strings.Split(target, "/") {
		switch part {
		case "", ".":
			continue
		case "..":
			if at == "" {
				return "", false
			}
			at = parent(at)
			continue
		}
		next := path.Join(at, part)
		if to, isLink := r.links[next]; isLink {
			*hops++
			if *hops > maxHops {
				return "", false
			}
			var ok bool
			if next, ok = r.follow(at, to, hops); !ok {
				return "", false
			}
		}
		at = next
	}
	return at, true
}

func parent(p string) string {
	d := path.Dir(p)
	if d == "." {
		return ""
	}
	return d
}
