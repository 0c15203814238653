package scratch

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// config is the whole configuration of a scratch folder. Names that macOS or Windows read as .git are refused
// (CVE-2014-9390); commit graphs are not used because a borrowed one is believed without a look at the commits.
const config = `[core]
	repositoryformatversion = 0
	bare = true
	protectHFS = true
	protectNTFS = true
	hooksPath = /dev/null
	attributesFile = /dev/null
	excludesFile = /dev/null
	fsmonitor = false
	commitGraph = false
	logAllRefUpdates = false
	autocrlf = false
	preloadIndex = false
[gc]
	auto = 0
[index]
	threads = 1
[apply]
	whitespace = nowarn
	ignoreWhitespace = no
[submodule]
	recurse = false
[maintenance]
	auto = false
`

// DefaultTimeout bounds a process whose command says nothing else.
const DefaultTimeout = time.Minute

// Options tune a scratch folder. The zero value is useful.
type Options struct {
	Parent  string        // the folder in which the scratch folder is made; "" is the system's folder for temporary files
	Git     string        // the git program; "" looks for it on the PATH
	Timeout time.Duration // of each process; 0 is DefaultTimeout
}

// Folder is a bare git folder that borrows objects. It must be closed; all that was made in it then goes.
// Its methods may be called from more than one goroutine, but two commands that write the index may not.
type Folder struct {
	root    string
	git     string
	env     []string
	timeout time.Duration
	running sync.WaitGroup
	closed  context.Context // ends when the folder is closed, and every process with it
	close   context.CancelFunc
}

// Open makes a scratch folder that borrows the objects of r; a zero Repository borrows nothing.
func Open(r Repository, o Options) (*Folder, error) {
	if o.Timeout < 0 {
		return nil, errors.New("a scratch folder wants a time limit of zero or more")
	}
	git, err := findGit(o.Git)
	if err != nil {
		return nil, err
	}
	root, err := os.MkdirTemp(o.Parent, "self-fix-git-")
	if err != nil {
		return nil, fmt.Errorf("make a scratch git folder: %w", err)
	}
	f := &Folder{root: root, git: git, timeout: o.Timeout}
	f.closed, f.close = context.WithCancel(context.Background())
	if f.timeout == 0 {
		f.timeout = DefaultTimeout
	}
	f.env = f.environment(r.Objects)
	if err := f.lay(); err != nil {
		return nil, errors.Join(fmt.Errorf("make a scratch git folder: %w", err), f.Close())
	}
	return f, nil
}

// findGit returns an absolute path, so that no folder a process is started in decides what runs.
func findGit(name string) (string, error) {
	if name == "" {
		name = "git"
	}
	p, err := exec.LookPath(name)
	if err != nil {
		return "", fmt.Errorf("find git: %w", err)
	}
	return filepath.Abs(p)
}

// lay writes the folder's parts: the fewest that git takes for a repository, without a process and without templates, which may hold
// hooks. git makes what it wants below them; the home folder that a process is told of is nowhere.
func (f *Folder) lay() error {
	for _, d := range []string{"git/objects", "git/refs", "work", "tmp"} {
		if err := os.MkdirAll(filepath.Join(f.root, d), 0o700); err != nil {
			return err
		}
	}
	if err := os.WriteFile(f.Path("git/HEAD"), []byte("ref: refs/heads/none\n"), 0o600); err != nil {
		return err
	}
	return os.WriteFile(f.Path("git/config"), []byte(config), 0o600)
}

// environment is all that a process gets to see. Nothing is taken over from the caller: GIT_* variables would move the index,
// add configuration or name another object store.
func (f *Folder) environment(objects string) []string {
	env := []string{
		"PATH=/usr/local/bin:/usr/bin:/bin",
		"HOME=" + f.Path("home"),
		"XDG_CONFIG_HOME=" + f.Path("home"),
		"TMPDIR=" + f.Path("tmp"),
		"LC_ALL=C",
		"TZ=UTC",
		"GIT_DIR=" + f.GitDir(),
		"GIT_INDEX_FILE=" + f.Path("index"),
		"GIT_CONFIG_NOSYSTEM=1",
		"GIT_CONFIG_SYSTEM=/dev/null",
		"GIT_CONFIG_GLOBAL=/dev/null",
		"GIT_ATTR_NOSYSTEM=1",
		"GIT_NO_REPLACE_OBJECTS=1",
		"GIT_NO_LAZY_FETCH=1",
		"GIT_OPTIONAL_LOCKS=0",
		"GIT_TERMINAL_PROMPT=0",
		"GIT_ALLOW_PROTOCOL=none",
		"GIT_PAGER=cat",
	}
	if objects != "" {
		env = append(env, "GIT_ALTERNATE_OBJECT_DIRECTORIES="+quoteC(objects))
	}
	return env
}

// room is what must still fit into the folder for git's refusal to be about what it was given, besides another index: in bytes.
const room = 1 << 20

// Room reports, as an error, that the folder's disk is full or fails: git then refuses what it would have taken.
func (f *Folder) Room() error {
	size := int64(room)
	if st, err := os.Stat(f.Path("index")); err == nil {
		size += st.Size()
	}
	probe := f.Path("tmp/room")
	defer os.Remove(probe)
	return os.WriteFile(probe, make([]byte, size), 0o600)
}

// Path joins a slash-separated name to the scratch folder.
func (f *Folder) Path(name string) string { return filepath.Join(f.root, filepath.FromSlash(name)) }

// GitDir is the bare git folder.
func (f *Folder) GitDir() string { return f.Path("git") }

// Objects is where git writes new objects.
func (f *Folder) Objects() string { return f.Path("git/objects") }

// Close ends what still runs in the folder and removes it.
func (f *Folder) Close() error {
	f.close()
	f.running.Wait()
	return os.RemoveAll(f.root)
}

// quoteC quotes a path as git does in lists that are separated by colons.
func quoteC(p string) string {
	var b strings.Builder
	b.WriteByte('"')
	for i := range len(p) {
		switch c := p[i]; {
		case c == '"' || c == '\\':
			b.WriteByte('\\')
			b.WriteByte(c)
		case c < 0x20 || c >= 0x7f:
			fmt.Fprintf(&b, `\%03o`, c)
		default:
			b.WriteByte(c)
		}
	}
	b.WriteByte('"')
	return b.String()
}
