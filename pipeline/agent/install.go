package agent

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"
)

// Source says from where a program that is not in the cache yet may be brought.
type Source string

// The sources. The zero value is the narrower one.
const (
	CacheOnly    Source = ""         // --offline: what is in the cache, or ErrOffline
	FromRegistry Source = "registry" // npm's registry, as npm is configured by default
)

// installTime bounds one run of npm: some 180 MB are brought and unpacked.
const installTime = 15 * time.Minute

// CacheDir is where tools are kept, by the convention of the XDG base directories. getenv is os.Getenv outside of tests.
func CacheDir(getenv func(string) string) (string, error) {
	if dir := getenv("XDG_CACHE_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "self-fix"), nil
	}
	if home := getenv("HOME"); filepath.IsAbs(home) {
		return filepath.Join(home, ".cache", "self-fix"), nil
	}
	return "", fmt.Errorf("%w: neither XDG_CACHE_HOME nor HOME names a folder to keep it in", ErrTools)
}

// Installer brings the agent's program into a cache.
type Installer struct {
	Cache  string              // as CacheDir
	Source Source              //
	Getenv func(string) string // PATH to find npm, and what a company's network needs; nil: nothing, so only the cache
}

// passedEnv lists all that npm gets of the caller's environment: where npm and node are, and how to reach the registry
// through a company's network. What it brings is held to its integrity whoever answers. No npm_config_* is passed.
func passedEnv() []string {
	return []string{"PATH", "NODE_EXTRA_CA_CERTS", "SSL_CERT_FILE", "SSL_CERT_DIR", "HTTPS_PROXY", "https_proxy", "NO_PROXY", "no_proxy"}
}

// Install returns the verified tools, and brings them first where the cache has none. It may run at the same time in several
// processes: one brings them, the others wait. A crash at any moment leaves only a folder that the next one removes.
func (i Installer) Install(ctx context.Context) (Tools, error) {
	pin, err := ThePin()
	if err != nil {
		return Tools{}, err
	}
	return i.install(ctx, pin)
}

func (i Installer) install(ctx context.Context, pin Pin) (Tools, error) {
	if got := runtime.GOOS + "/" + runtime.GOARCH; got != pin.Platform {
		return Tools{}, fmt.Errorf("%w: the pinned program is for %s, and this machine is %s", ErrTools, pin.Platform, got)
	}
	if _, err := ownLock(pin); err != nil {
		return Tools{}, err
	}
	dir := filepath.Join(i.Cache, "agent", digest())
	tools, err := open(dir, pin)
	if err != nil {
		return Tools{}, err
	}
	switch err := tools.Verify(ctx); {
	case err == nil:
		return tools, nil
	case ctx.Err() != nil:
		return Tools{}, err
	case i.Source != FromRegistry && errors.Is(err, fs.ErrNotExist):
		return Tools{}, fmt.Errorf("%w: %w: run once without --offline, which keeps it in %q", ErrTools, ErrOffline, i.Cache)
	case i.Source != FromRegistry:
		return Tools{}, err
	}
	if err := i.bring(ctx, tools); err != nil {
		return Tools{}, err
	}
	return tools, nil
}

// bring installs under a lock. Whoever waited for it looks again before it works.
func (i Installer) bring(ctx context.Context, tools Tools) error {
	parent := filepath.Dir(tools.Dir)
	if err := os.MkdirAll(parent, 0o755); err != nil {
		return fmt.Errorf("%w: %w", ErrTools, err)
	}
	unlock, err := lockFile(ctx, tools.Dir+".lock")
	if err != nil {
		return fmt.Errorf("%w: %w", ErrTools, err)
	}
	defer unlock()
	if tools.Verify(ctx) == nil {
		return nil
	}
	if err := removeStale(parent, filepath.Base(tools.Dir)); err != nil {
		return fmt.Errorf("%w: %w", ErrTools, err)
	}
	work, err := os.MkdirTemp(parent, filepath.Base(tools.Dir)+".new-")
	if err != nil {
		return fmt.Errorf("%w: %w", ErrTools, err)
	}
	defer os.RemoveAll(work)
	if err := i.npm(ctx, work, packageJSON, packageLock); err != nil {
		return fmt.Errorf("%w: %w", ErrTools, err)
	}
	fresh, err := lay(work, tools.pin)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrTools, err)
	}
	if err := fresh.Verify(ctx); err != nil {
		return err
	}
	if err := os.Rename(fresh.Dir, tools.Dir); err != nil {
		return fmt.Errorf("%w: %w", ErrTools, err)
	}
	return nil
}

// Bring installs what another lockfile names, scripts off, into dest, which must not exist yet and gets a node_modules
// folder. The lockfile is held to the rule first, and the package.json beside it is never read.
func (i Installer) Bring(ctx context.Context, lock []byte, dest string) error {
	l, err := CheckLock(lock)
	if err != nil {
		return err
	}
	if i.Source != FromRegistry {
		return fmt.Errorf("%w: what the lockfile names", ErrOffline)
	}
	work, err := os.MkdirTemp(filepath.Dir(dest), filepath.Base(dest)+".new-")
	if err != nil {
		return fmt.Errorf("install from the lockfile: %w", err)
	}
	defer os.RemoveAll(work)
	if err := i.npm(ctx, work, l.Manifest(), lock); err != nil {
		return fmt.Errorf("install from the lockfile: %w", err)
	}
	for _, name := range []string{"package.json", "package-lock.json", ".npmrc"} {
		if err := os.Remove(filepath.Join(work, "install", name)); err != nil {
			return fmt.Errorf("install from the lockfile: %w", err)
		}
	}
	if err := os.Rename(filepath.Join(work, "install"), dest); err != nil {
		return fmt.Errorf("install from the lockfile: %w", err)
	}
	return nil
}

