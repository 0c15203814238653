package checkout

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"selffix/internal/lazyregexp"
	"selffix/internal/scratch"
)

// ErrFetch marks a fetch that did not bring exactly the commit that was asked for.
var ErrFetch = errors.New("the tested commit was not fetched")

// repositoryForm is "owner/name" as GitHub allows it. Two dots in a row would climb in the address.
var repositoryForm = lazyregexp.New(`^[A-Za-z0-9][A-Za-z0-9-]{0,38}/[A-Za-z0-9._-]{1,100}$`)

// bareConfig is the whole configuration of the repository that is fetched into.
const bareConfig = "[core]\n\trepositoryformatversion = 0\n\tbare = true\n\thooksPath = /dev/null\n\tprotectHFS = true\n\tprotectNTFS = true\n[gc]\n\tauto = 0\n[maintenance]\n\tauto = false\n"

// Remote says what to fetch and from where.
type Remote struct {
	Base       string // the policy's github_git: "https://github.com"
	Repository string // owner/name, from this run's event or verdict
	Commit     string // 40 hexadecimal digits
	Token      string // sent to Base only, never in an argument
	MaxBytes   int64  // of one file that git writes, and of all together
	Timeout    time.Duration
}

func (r Remote) address() (string, error) {
	u, err := url.Parse(r.Base)
	if err != nil || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" || (u.Scheme != "https" && u.Scheme != "http") {
		return "", fmt.Errorf("%w: want a base address such as https://github.com", ErrFetch)
	}
	if !repositoryForm.MatchString(r.Repository) || strings.Contains(r.Repository, "..") || !commitForm.MatchString(r.Commit) {
		return "", fmt.Errorf("%w: want owner/name and a full commit id", ErrFetch)
	}
	return strings.TrimSuffix(r.Base, "/") + "/" + r.Repository + ".git", nil
}

// Fetch brings one commit and its tree, without history, into a new bare repository at dst. It has git
// check every object as it arrives and looks at none itself. Redirects are not followed, since a token
// would go along, and no submodule is looked for.
func Fetch(ctx context.Context, dst string, r Remote) error {
	address, err := r.address()
	if err != nil {
		return err
	}
	if r.MaxBytes <= 0 || r.Timeout <= 0 {
		return fmt.Errorf("%w: a limit is zero", ErrFetch)
	}
	if err := layBare(dst); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, r.Timeout)
	defer cancel()
	args := []string{
		"-c", "fetch.fsckObjects=true", "-c", "http.followRedirects=false", "-c", "protocol.version=2", "-c", "fetch.unpackLimit=1",
		"fetch", "--quiet", "--depth=1", "--no-tags", "--no-recurse-submodules", "--no-write-fetch-head", "--no-auto-maintenance",
		"--", address, r.Commit,
	}
	if err := runLimited(ctx, dst, args, r.environment(dst, address), r.MaxBytes); err != nil {
		return fmt.Errorf("%w: %w", ErrFetch, err)
	}
	if err := readable(dst); err != nil {
		return err
	}
	return fetched(dst, r.Commit, r.MaxBytes)
}

// readable lets steps of other users read what git wrote: behind the fence git may not set a file's mode by its
// path, and leaves an index of 0600.
func readable(dst string) error {
	err := filepath.WalkDir(dst, func(p string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		f, err := os.OpenFile(p, os.O_RDONLY|unix.O_NOFOLLOW, 0)
		if err != nil {
			return err
		}
		return errors.Join(f.Chmod(0o444), f.Close())
	})
	if err != nil {
		return fmt.Errorf("%w: %w", ErrFetch, err)
	}
	return nil
}

// environment is all that the fetching process gets to see.
func (r Remote) environment(dst, address string) []string {
	return append([]string{
		"PATH=/usr/local/bin:/usr/bin:/bin", "HOME=/nonexistent", "LC_ALL=C",
		"GIT_DIR=" + dst, "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_SYSTEM=/dev/null", "GIT_CONFIG_GLOBAL=/dev/null", "GIT_ATTR_NOSYSTEM=1",
		"GIT_TERMINAL_PROMPT=0", "GIT_NO_REPLACE_OBJECTS=1", "GIT_NO_LAZY_FETCH=1",
	}, r.access(address)...)
}

// Access is the address of the remote and what a git process needs in its environment to reach it.
func (r Remote) Access() (address string, env []string, err error) {
	if address, err = r.address(); err != nil {
		return "", nil, err
	}
	return address, r.access(address), nil
}

// access carries the token as configuration of one process: not in an argument, which every process of the
// machine may read, nor in a file, which outlives it.
func (r Remote) access(address string) []string {
	scheme, _, _ := strings.Cut(address, ":")
	env := []string{"GIT_ASKPASS=/bin/false", "GIT_ALLOW_PROTOCOL=" + scheme}
	if r.Token == "" {
		return env
	}
	basic := base64.StdEncoding.EncodeToString([]byte("x-access-token:" + r.Token))
	return append(env, "GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=http."+address+".extraHeader", "GIT_CONFIG_VALUE_0=Authorization: Basic "+basic)
}

