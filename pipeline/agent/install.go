package agent

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
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
