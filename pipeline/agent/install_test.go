package agent

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"
)

const fakeProgram = "#!/bin/false\n"

// fakePin is of a program that the fake npm brings.
func fakePin(t *testing.T) Pin {
	t.Helper()
	p, err := ThePin()
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256([]byte(fakeProgram))
	p.Bytes, p.SHA256, p.Platform = int64(len(fakeProgram)), hex.EncodeToString(sum[:]), runtime.GOOS+"/"+runtime.GOARCH
	return p
}

// bench is an installer whose npm is a script that keeps a record.
type bench struct {
	Installer
	dir string
	pin Pin
}

// newBench makes it; more is put into the script before it makes the program.
func newBench(t *testing.T, more string) *bench {
	t.Helper()
	b := &bench{dir: t.TempDir(), pin: fakePin(t)}
	script := `#!/bin/sh
PATH=/usr/bin:/bin
echo "$*" >> "` + b.dir + `/args"
env | cut -d= -f1 | sort > "` + b.dir + `/env"
cat .npmrc "$HOME"/*.npmrc > "` + b.dir + `/npmrc"
` + more + `
mkdir -p node_modules/.bin "$(dirname ` + b.pin.Binary + `)"
printf '#!/bin/false\n' > ` + b.pin.Binary + `
`
	if err := os.MkdirAll(filepath.Join(b.dir, "bin"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(b.dir, "bin", "npm"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	environment := map[string]string{
		"PATH": "node_modules/.bin:" + filepath.Join(b.dir, "bin"), "HOME": b.dir, "NODE_EXTRA_CA_CERTS": "/etc/ca.pem", "NODE_OPTIONS": "--require x",
		"npm_config_registry": "http://127.0.0.1:9", "NPM_TOKEN": "x", "GITHUB_TOKEN": "x",
	}
	b.Installer = Installer{Cache: filepath.Join(b.dir, "cache"), Source: FromRegistry, Getenv: func(n string) string { return environment[n] }}
	return b
}

func (b *bench) runs(t *testing.T) int {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(b.dir, "args"))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	return strings.Count(string(raw), "\n")
}

// left lists what lies in the cache beside the lock and the tools themselves.
func (b *bench) left(t *testing.T) []string {
	t.Helper()
	entries, err := os.ReadDir(filepath.Join(b.Cache, "agent"))
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, e := range entries {
		if e.Name() != digest() && e.Name() != digest()+".lock" {
			out = append(out, e.Name())
		}
	}
	return out
}

func TestInstall(t *testing.T) {
	b := newBench(t, "")
	tools, err := b.install(t.Context(), b.pin)
	if err != nil {
		t.Fatal(err)
	}
	if err := tools.Verify(t.Context()); err != nil {
		t.Error(err)
	}
	args, _ := os.ReadFile(filepath.Join(b.dir, "args"))
	if got := strings.Fields(string(args)); len(got) < 2 || got[0] != "ci" || got[1] != "--ignore-scripts" {
		t.Errorf("npm was called with %s", args)
	}
	env, _ := os.ReadFile(filepath.Join(b.dir, "env"))
	for _, name := range strings.Fields(string(env)) {
		switch name {
		case "HOME", "TMPDIR", "LC_ALL", "PATH", "NODE_EXTRA_CA_CERTS", "PWD", "_", "SHLVL", "OLDPWD":
		default:
			t.Errorf("npm was given %s", name)
		}
	}
	if !strings.Contains(string(env), "NODE_EXTRA_CA_CERTS") {
		t.Error("npm was not given the authorities of the machine's network")
	}
	if rc, err := os.ReadFile(filepath.Join(b.dir, "npmrc")); err != nil || len(rc) > 0 {
		t.Errorf("npm's configuration is %q, %v", rc, err)
	}
	for p, want := range map[string]os.FileMode{tools.Dir: 0o755, tools.Binary(): 0o755, tools.Settings(): 0o644, filepath.Dir(tools.Binary()): 0o755} {
		if info, err := os.Stat(p); err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: %v, %v", p, info.Mode(), err)
		}
	}
	b.Source = CacheOnly
	if _, err := b.install(t.Context(), b.pin); err != nil || b.runs(t) != 1 || len(b.left(t)) > 0 {
		t.Errorf("%v, %d runs, left %v", err, b.runs(t), b.left(t))
	}
}

func TestInstallAtOnce(t *testing.T) {
	b := newBench(t, "sleep 0.2")
	var all sync.WaitGroup
	for range 6 {
		all.Go(func() {
			if _, err := b.install(t.Context(), b.pin); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if b.runs(t) != 1 || len(b.left(t)) > 0 {
		t.Errorf("%d runs, left %v", b.runs(t), b.left(t))
	}
}

func TestInstallRefuses(t *testing.T) {
	for _, c := range []struct {
		name   string
		script string
		change func(*bench)
		want   error
		says   string
		runs   int
	}{
		{"offline", "", func(b *bench) { b.Source = CacheOnly }, ErrOffline, "without --offline", 0},
		{"another program", "trap 'echo x >> " + "node_modules/@anthropic-ai/claude-code-linux-x64/claude" + "' EXIT", nil, ErrHash, "bytes", 1},
		{"a program of the same length", "trap 'printf \"#!/bin/falsE\\n\" > node_modules/@anthropic-ai/claude-code-linux-x64/claude' EXIT", nil, ErrHash, "sha256", 1},
		{"a link", "trap 'ln -sf /bin/true node_modules/@anthropic-ai/claude-code-linux-x64/claude' EXIT", nil, ErrTools, "", 1},
		{"npm fails", "echo \"it is \x1b[31mbroken\" >&2; exit 3", nil, ErrTools, `\x1b[31mbroken`, 1},
		{"npm leaves nothing", "exit 0", nil, ErrTools, "", 1},
		{"no npm", "", func(b *bench) { b.Getenv = func(string) string { return "" } }, ErrTools, "npm is needed", 0},
		{"no environment", "", func(b *bench) { b.Getenv = nil }, ErrTools, "npm is needed", 0},
		{"another platform", "", func(b *bench) { b.pin.Platform = "plan9/mips" }, ErrTools, "plan9/mips", 0},
		{"another version", "", func(b *bench) { b.pin.Version = "9.9.9" }, ErrLock, "9.9.9", 0},
		{"a cache that is relative", "", func(b *bench) { b.Cache = "cache" }, ErrTools, "absolute", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := newBench(t, c.script)
			if c.change != nil {
				c.change(b)
			}
			tools, err := b.install(t.Context(), b.pin)
			if !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.says) || strings.Contains(err.Error(), "\x1b") || tools.Dir != "" {
				t.Errorf("got %v", err)
			}
			if b.runs(t) != c.runs {
				t.Errorf("npm ran %d times", b.runs(t))
			}
			if _, err := os.Stat(filepath.Join(b.Cache, "agent", digest())); !errors.Is(err, os.ErrNotExist) {
				t.Errorf("the cache has tools: %v", err)
			}
			if c.runs > 0 && len(b.left(t)) > 0 {
				t.Errorf("it left %v", b.left(t))
			}
		})
	}
}

// Tools that were changed in the cache are seen, and brought anew where that is allowed.
func TestInstallAfterTampering(t *testing.T) {
	for name, tamper := range map[string]func(Tools) error{
		"program":       func(t Tools) error { return os.WriteFile(t.Binary(), []byte("#!/bin/falsE\n"), 0o755) },
		"no program":    func(t Tools) error { return os.Remove(t.Binary()) },
		"settings":      func(t Tools) error { return os.WriteFile(t.Settings(), []byte("{}"), 0o644) },
		"long settings": func(t Tools) error { return os.WriteFile(t.Settings(), append(settingsJSON, ' '), 0o644) },
		"system prompt": func(t Tools) error { return os.WriteFile(t.System(), nil, 0o644) },
		"no settings":   func(t Tools) error { return os.Remove(t.Settings()) },
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, "")
			tools, err := b.install(t.Context(), b.pin)
			if err != nil {
				t.Fatal(err)
			}
			if err := tamper(tools); err != nil {
				t.Fatal(err)
			}
			if err := tools.Verify(t.Context()); !errors.Is(err, ErrTools) {
				t.Errorf("verify: got %v", err)
			}
			b.Source = CacheOnly
			if _, err := b.install(t.Context(), b.pin); !errors.Is(err, ErrTools) || b.runs(t) != 1 {
				t.Errorf("offline: got %v", err)
			}
			b.Source = FromRegistry
			if _, err := b.install(t.Context(), b.pin); err != nil || b.runs(t) != 2 {
				t.Errorf("with the registry: got %v", err)
			}
		})
	}
}

