package agent

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"
)

// installTime bounds one run of npm: some 180 MB are brought and unpacked.
const installTime = 15 * time.Minute

// passedEnv lists all that npm gets of the caller's environment: where npm and node are, and how to reach the registry
// through a company's network. What it brings is held to its integrity whoever answers. No npm_config_* is passed.
func passedEnv() []string {
	return []string{"PATH", "NODE_EXTRA_CA_CERTS", "SSL_CERT_FILE", "SSL_CERT_DIR", "HTTPS_PROXY", "https_proxy", "NO_PROXY", "no_proxy"}
}

// Bring installs what another lockfile names, scripts off, into dest, which must not exist yet and gets a node_modules
// folder. The lockfile is held to the rule first, and the package.json beside it is never read.
func (i Installer) Bring(ctx context.Context, lock []byte, dest string) error {
	l, err := CheckLock(lock)
	if err != nil {
		return err
	}
	return i.bringLock(ctx, l, lock, dest)
}

// BringProject is Bring for the packages of a project, of a lockfile that CheckProjectLock takes.
func (i Installer) BringProject(ctx context.Context, lock []byte, dest string) error {
	l, err := CheckProjectLock(lock)
	if err != nil {
		return err
	}
	return i.bringLock(ctx, l, lock, dest)
}

func (i Installer) bringLock(ctx context.Context, l Lock, lock []byte, dest string) error {
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
