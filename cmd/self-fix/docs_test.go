package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"selffix/internal/play"
	"selffix/internal/testrepo"
	"selffix/testdata"
)

// block is a fenced block of commands in a page.
type block struct {
	page string
	line int
	mark string // the word after "sh"
	text string
}

// The marks of blocks. A block of commands without one fails the test.
const (
	markRun    = "run"    // run here, in the page's folder; must end with 0
	markMake   = "make"   // targets of the Makefile
	markGitHub = "github" // needs GitHub or another host; self-fix's own lines are held to the command tree
)

var fenceForm = regexp.MustCompile("^ *```(.*)$")

// blocks reads the fenced sh blocks of a page.
func blocks(t *testing.T, root, page string) []block {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(root, page))
	if err != nil {
		t.Fatal(err)
	}
	var out []block
	var open *block
	inOther := false
	for i, line := range strings.Split(string(data), "\n") {
		m := fenceForm.FindStringSubmatch(line)
		switch {
		case m == nil && open != nil:
			open.text += strings.TrimLeft(line, " ") + "\n"
		case m == nil:
		case open != nil:
			out = append(out, *open)
			open = nil
		case inOther:
			inOther = false
		default:
			words := strings.Fields(m[1])
			if len(words) == 0 || !slices.Contains([]string{"sh", "bash", "shell", "console"}, words[0]) {
				inOther = true
				continue
			}
			open = &block{page: page, line: i + 1, mark: strings.Join(words[1:], " ")}
		}
	}
	if open != nil || inOther {
		t.Errorf("%s: a block is not closed", page)
	}
	return out
}

// pages are all pages with commands for people.
func pages(t *testing.T, root string) []string {
	t.Helper()
	out := []string{"README.md", "CONTRIBUTING.md", "SECURITY.md"}
	found, err := filepath.Glob(filepath.Join(root, "docs", "*.md"))
	if err != nil || len(found) < 5 {
		t.Fatalf("pages %v, error %v", found, err)
	}
	for _, f := range found {
		out = append(out, "docs/"+filepath.Base(f))
	}
	return out
}

// Each command of the documentation runs as it stands there, or is marked as needing GitHub and is still one that exists.
func TestDocumentedCommands(t *testing.T) {
	root := testrepo.Root(t)
	toRun := 0
	for _, page := range pages(t, root) {
		all := blocks(t, root, page)
		if len(all) == 0 {
			continue
		}
		for _, b := range all {
			if b.mark == markRun {
				toRun++
			}
		}
		t.Run(filepath.Base(page), func(t *testing.T) {
			var d *desk
			for _, b := range all {
				switch b.mark {
				case markRun:
					if d == nil {
						d = newDesk(t, page)
					}
					d.run(b)
				case markMake:
					targets(t, root, b)
				case markGitHub:
					exists(t, b)
				default:
					t.Errorf("%s:%d: a block of commands without a mark: expected ```sh run, make or github", b.page, b.line)
				}
			}
		})
	}
	if toRun == 0 {
		t.Error("no page has a command that is run")
	}
}

// desk is where the commands of one page run: a repository, with what its commands name beside it.
type desk struct {
	t         *testing.T
	dir, home string
}