// lay puts what is kept of an install into a folder of its own: npm's tree and the two files beside it. Everybody may read it,
// since a step may run as a user of its own.
func lay(work string, pin Pin) (Tools, error) {
	dir := filepath.Join(work, "tools")
	if err := os.Mkdir(dir, 0o755); err != nil {
		return Tools{}, err
	}
	if err := os.Rename(filepath.Join(work, "install", "node_modules"), filepath.Join(dir, "node_modules")); err != nil {
		return Tools{}, err
	}
	for name, content := range map[string][]byte{settingsName: settingsJSON, systemName: systemText} {
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o644); err != nil {
			return Tools{}, err
		}
	}
	t := Tools{Dir: dir, pin: pin}
	return t, filepath.WalkDir(dir, func(p string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case e.Type()&fs.ModeSymlink != 0:
			return nil
		case e.IsDir() || p == t.Binary():
			return os.Chmod(p, 0o755)
		}
		return os.Chmod(p, 0o644)
	})
}

// npm runs "npm ci" with scripts off in a private folder, with empty configuration and a fresh environment, so that
// neither a user's .npmrc nor an npm_config_ variable has a say.
func (i Installer) npm(ctx context.Context, work string, manifest, lock []byte) error {
	install, home := filepath.Join(work, "install"), filepath.Join(work, "home")
	files := map[string][]byte{
		filepath.Join(install, "package.json"): manifest, filepath.Join(install, "package-lock.json"): lock,
		filepath.Join(install, ".npmrc"): nil, filepath.Join(home, "user.npmrc"): nil, filepath.Join(home, "global.npmrc"): nil,
	}
	for _, d := range []string{install, home} {
		if err := os.Mkdir(d, 0o700); err != nil {
			return err
		}
	}
	for name, content := range files {
		if err := os.WriteFile(name, content, 0o600); err != nil {
			return err
		}
	}
	env := i.npmEnv(home)
	program, err := lookPath("npm", env)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, installTime)
	defer cancel()
	c := exec.CommandContext(ctx, program, "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--no-update-notifier",
		"--loglevel=error", "--fetch-retries=1", "--userconfig="+filepath.Join(home, "user.npmrc"),
		"--globalconfig="+filepath.Join(home, "global.npmrc"), "--cache="+filepath.Join(home, "cache"))
	c.Dir, c.Env = install, env
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	c.Cancel = func() error { return syscall.Kill(-c.Process.Pid, syscall.SIGKILL) }
	c.WaitDelay = 10 * time.Second
	runtime.LockOSThread() // the kernel ties Pdeathsig to the thread that started the child
	defer runtime.UnlockOSThread()
	var said bytes.Buffer
	c.Stdout, c.Stderr = &said, &said
	if err := c.Run(); err != nil {
		return fmt.Errorf("npm ci: %w: %s", err, lastLines(said.String()))
	}
	return nil
}

func (i Installer) npmEnv(home string) []string {
	env := []string{"HOME=" + home, "TMPDIR=" + home, "LC_ALL=C.UTF-8"}
	if i.Getenv == nil {
		return env
	}
	for _, name := range passedEnv() {
		if v := i.Getenv(name); v != "" {
			env = append(env, name+"="+v)
		}
	}
	return env
}

// lookPath finds a program in the PATH of env, not in that of this process.
func lookPath(name string, env []string) (string, error) {
	at := slices.IndexFunc(env, func(e string) bool { return strings.HasPrefix(e, "PATH=") })
	if at < 0 {
		return "", fmt.Errorf("%s is needed, and there is no PATH to find it in", name)
	}
	for _, dir := range filepath.SplitList(strings.TrimPrefix(env[at], "PATH=")) {
		if !filepath.IsAbs(dir) {
			continue // a relative folder may be a pull request's
		}
		p := filepath.Join(dir, name)
		if info, err := os.Stat(p); err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0 {
			return p, nil
		}
	}
	return "", fmt.Errorf("%s is needed to bring it and is not installed", name)
}

// lastLines is the end of what a program said, on one line, each character visible.
func lastLines(s string) string {
	const most = 300
	s = strings.Join(strings.Fields(s), " ")
	if len(s) > most {
		s = s[len(s)-most:]
	}
	return fmt.Sprintf("%q", s)
}

// removeStale removes what a killed install left, and a folder that did not verify. The lock is held.
func removeStale(parent, name string) error {
	entries, err := os.ReadDir(parent)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if e.Name() == name || strings.HasPrefix(e.Name(), name+".new-") {
			if err := os.RemoveAll(filepath.Join(parent, e.Name())); err != nil {
				return err
			}
		}
	}
	return nil
}

// lockFile takes an exclusive lock that the kernel drops when this process ends, however it ends.
func lockFile(ctx context.Context, name string) (unlock func(), err error) {
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|syscall.O_NOFOLLOW, 0o644)
	if err != nil {
		return nil, err
	}
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if err == nil {
			return func() { f.Close() }, nil
		}
		if !errors.Is(err, syscall.EWOULDBLOCK) && !errors.Is(err, syscall.EINTR) {
			f.Close()
			return nil, fmt.Errorf("lock %q: %w", name, err)
		}
		select {
		case <-ctx.Done():
			f.Close()
			return nil, ctx.Err()
		case <-tick.C:
		}
	}
}