// Whatever a killed install left is removed by the next one, and stops nobody.
func TestInstallAfterACrash(t *testing.T) {
	b := newBench(t, "")
	stale := filepath.Join(b.Cache, "agent", digest()+".new-1")
	if err := os.MkdirAll(filepath.Join(stale, "install", "node_modules"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(b.Cache, "agent", digest()+".lock"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := b.install(t.Context(), b.pin); err != nil || len(b.left(t)) > 0 {
		t.Errorf("%v, left %v", err, b.left(t))
	}
}

func TestInstallIsCancelled(t *testing.T) {
	b := newBench(t, "sleep 600")
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		for b.waitForRun() {
			time.Sleep(10 * time.Millisecond)
		}
		cancel()
	}()
	if _, err := b.install(ctx, b.pin); !errors.Is(err, ErrTools) {
		t.Errorf("got %v", err)
	}
	if left := b.left(t); len(left) > 0 {
		t.Errorf("it left %v", left)
	}
}

// waitForRun reports whether npm has not started yet.
func (b *bench) waitForRun() bool {
	_, err := os.Stat(filepath.Join(b.dir, "env"))
	return err != nil
}

func TestBring(t *testing.T) {
	b := newBench(t, `cp package.json "$(dirname "$0")/../manifest"`)
	dest := filepath.Join(b.dir, "bot")
	lock := lockOf(goodEntry())
	if err := b.Bring(t.Context(), []byte(lock), dest); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(dest, "node_modules")); err != nil {
		t.Error(err)
	}
	if raw, err := os.ReadFile(filepath.Join(b.dir, "manifest")); err != nil || string(raw) != `{"dependencies":{"@bot/cli":"0.4.0"},"name":"tools","private":true,"version":"1.0.0"}` {
		t.Errorf("the manifest was %s, %v", raw, err)
	}
	if err := b.Bring(t.Context(), []byte(lockOf(goodEntry()+`, "resolved": "x"`)), dest+"2"); !errors.Is(err, ErrLock) || b.runs(t) != 1 {
		t.Errorf("got %v", err)
	}
	b.Source = CacheOnly
	if err := b.Bring(t.Context(), []byte(lock), dest+"2"); !errors.Is(err, ErrOffline) {
		t.Errorf("got %v", err)
	}
	left, err := filepath.Glob(filepath.Join(b.dir, "bot*.new-*"))
	if err != nil || len(left) > 0 {
		t.Errorf("it left %v", left)
	}
}

func TestCacheDir(t *testing.T) {
	for _, c := range []struct{ xdg, home, want string }{
		{"/x", "/h", "/x/self-fix"}, {"", "/h", "/h/.cache/self-fix"}, {"relative", "/h", "/h/.cache/self-fix"}, {"", "", ""}, {"", "relative", ""},
	} {
		got, err := CacheDir(func(n string) string { return map[string]string{"XDG_CACHE_HOME": c.xdg, "HOME": c.home}[n] })
		if got != c.want || (err == nil) != (c.want != "") || err != nil && !errors.Is(err, ErrTools) {
			t.Errorf("%+v: got %q, %v", c, got, err)
		}
	}
	if fmt.Sprint(CacheOnly) != "" {
		t.Error("the zero source must be the narrower one")
	}
}
