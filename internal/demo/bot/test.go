package bot

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"selffix/internal/demo"
	"selffix/internal/tokens"
	"selffix/pipeline/checkout"
	"selffix/pipeline/fence"
	"selffix/pipeline/tree"
)

// ErrTests marks tests that could not be run, which is no verdict.
var ErrTests = errors.New("the stand-in for the test bot could not run the tests")

// Source is where the tested commit is brought from.
type Source struct {
	GitHub     string       // base URL; a sandbox's
	Repository string       // owner/name
	Token      tokens.Token // may read it; a sandbox's
}

// Bring writes the tree of one commit, on the bytes that GitHub serves, to dir, which must be empty. work is an empty folder for
// what lies on the way. It needs git.
func Bring(ctx context.Context, commit string, from Source, dir, work string) error {
	if err := tokens.Check(true, from.GitHub, from.Token); err != nil {
		return err
	}
	if !from.Token.Sandbox() {
		return fmt.Errorf("%w: want a sandbox's token", ErrTests)
	}
	objects := filepath.Join(work, "objects.git")
	err := checkout.Fetch(ctx, objects, checkout.Remote{
		Base: from.GitHub, Repository: from.Repository, Commit: commit, Token: from.Token.Reveal(), MaxBytes: 64 << 20, Timeout: time.Minute,
	})
	if err != nil {
		return err
	}
	trees, err := checkout.Materialise(ctx, filepath.Join(objects, "objects"), commit, dir, checkout.Options{Scratch: work, Limits: tree.DefaultLimits()})
	if err != nil {
		return err
	}
	return checkout.MakeLinks(dir, trees.Links)
}

// Options are what the tests run with.
type Options struct {
	Helper  fence.Helper
	App     string // the tree that Bring wrote
	Modules string // node_modules of the test runner
	Work    string // an empty folder
	Getenv  func(string) string
	Began   time.Time
}

// Test runs the application's tests behind the fence. It needs Node.
func Test(ctx context.Context, commit string, o Options) (demo.TestRun, error) {
	run := demo.TestRun{Commit: commit, Began: o.Began.UTC(), Failing: []string{}}
	home, modules := filepath.Join(o.Work, "home"), filepath.Join(o.Work, "node_modules")
	if err := os.Mkdir(home, 0o755); err != nil {
		return run, err
	}
	// A copy: the cache may lie below a folder that the fence's own user may not enter.
	if err := os.CopyFS(modules, os.DirFS(o.Modules)); err != nil {
		return run, err
	}
	return runTests(ctx, run, o, o.App, home, modules)
}

// runAll runs every test file in one process, from the folder of the application.
const runAll = `import { pathToFileURL } from "node:url"; for (const f of process.argv.slice(1)) await import(pathToFileURL(f).href);`

func runTests(ctx context.Context, run demo.TestRun, o Options, app, home, modules string) (demo.TestRun, error) {
	node, paths, err := program("node", o.Getenv)
	if err != nil {
		return run, err
	}
	tests, err := testFiles(app)
	if err != nil {
		return run, err
	}
	var said bytes.Buffer
	r, err := fence.Run(ctx, fence.Options{
		Helper: o.Helper, Profile: fence.Tools, Timeout: time.Minute, Dir: app,
		Args: append([]string{node, "--import", "file://" + modules + "/tsx/dist/loader.mjs", "--test-reporter=tap", "--input-type=module", "--eval", runAll, "--"}, tests...),
		Read: append(paths, app, modules), Write: []string{home}, Stdout: &said, Stderr: &said,
		Env: []string{"PATH=/usr/local/bin:/usr/bin:/bin", "HOME=" + home, "TMPDIR=" + home, "OPENSSL_CONF=/dev/null", "LC_ALL=C", "TZ=UTC"},
	})
	if err != nil {
		return run, err
	}
	return read(run, r, said.String())
}

var (
	countLine   = regexp.MustCompile(`(?m)^# (pass|fail) ([0-9]+)$`)
	failingLine = regexp.MustCompile(`(?m)^ *not ok [0-9]+ - (.+)$`)
)

// read takes the verdict from the runner's exit code and its summary; where they disagree there is none.
func read(t demo.TestRun, r fence.Result, said string) (demo.TestRun, error) {
	counts := map[string]string{}
	for _, m := range countLine.FindAllStringSubmatch(said, -1) {
		counts[m[1]] = m[2]
	}
	for _, m := range failingLine.FindAllStringSubmatch(said, -1) {
		t.Failing = append(t.Failing, m[1])
	}
	t.Output = strings.ToValidUTF8(said[:min(len(said), demo.MaxOutputBytes)], "")
	passed, err := strconv.Atoi(counts["pass"])
	green := counts["fail"] == "0"
	switch {
	case err != nil, r.End != fence.Exited, counts["fail"] == "", green != (r.Code == 0), green != (len(t.Failing) == 0):
		return t, fmt.Errorf("%w: %v: %.600q", ErrTests, r, said)
	case green:
		t.State = "success"
	default:
		t.State = "failure"
	}
	t.Passed = passed
	return t, nil
}

// testFiles lists the tests of the application, relative to its folder.
func testFiles(app string) ([]string, error) {
	var found []string
	err := fs.WalkDir(os.DirFS(app), "packages", func(p string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() && strings.HasSuffix(p, ".test.ts") {
			found = append(found, p)
		}
		return err
	})
	if err == nil && len(found) == 0 {
		err = fmt.Errorf("%w: there are none", ErrTests)
	}
	return found, err
}

// program finds a program, and the folders that it needs behind the fence.
func program(name string, getenv func(string) string) (at string, paths []string, err error) {
	for _, p := range []string{"/usr", "/bin", "/lib", "/lib64", "/etc/ld.so.cache"} {
		if _, err := os.Stat(p); err == nil {
			paths = append(paths, p)
		}
	}
	for _, dir := range filepath.SplitList(getenv("PATH")) {
		at := filepath.Join(dir, name)
		info, err := os.Stat(at)
		if !filepath.IsAbs(at) || err != nil || !info.Mode().IsRegular() || info.Mode()&0o111 == 0 {
			continue
		}
		real, err := filepath.EvalSymlinks(at)
		if err != nil {
			return "", nil, err
		}
		if !slices.ContainsFunc(paths, func(p string) bool { return strings.HasPrefix(real, p+"/") }) {
			paths = append(paths, filepath.Dir(filepath.Dir(real)))
		}
		return real, paths, nil
	}
	return "", nil, fmt.Errorf("%w: no %s in PATH", ErrTests, name)
}
