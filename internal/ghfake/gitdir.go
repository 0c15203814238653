package ghfake

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// gitDir is one bare repository, the source of truth for refs and objects. Objects never change, so what
// was read once is kept.
type gitDir struct {
	path    string
	env     []string
	mu      sync.Mutex
	cat     *exec.Cmd
	catIn   io.WriteCloser
	catOut  *bufio.Reader
	objects map[string]object
	ranges  map[string][]string
	within  map[string]bool
}

type object struct {
	kind string
	data []byte
}

// preReceive declines a direct push to a branch that protection lists, with the words that GitHub uses.
const preReceive = `#!/bin/sh
status=0
while read -r old new ref; do
	if grep -qxF "$ref" protected 2>/dev/null; then
		echo "error: GH006: Protected branch update failed for $ref." >&2
		status=1
	fi
done
exit $status
`

// gitConfig is what GitHub's side of a connection allows and refuses.
var gitConfig = [][2]string{
	{"http.receivepack", "true"},
	{"uploadpack.allowAnySHA1InWant", "true"},
	{"uploadpack.allowFilter", "true"},
	{"receive.fsckObjects", "true"},
	{"receive.hideRefs", "refs/pull"},
	{"receive.autogc", "false"},
	{"gc.auto", "0"},
	{"core.logAllRefUpdates", "false"},
}

// newGitDir makes an empty bare repository whose HEAD names branch.
func newGitDir(path, branch string) (*gitDir, error) {
	g := &gitDir{path: path, objects: map[string]object{}, ranges: map[string][]string{}, within: map[string]bool{}}
	g.env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + filepath.Dir(path), "GIT_CONFIG_NOSYSTEM=1",
		"GIT_CONFIG_GLOBAL=/dev/null", "GIT_TERMINAL_PROMPT=0", "LC_ALL=C", "GIT_DIR=" + path}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return nil, fmt.Errorf("ghfake: folder of a repository: %w", err)
	}
	if _, err := g.run(nil, "init", "-q", "--bare", "--template=", "--initial-branch="+branch, path); err != nil {
		return nil, err
	}
	var config strings.Builder
	for _, kv := range gitConfig {
		section, name, _ := strings.Cut(kv[0], ".")
		fmt.Fprintf(&config, "[%s]\n\t%s = %s\n", section, name, kv[1])
	}
	f, err := os.OpenFile(filepath.Join(path, "config"), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return nil, fmt.Errorf("ghfake: configuration of a repository: %w", err)
	}
	_, err = f.WriteString(config.String())
	if err := errors.Join(err, f.Close(), os.MkdirAll(filepath.Join(path, "hooks"), 0o755),
		os.WriteFile(filepath.Join(path, "hooks", "pre-receive"), []byte(preReceive), 0o755)); err != nil {
		return nil, fmt.Errorf("ghfake: configuration of a repository: %w", err)
	}
	return g, nil
}

// run runs git in the repository and gives back its output.
func (g *gitDir) run(stdin []byte, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(context.Background(), "git", args...)
	cmd.Env = g.env
	cmd.Stdin = bytes.NewReader(stdin)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("ghfake: git %s: %w: %.300s", args[0], err, stderr.Bytes())
	}
	return out, nil
}

// refs lists every ref with its object.
func (g *gitDir) refs() (map[string]string, error) {
	out, err := g.run(nil, "for-each-ref", "--format=%(refname) %(objectname)")
	if err != nil {
		return nil, err
	}
	refs := map[string]string{}
	for line := range strings.Lines(string(out)) {
		name, id, _ := strings.Cut(strings.TrimSpace(line), " ")
		refs[name] = id
	}
	return refs, nil
}

// setRefs makes the repository's refs exactly want.
func (g *gitDir) setRefs(want map[string]string) error {
	have, err := g.refs()
	if err != nil {
		return err
	}
	var script strings.Builder
	for name, id := range want {
		if have[name] != id {
			fmt.Fprintf(&script, "update %s %s\n", name, id)
		}
	}
	for name := range have {
		if _, ok := want[name]; !ok {
			fmt.Fprintf(&script, "delete %s\n", name)
		}
	}
	if script.Len() == 0 {
		return nil
	}
	_, err = g.run([]byte(script.String()), "update-ref", "--stdin")
	return err
}

