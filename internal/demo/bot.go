package demo

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
	"strings"
	"time"

	"selffix/internal/ghfake"
	"selffix/pipeline"
	"selffix/pipeline/checkout"
	"selffix/pipeline/fence"
	"selffix/pipeline/tree"
)

// errBot marks tests that could not be run, which is no verdict.
var errBot = errors.New("the stand-in for the test bot could not run the tests")

// testRun is what the application's tests said about one commit.
type testRun struct {
	commit, state string // state: "success" or "failure"
	began         time.Time
	passed        string
	failing       []string // names of tests
	output        string
}

// botTests lets the stand-in for the test bot do its work: it brings the head of the pull request, runs the
// application's own tests on it behind the fence, and posts the verdict.
func (s *stage) botTests(ctx context.Context) (testRun, ghfake.Status, error) {
	sha := s.pull.Head()
	row := s.begin("test-bot", nil, []string{string(pipeline.PullRequestCode)})
	s.voice.say("test-bot", "runs the application's tests on %.10s, behind the fence", sha)
	done := s.voice.while("test-bot", "still testing")
	run, err := s.test(ctx, sha)
	done()
	if err != nil {
		row.end("undecided")
		return run, ghfake.Status{}, err
	}
	row.end(run.state)
	status := s.repo.PostStatus(s.bot, sha, s.policy.Bot.Context, run.state)
	s.voice.say("test-bot", "%s: %s tests pass, failing: %s", run.state, run.passed, list(run.failing))
	return run, status, nil
}

// test runs the tests of one commit on the bytes that GitHub serves.
func (s *stage) test(ctx context.Context, sha string) (testRun, error) {
	run := testRun{commit: sha, began: s.gh.Clock.Now()}
	work, err := s.ip.Folder("preview-" + sha[:12])
	if err != nil {
		return run, err
	}
	app, home, modules := filepath.Join(work, "app"), filepath.Join(work, "home"), filepath.Join(work, "node_modules")
	for _, d := range []string{app, home} {
		if err := os.Mkdir(d, 0o755); err != nil {
			return run, err
		}
	}
	err = checkout.Fetch(ctx, filepath.Join(work, "objects.git"), checkout.Remote{
		Base: s.gh.URL, Repository: "maintainer/app", Commit: sha, Token: ghfake.ReadToken, MaxBytes: 64 << 20, Timeout: time.Minute,
	})
	if err != nil {
		return run, err
	}
	if _, err := checkout.Materialise(ctx, filepath.Join(work, "objects.git", "objects"), sha, app, checkout.Options{Scratch: home, Limits: tree.DefaultLimits()}); err != nil {
		return run, err
	}
	// A copy: the cache may lie below a folder that the fence's own user may not enter.
	if err := os.CopyFS(modules, os.DirFS(s.modules)); err != nil {
		return run, err
	}
	return s.runTests(ctx, run, app, home, modules)
}

// runAll runs every test file in one process, from the folder of the application.
const runAll = `import { pathToFileURL } from "node:url"; for (const f of process.argv.slice(1)) await import(pathToFileURL(f).href);`

func (s *stage) runTests(ctx context.Context, run testRun, app, home, modules string) (testRun, error) {
	node, paths, err := program("node", s.o.Getenv)
	if err != nil {
		return run, err
	}
	tests, err := testFiles(app)
	if err != nil {
		return run, err
	}
	var said bytes.Buffer
	r, err := fence.Run(ctx, fence.Options{
		Helper: s.o.Helper, Profile: fence.Tools, Timeout: time.Minute, Dir: app,
		Args: append([]string{node, "--import", "file://" + modules + "/tsx/dist/loader.mjs", "--test-reporter=tap", "--input-type=module", "--eval", runAll, "--"}, tests...),
		Read: append(paths, app, modules), Write: []string{home}, Stdout: &said, Stderr: &said,
		Env: []string{"PATH=/usr/local/bin:/usr/bin:/bin", "HOME=" + home, "TMPDIR=" + home, "OPENSSL_CONF=/dev/null", "LC_ALL=C", "TZ=UTC"},
	})
	if err != nil {
		return run, err
	}
	return run.read(r, said.String())
}

var (
	countLine   = regexp.MustCompile(`(?m)^# (pass|fail) ([0-9]+)$`)
	failingLine = regexp.MustCompile(`(?m)^ *not ok [0-9]+ - (.+)$`)
)

// read takes the verdict from the runner's exit code and its summary; where they disagree there is none.
func (t testRun) read(r fence.Result, said string) (testRun, error) {
	counts := map[string]string{}
	for _, m := range countLine.FindAllStringSubmatch(said, -1) {
		counts[m[1]] = m[2]
	}
	for _, m := range failingLine.FindAllStringSubmatch(said, -1) {
		t.failing = append(t.failing, m[1])
	}
	t.output, t.passed = said, counts["pass"]
	green := counts["fail"] == "0"
	switch {
	case r.End != fence.Exited || counts["pass"] == "" || counts["fail"] == "" || green != (r.Code == 0) || green != (len(t.failing) == 0):
		return t, fmt.Errorf("%w: %v: %.600q", errBot, r, said)
	case green:
		t.state = "success"
	default:
		t.state = "failure"
	}
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
		err = fmt.Errorf("%w: there are none", errBot)
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
	return "", nil, fmt.Errorf("%w: no %s in PATH", errBot, name)
}