func newDesk(t *testing.T, page string) *desk {
	t.Helper()
	if page == "docs/debug.md" {
		return sceneDesk(t)
	}
	up := t.TempDir()
	d := &desk{t: t, dir: filepath.Join(up, "repo"), home: filepath.Join(up, "home")}
	root := testrepo.Root(t)
	for from, to := range map[string]string{testrepo.Base(t): d.dir, filepath.Join(root, "testdata", "patches", "003-average-empty.patch"): filepath.Join(up, "fix.patch")} {
		if out, err := exec.Command("cp", "-r", from, to).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	d.put("home/.keep", "")
	if slices.Contains([]string{"docs/uninstall.md", "docs/upgrade.md"}, page) {
		d.run(block{page: page, text: "self-fix init --repo . --maintainer octocat --maintainer-id 583231 --review-app-id 123456\ngit add .github\ngit commit -q -m install\n"})
	}
	if page == "README.md" {
		seed, err := os.ReadFile(filepath.Join(root, "testdata", "policy", "seed.yaml"))
		if err != nil {
			t.Fatal(err)
		}
		d.put("repo/.github/self-fix.yaml", string(seed))
	}
	return d
}

// sceneDesk lays out the play of a repair: the model is a scripted one on loopback, which the sandbox's policy names.
func sceneDesk(t *testing.T) *desk {
	t.Helper()
	all, err := play.Load(testdata.Files, "plays")
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(all, func(p play.Play) bool { return p.Name == "repair" })
	if i < 0 {
		t.Fatal("there is no play of a repair")
	}
	scene := stageFix(t, all[i]).scene
	up := filepath.Dir(scene.Repo)
	d := &desk{t: t, dir: scene.Repo, home: filepath.Join(up, "home")}
	for from, to := range map[string]string{scene.Policy: "repo/.github/self-fix.yaml", scene.Report: "failure.txt", scene.TokenFile: "model-token"} {
		data, err := os.ReadFile(from)
		if err != nil {
			t.Fatal(err)
		}
		d.put(to, string(data))
	}
	d.put("home/.keep", "")
	return d
}

func (d *desk) put(name, text string) {
	d.t.Helper()
	path := filepath.Join(filepath.Dir(d.dir), name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		d.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		d.t.Fatal(err)
	}
}

// run runs a block as a person would type it, in the page's folder.
func (d *desk) run(b block) {
	d.t.Helper()
	cmd := exec.Command("bash", "-eu", "-o", "pipefail", "-c", b.text)
	cmd.Dir = d.dir
	cmd.Env = []string{"PATH=" + filepath.Dir(workerPath(d.t)) + ":" + os.Getenv("PATH"), "HOME=" + d.home, "XDG_CACHE_HOME=" + cacheHome(), "LC_ALL=C.UTF-8",
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.org", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.org"}
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Run(); err != nil {
		d.t.Fatalf("%s:%d: %v\n%s\n%s", b.page, b.line, err, b.text, out.String())
	}
}

// cacheHome is where the agent's program was brought to, so that a home of its own does not bring it again.
func cacheHome() string {
	if dir := os.Getenv("XDG_CACHE_HOME"); dir != "" {
		return dir
	}
	return filepath.Join(os.Getenv("HOME"), ".cache")
}

// targets demands that each line is a target of the Makefile.
func targets(t *testing.T, root string, b block) {
	t.Helper()
	makefile, err := os.ReadFile(filepath.Join(root, "Makefile"))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(b.text) {
		line, _, _ = strings.Cut(line, "#")
		target, ok := strings.CutPrefix(strings.TrimSpace(line), "make ")
		if !ok || !strings.Contains(string(makefile), "\n"+target+":") {
			t.Errorf("%s:%d: %q is no target of the Makefile", b.page, b.line, line)
		}
	}
}

// exists holds the self-fix lines of a block that is not run to the command tree: command and flags must be there.
func exists(t *testing.T, b block) {
	t.Helper()
	for line := range strings.Lines(b.text) {
		_, rest, ok := strings.Cut(line, "self-fix ")
		if !ok || strings.Contains(line, "/self-fix/") {
			continue
		}
		if err := parses(strings.Fields(rest)); err != nil {
			t.Errorf("%s:%d: %s: %v", b.page, b.line, strings.TrimSpace(line), err)
		}
	}
}

// parses reads a command line without running it.
func parses(args []string) error {
	root := newRoot(env{})
	c, rest, err := root.Find(args)
	if err != nil {
		return err
	}
	if c == root {
		return fmt.Errorf("no command %q", args)
	}
	if err := c.ParseFlags(rest); err != nil {
		return err
	}
	if err := c.ValidateRequiredFlags(); err != nil {
		return err
	}
	return c.ValidateArgs(c.Flags().Args())
}

func TestParsesRefuses(t *testing.T) {
	for _, line := range []string{"odd", "", "gate --odd", "doctor", "init --repo .", "version extra"} {
		if err := parses(strings.Fields(line)); err == nil {
			t.Errorf("%q: no error", line)
		}
	}
}

var linkForm = regexp.MustCompile(`\]\(([^)#]+)(?:#[^)]*)?\)`)

// Each relative link of a page leads to a file of the repository.
func TestLinks(t *testing.T) {
	root := testrepo.Root(t)
	for _, page := range pages(t, root) {
		data, err := os.ReadFile(filepath.Join(root, page))
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range linkForm.FindAllStringSubmatch(string(data), -1) {
			if strings.Contains(m[1], "://") {
				continue
			}
			if _, err := os.Stat(filepath.Join(root, filepath.Dir(page), m[1])); err != nil {
				t.Errorf("%s: the link to %q leads nowhere", page, m[1])
			}
		}
	}
}

// The threat model says first what it does not defend against: a reader who stops early must have read that.
func TestThreatModelIsLimitsFirst(t *testing.T) {
	data, err := os.ReadFile(filepath.Join(testrepo.Root(t), "docs", "threat-model.md"))
	if err != nil {
		t.Fatal(err)
	}
	text := string(data)
	forge, limits, holds := strings.Index(text, "can forge the review"), strings.Index(text, "\n## What it does not defend against"), strings.Index(text, "\n## What holds")
	if forge < 0 || forge > limits || limits > holds || strings.Index(text, "\n## ") != limits {
		t.Errorf("forged status at %d, limits at %d, what holds at %d", forge, limits, holds)
	}
}