// protect writes the list that the pre-receive hook reads.
func (g *gitDir) protect(refs []string) error {
	return os.WriteFile(filepath.Join(g.path, "protected"), []byte(strings.Join(refs, "\n")+"\n"), 0o600)
}

// object reads one object by a name that git understands; ok is false if there is none.
func (g *gitDir) object(name string) (object, bool, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if o, ok := g.objects[name]; ok {
		return o, true, nil
	}
	if strings.ContainsAny(name, "\n\x00") || name == "" {
		return object{}, false, nil
	}
	if err := g.startCat(); err != nil {
		return object{}, false, err
	}
	if _, err := io.WriteString(g.catIn, name+"\n"); err != nil {
		return object{}, false, fmt.Errorf("ghfake: ask git for an object: %w", err)
	}
	head, err := g.catOut.ReadString('\n')
	if err != nil {
		return object{}, false, fmt.Errorf("ghfake: git's answer about an object: %w", err)
	}
	fields := strings.Fields(head)
	if len(fields) != 3 || fields[1] == "missing" {
		return object{}, false, nil
	}
	size, err := strconv.Atoi(fields[2])
	if err != nil {
		return object{}, false, fmt.Errorf("ghfake: size of an object: %w", err)
	}
	data := make([]byte, size+1)
	if _, err := io.ReadFull(g.catOut, data); err != nil {
		return object{}, false, fmt.Errorf("ghfake: bytes of an object: %w", err)
	}
	o := object{kind: fields[1], data: data[:size]}
	if name == fields[0] {
		g.objects[name] = o
	}
	return o, true, nil
}

func (g *gitDir) startCat() error {
	if g.cat != nil {
		return nil
	}
	cmd := exec.CommandContext(context.Background(), "git", "cat-file", "--batch")
	cmd.Env = g.env
	in, err := cmd.StdinPipe()
	if err != nil {
		return fmt.Errorf("ghfake: start git cat-file: %w", err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return fmt.Errorf("ghfake: start git cat-file: %w", err)
	}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("ghfake: start git cat-file: %w", err)
	}
	g.cat, g.catIn, g.catOut = cmd, in, bufio.NewReader(out)
	return nil
}

func (g *gitDir) close() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.cat == nil {
		return nil
	}
	err := errors.Join(g.catIn.Close(), g.cat.Wait())
	g.cat = nil
	return err
}

// between lists the commits that head has and base has not, oldest first by author date, which is the order
// that GitHub lists a pull request's commits in and which their authors control.
func (g *gitDir) between(base, head string) ([]string, error) {
	g.mu.Lock()
	list, ok := g.ranges[base+".."+head]
	g.mu.Unlock()
	if ok {
		return list, nil
	}
	out, err := g.run(nil, "rev-list", "--topo-order", "--reverse", head, "^"+base)
	if err != nil {
		return nil, err
	}
	list = strings.Fields(string(out))
	when := map[string]int64{}
	for _, id := range list {
		c, _, err := g.commit(id)
		if err != nil {
			return nil, err
		}
		when[id] = c.author.Date.Unix()
	}
	slices.SortStableFunc(list, func(a, b string) int { return int(when[a] - when[b]) })
	g.mu.Lock()
	g.ranges[base+".."+head] = list
	g.mu.Unlock()
	return list, nil
}

// contains reports whether commit is an ancestor of tip, or tip itself.
func (g *gitDir) contains(tip, commit string) bool {
	if tip == commit {
		return true
	}
	g.mu.Lock()
	yes, known := g.within[commit+" "+tip]
	g.mu.Unlock()
	if known {
		return yes
	}
	_, err := g.run(nil, "merge-base", "--is-ancestor", commit, tip)
	g.mu.Lock()
	defer g.mu.Unlock()
	g.within[commit+" "+tip] = err == nil
	return err == nil
}
