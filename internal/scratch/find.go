package scratch

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// ErrRepository marks a folder that holds no repository which can be borrowed from.
var ErrRepository = errors.New("no usable git repository")

// maxPointer bounds the small files that point at git folders: ".git", "commondir", "gitdir", a loose ref.
const maxPointer = 4096

// maxAlternates bounds objects/info/alternates, and maxAlternateDepth how far one leads to the next (git's own limit).
const (
	maxAlternates     = 64 << 10
	maxAlternateDepth = 5
)

// Repository says where a repository's parts lie. Nothing of it is trusted: only its objects and, to resolve a
// name, its refs are read.
type Repository struct {
	GitDir  string // HEAD of this work tree
	Common  string // refs and objects that all work trees share
	Objects string

	// Borrowed are the further object stores that Objects names as its alternates, and theirs in turn: what "git clone
	// --shared" and "--reference" leave.
	Borrowed []string
}

// Find looks for the repository of dir: a bare repository, or a work tree (or a folder in one) with a .git folder or a
// linked work tree's .git file. A parent folder is only looked at as long as it belongs to the owner of dir, so
// that nobody else can plant a repository above it (CVE-2022-24765).
func Find(dir string) (Repository, error) {
	top, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return Repository{}, fmt.Errorf("%w: %w", ErrRepository, err)
	}
	if top, err = filepath.Abs(top); err != nil {
		return Repository{}, fmt.Errorf("%w: %w", ErrRepository, err)
	}
	owner, err := ownerOf(top)
	if err != nil {
		return Repository{}, fmt.Errorf("%w: %w", ErrRepository, err)
	}
	for at := top; ; at = filepath.Dir(at) {
		git, found, err := gitDirAt(at)
		if err != nil {
			return Repository{}, fmt.Errorf("%w: %w", ErrRepository, err)
		}
		if found {
			return repositoryAt(git)
		}
		parent := filepath.Dir(at)
		if o, err := ownerOf(parent); err != nil || o != owner || parent == at {
			return Repository{}, fmt.Errorf("%w: neither %q nor a folder above it that has the same owner is a work tree or a bare repository", ErrRepository, dir)
		}
	}
}

// gitDirAt returns the git folder that belongs to the folder at, if there is one.
func gitDirAt(at string) (string, bool, error) {
	dotGit := filepath.Join(at, ".git")
	info, err := os.Lstat(dotGit)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return at, looksBare(at), nil
	case err != nil:
		return "", false, err
	case info.IsDir():
		return dotGit, true, nil
	case info.Mode().IsRegular():
		git, err := linkedGitDir(dotGit)
		return git, err == nil, err
	}
	return "", false, fmt.Errorf("%q is neither a folder nor a regular file", dotGit)
}

// looksBare reports whether a folder has the three entries that make git take it for a repository.
func looksBare(at string) bool {
	head, err1 := os.Lstat(filepath.Join(at, "HEAD"))
	objects, err2 := os.Lstat(filepath.Join(at, "objects"))
	refs, err3 := os.Lstat(filepath.Join(at, "refs"))
	return err1 == nil && err2 == nil && err3 == nil && head.Mode().IsRegular() && objects.IsDir() && refs.IsDir()
}

// linkedGitDir follows the .git file of a linked work tree. The file is part of a tree and anybody may have written it,
// so its target must name it in turn, as "git worktree add" leaves them.
func linkedGitDir(dotGit string) (string, error) {
	target, err := readPointer(dotGit, "gitdir: ")
	if err != nil {
		return "", err
	}
	git := absolute(filepath.Dir(dotGit), target)
	back, err := readPointer(filepath.Join(git, "gitdir"), "")
	if err != nil {
		return "", fmt.Errorf("%q points to a folder that does not point back; name the git folder itself instead: %w", dotGit, err)
	}
	backPath, err := filepath.EvalSymlinks(absolute(git, back))
	if err != nil || backPath != dotGit {
		return "", fmt.Errorf("%q points to the git folder of another work tree; name the git folder itself instead", dotGit)
	}
	return git, nil
}

// repositoryAt checks the parts of a git folder.
func repositoryAt(git string) (Repository, error) {
	r := Repository{GitDir: git, Common: git}
	common, err := readPointer(filepath.Join(git, "commondir"), "")
	switch {
	case err == nil:
		r.Common = absolute(git, common)
	case !errors.Is(err, fs.ErrNotExist):
		return Repository{}, fmt.Errorf("%w: %w", ErrRepository, err)
	}
	r.Objects = filepath.Join(r.Common, "objects")
	if r.Borrowed, err = checkObjects(r.Objects, maxAlternateDepth); err != nil {
		return Repository{}, fmt.Errorf("%w: %w", ErrRepository, err)
	}
	return r, nil
}

// checkObjects refuses an object store that is not made of plain folders, and the same in every store it borrows from.
// It returns those.
func checkObjects(dir string, depth int) ([]string, error) {
	if depth < 0 {
		return nil, fmt.Errorf("object stores borrow from one another more than %d deep at %q", maxAlternateDepth, dir)
	}
	if err := wantFolder(dir); err != nil {
		return nil, err
	}
	for _, sub := range []string{"pack", "info"} {
		if err := wantFolder(filepath.Join(dir, sub)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
	}
	text, err := readRegular(filepath.Join(dir, "info", "alternates"), maxAlternates)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var borrowed []string
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSuffix(line, "\n")
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		if strings.HasPrefix(line, `"`) {
			return nil, fmt.Errorf("%q borrows from a quoted path, which is not supported", dir)
		}
		store := absolute(dir, line)
		further, err := checkObjects(store, depth-1)
		if err != nil {
			return nil, err
		}
		borrowed = append(append(borrowed, store), further...)
	}
	return borrowed, nil
}

// wantFolder refuses whatever is not a folder itself: a link would lead to objects of somebody's choice.
func wantFolder(p string) error {
	info, err := os.Lstat(p)
	if err != nil {
		return err
	}
	if !info.IsDir() {
		return fmt.Errorf("%q is not a folder", p)
	}
	return nil
}

// readPointer reads a one-line file and cuts the prefix that it must have.
func readPointer(p, prefix string) (string, error) {
	text, err := readRegular(p, maxPointer)
	if err != nil {
		return "", err
	}
	line, ok := strings.CutPrefix(strings.TrimRight(string(text), "\r\n"), prefix)
	if !ok || line == "" || strings.ContainsAny(line, "\x00\n") {
		return "", fmt.Errorf("%q does not hold one line %q and a path", p, prefix)
	}
	return line, nil
}

// readRegular reads a regular file of at most limit bytes and never follows a link or waits for a pipe.
func readRegular(p string, limit int64) ([]byte, error) {
	f, err := os.OpenFile(p, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%q is not a regular file", p)
	}
	text, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err != nil {
		return nil, err
	}
	if int64(len(text)) > limit {
		return nil, fmt.Errorf("%q is longer than %d bytes", p, limit)
	}
	return text, nil
}

// absolute reads a path as written in a file of the folder dir.
func absolute(dir, p string) string {
	if filepath.IsAbs(p) {
		return filepath.Clean(p)
	}
	return filepath.Join(dir, p)
}

// ownerOf is the user id that a folder belongs to.
func ownerOf(p string) (uint32, error) {
	info, err := os.Lstat(p)
	if err != nil {
		return 0, err
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, fmt.Errorf("the owner of %q cannot be read on this system", p)
	}
	return stat.Uid, nil
}
