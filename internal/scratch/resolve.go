package scratch

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"selffix/internal/lazyregexp"
)

// ErrRevision marks a revision that names no commit, or more than one.
var ErrRevision = errors.New("no such revision")

// maxSymbolic bounds how often one ref may point to another, as git does.
const maxSymbolic = 5

// maxName and maxSteps bound the two parts of a revision, in bytes.
const (
	maxName  = 251
	maxSteps = 224
)

var (
	// revisionForm is a name and steps to ancestors. "@{…}", ":" and ranges are left out: they read the reflog, the index or more than one commit.
	revisionForm = lazyregexp.New(`^([0-9A-Za-z_@][0-9A-Za-z_@./+=,-]*)((?:[~^][0-9]{0,6})*)$`)
	hexForm      = lazyregexp.New(`^[0-9a-f]+$`)
)

// Resolve turns a revision that a person wrote (a full or short id, HEAD, a branch, a tag, a remote branch, each with ~ and ^ steps)
// into a name that [CatFile.Get] understands in a scratch folder, which has no refs of its own. It reads refs as files and runs nothing.
func (r Repository) Resolve(revision string) (string, error) {
	m := revisionForm.FindStringSubmatch(revision)
	if m == nil || len(m[1]) > maxName || len(m[2]) > maxSteps {
		return "", fmt.Errorf("%w: %q: want an id, a branch, a tag or HEAD, with ~ or ^ behind it if need be", ErrRevision, cut(revision))
	}
	name, steps := m[1], m[2]
	if len(name) == 40 && hexForm.MatchString(name) {
		return name + steps, nil
	}
	id, err := r.ref(name)
	if err == nil {
		return id + steps, nil
	}
	if errors.Is(err, fs.ErrNotExist) && hexForm.MatchString(name) && len(name) >= 4 && len(name) < 40 {
		return name + steps, nil
	}
	if errors.Is(err, fs.ErrNotExist) {
		if len(name) == 40 && hexForm.MatchString(strings.ToLower(name)) {
			return "", fmt.Errorf("%w: %q: want an id in small letters", ErrRevision, revision)
		}
		return "", fmt.Errorf("%w: %q: the repository has no commit, branch or tag of that name", ErrRevision, revision)
	}
	return "", fmt.Errorf("%w: %q: %w", ErrRevision, revision, err)
}

// ref finds a ref by its short or full name. A name that means a branch and a tag is refused: which of them was meant would be a guess.
func (r Repository) ref(name string) (string, error) {
	if name == "@" {
		name = "HEAD"
	}
	if name == "HEAD" || strings.HasPrefix(name, "refs/") {
		return r.read(name, maxSymbolic)
	}
	found, err := "", error(fs.ErrNotExist)
	for _, prefix := range []string{"refs/tags/", "refs/heads/", "refs/remotes/"} {
		id, e := r.read(prefix+name, maxSymbolic)
		if errors.Is(e, fs.ErrNotExist) {
			continue
		}
		if e != nil {
			return "", e
		}
		if found != "" && found != id {
			return "", fmt.Errorf("the name means more than one ref; write it in full, such as refs/heads/%s", name)
		}
		found, err = id, nil
	}
	return found, err
}

// read returns what a full ref name points to.
func (r Repository) read(name string, depth int) (string, error) {
	if depth == 0 {
		return "", fmt.Errorf("refs point to one another more than %d deep", maxSymbolic)
	}
	if slices.Contains(strings.Split(name, "/"), "..") {
		return "", fmt.Errorf("a ref name holds no dot-dot")
	}
	dir := r.Common
	if name == "HEAD" {
		dir = r.GitDir
	}
	text, err := readRegular(filepath.Join(dir, filepath.FromSlash(name)), maxPointer)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) || isFolder(filepath.Join(dir, filepath.FromSlash(name))) {
		return r.packed(name)
	}
	if err != nil {
		return "", err
	}
	line := strings.TrimRight(string(text), "\r\n")
	if target, ok := strings.CutPrefix(line, "ref: "); ok {
		if !strings.HasPrefix(target, "refs/") {
			return "", fmt.Errorf("a ref points outside refs/")
		}
		return r.read(target, depth-1)
	}
	return objectID(line)
}

// packed looks a ref up in packed-refs.
func (r Repository) packed(name string) (string, error) {
	f, err := os.OpenFile(filepath.Join(r.Common, "packed-refs"), os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if err != nil {
		return "", err
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		if id, ref, ok := strings.Cut(lines.Text(), " "); ok && ref == name {
			return objectID(id)
		}
	}
	if err := lines.Err(); err != nil {
		return "", fmt.Errorf("packed-refs: %w", err)
	}
	return "", fs.ErrNotExist
}

// objectID checks that a ref holds a SHA-1 id. GitHub has no others.
func objectID(s string) (string, error) {
	if len(s) != 40 || !hexForm.MatchString(s) {
		return "", fmt.Errorf("a ref holds %q, want 40 hexadecimal digits", cut(s))
	}
	return s, nil
}

func isFolder(p string) bool {
	info, err := os.Lstat(p)
	return err == nil && info.IsDir()
}

// cut shortens untrusted text for a message.
func cut(s string) string {
	const most = 80
	if len(s) > most {
		return s[:most] + "…"
	}
	return s
}
