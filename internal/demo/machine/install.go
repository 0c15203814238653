package machine

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"selffix/internal/demo"
	"selffix/pipeline/agent"
)

// install brings the runner of the application's tests where the cache lacks it, and returns its node_modules. The
// pinned agent is brought by the plan's own tools step.
func install(ctx context.Context, o Options, v *demo.Voice) (string, error) {
	source := agent.FromRegistry
	if o.Offline {
		source = agent.CacheOnly
	}
	in := agent.Installer{Cache: o.Cache, Source: source, Getenv: o.Getenv}
	v.Say("install", "the application's test runner, where %s lacks it", o.Cache)
	done := v.While("install", "still bringing it")
	defer done()
	modules, err := appModules(ctx, in, o.Files)
	if err != nil {
		return "", fmt.Errorf("install the test runner: %w", err)
	}
	v.Say("install", "it is there; the agent's program is brought by the step tools")
	return modules, nil
}

// appModules brings the test runner, scripts off, once for each lockfile. That is the application's own lockfile, whose
// root names esbuild beside tsx: a lockfile that lets a dependency's dependency bring programs is refused.
func appModules(ctx context.Context, in agent.Installer, files fs.FS) (string, error) {
	lock, err := fs.ReadFile(files, "demo/runner-lock.json")
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(lock)
	dir := filepath.Join(in.Cache, "demo-app", hex.EncodeToString(sum[:16]))
	modules := filepath.Join(dir, "node_modules")
	if isFolder(modules) {
		return modules, nil
	}
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		return "", err
	}
	// Two demos at once may both bring it: the first one's is taken.
	if err := in.Bring(ctx, lock, dir); err != nil && !isFolder(modules) {
		return "", err
	}
	return modules, nil
}

func isFolder(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.IsDir()
}