// runLimited runs git with a limit on each file that it writes. What git says is dropped: it repeats names
// and, on some errors, the address.
func runLimited(ctx context.Context, dir string, args, env []string, fileBytes int64) error {
	cmd := exec.CommandContext(ctx, "git", args...)
	cmd.Dir, cmd.Env = dir, env
	cmd.Stdout, cmd.Stderr = io.Discard, io.Discard
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = 5 * time.Second
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("git fetch: %w", err)
	}
	limit := unix.Rlimit{Cur: uint64(fileBytes), Max: uint64(fileBytes)}
	if err := unix.Prlimit(cmd.Process.Pid, unix.RLIMIT_FSIZE, &limit, nil); err != nil {
		return errors.Join(fmt.Errorf("limit git: %w", err), cmd.Process.Kill(), cmd.Wait())
	}
	if err := cmd.Wait(); err != nil {
		if ctx.Err() != nil {
			return fmt.Errorf("git fetch: %w", context.Cause(ctx))
		}
		return fmt.Errorf("git fetch ended with %s: no such commit, no access, a bad object, or more than %d bytes", cmd.ProcessState, fileBytes)
	}
	return nil
}

// layBare makes an empty bare repository without a template.
func layBare(dst string) error {
	for _, d := range []string{"objects/pack", "objects/info", "refs/heads"} {
		if err := os.MkdirAll(filepath.Join(dst, d), 0o755); err != nil {
			return fmt.Errorf("make a bare repository: %w", err)
		}
	}
	err := os.WriteFile(filepath.Join(dst, "config"), []byte(bareConfig), 0o644)
	if err = errors.Join(err, os.WriteFile(filepath.Join(dst, "HEAD"), []byte("ref: refs/heads/none\n"), 0o644)); err != nil {
		return fmt.Errorf("make a bare repository: %w", err)
	}
	return nil
}

// fetched checks what the fetch left: the commit, shallow, within the limit.
func fetched(dst, commit string, limit int64) error {
	shallow, err := os.ReadFile(filepath.Join(dst, "shallow"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%w: %w", ErrFetch, err)
	}
	// A commit without parents is whole: git then writes no such file.
	if len(shallow) > 0 && strings.TrimSpace(string(shallow)) != commit {
		return fmt.Errorf("%w: it brought another commit", ErrFetch)
	}
	var total int64
	err = filepath.WalkDir(dst, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		info, err := d.Info()
		if err == nil {
			total += info.Size()
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("%w: %w", ErrFetch, err)
	}
	if total > limit {
		return fmt.Errorf("%w: %d bytes, the limit is %d", ErrFetch, total, limit)
	}
	return nil
}

// FetchLocal copies one commit and its tree, without history, out of a repository's object folder into a
// new bare repository at dst. Only objects are read of that repository: no configuration, no refs.
func FetchLocal(ctx context.Context, objects, commit, dst, scratchDir string, limit int64) error {
	if !commitForm.MatchString(commit) {
		return fmt.Errorf("%w: %.60q: want 40 hexadecimal digits in lower case", ErrCommit, commit)
	}
	f, err := scratch.Open(scratch.Repository{Objects: objects}, scratch.Options{Parent: scratchDir})
	if err != nil {
		return err
	}
	defer f.Close()
	names, err := f.Run(ctx, scratch.Command{Args: []string{"rev-list", "--objects", "--no-walk", "--no-object-names", commit}, Limit: 64 << 20})
	if err != nil {
		return fmt.Errorf("%w: %s is not in this repository, or not whole: %w", ErrCommit, commit, err)
	}
	if err := layBare(dst); err != nil {
		return err
	}
	pack := filepath.Join(dst, "objects", "pack", "tested.pack")
	if err := writePack(ctx, f, pack, names, limit); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dst, "shallow"), []byte(commit+"\n"), 0o644); err != nil {
		return fmt.Errorf("%w: %w", ErrFetch, err)
	}
	// The pack is checked in the new repository, which borrows nothing: what is missing is seen here.
	env := []string{"GIT_DIR=" + dst, "GIT_ALTERNATE_OBJECT_DIRECTORIES=", "GIT_INDEX_FILE=" + f.Path("index")}
	if _, err := f.Run(ctx, scratch.Command{Args: []string{"index-pack", "--strict", pack}, Env: env}); err != nil {
		return fmt.Errorf("%w: %w", ErrFetch, err)
	}
	return readable(dst)
}

func writePack(ctx context.Context, f *scratch.Folder, pack string, names []byte, limit int64) error {
	out, err := os.OpenFile(pack, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrFetch, err)
	}
	_, err = f.Run(ctx, scratch.Command{Args: []string{"pack-objects", "-q", "--stdout", "--threads=1"}, Stdin: names, Stdout: out, Limit: limit})
	if err = errors.Join(err, out.Close()); err != nil {
		return fmt.Errorf("%w: %w", ErrFetch, err)
	}
	return nil
}
