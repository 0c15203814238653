//go:build linux && (amd64 || arm64)

package fence

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"selffix/internal/modelfake"
)

// systemPaths are what programs of the system live in.
func systemPaths() []string {
	var all []string
	for _, p := range []string{"/usr", "/bin", "/lib", "/lib64", "/etc/ld.so.cache"} {
		if _, err := os.Stat(p); err == nil {
			all = append(all, p)
		}
	}
	return all
}

// programOf skips the test where a program is not installed, and gives its path and the folder of its installation if
// that lies elsewhere than the system's.
func programOf(t *testing.T, name string) (string, []string) {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		t.Skipf("no %s here", name)
	}
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		t.Fatal(err)
	}
	if covers(systemPaths(), real) {
		return path, nil
	}
	return path, []string{filepath.Dir(path), filepath.Dir(filepath.Dir(real))}
}

// TestGit does with git what steps do with it, in the tools profile: a repository, objects, an index, a tree, a commit, a bundle
// of them, and a walk, with several processes and pipes.
func TestGit(t *testing.T) {
	git, more := programOf(t, "git")
	script := strings.Join([]string{
		"set -e", git + " --version", git + " init -q .", "echo text > file", git + " add file",
		"tree=$(" + git + " write-tree)", "commit=$(echo message | " + git + " commit-tree $tree)", git + " update-ref HEAD $commit",
		git + " cat-file -p $commit | grep message", git + " ls-tree -rz $tree | tr '\\0' '\\n'", git + " repack -qad", git + " fsck --strict",
		"echo more >> file", git + " diff --no-ext-diff HEAD | grep '^+more'", git + " apply --numstat --cached < /dev/null || true",
		git + " rev-list --objects HEAD | " + git + " pack-objects -q --stdout > pack", git + " index-pack --strict pack -o pack.idx"}, "\n")
	eachWay(t, func(t *testing.T, way string) {
		dir := folder(t)
		var out bytes.Buffer
		result, err := runIn(t, way, Options{Profile: Tools, Args: []string{"/bin/sh", "-c", script}, Dir: dir, Read: append(systemPaths(), more...),
			Write: []string{dir}, Stdout: &out, Stderr: &out, Env: []string{"PATH=/usr/bin:/bin", "HOME=" + dir, "GIT_CONFIG_NOSYSTEM=1",
				"GIT_CONFIG_GLOBAL=/dev/null", "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.invalid", "GIT_COMMITTER_NAME=a",
				"GIT_COMMITTER_EMAIL=a@example.invalid"}})
		if err != nil || result.Code != 0 || result.End != Exited {
			t.Errorf("%v, %v\n%s", result, err, out.String())
		}
		t.Log(out.String())
	})
}

// TestNode runs scripts with timers, files, threads and children. Without a root of its own /etc/ssl/openssl.cnf is there and refused,
// which node takes for an error.
func TestNode(t *testing.T) {
	node, more := programOf(t, "node")
	const script = `
const { execFileSync, spawn } = require("child_process"), fs = require("fs"), { Worker } = require("worker_threads");
fs.writeFileSync("a.txt", "x"); fs.renameSync("a.txt", "b.txt"); fs.mkdirSync("d/e", { recursive: true }); fs.copyFileSync("b.txt", "d/e/c.txt");
const sum = execFileSync(process.execPath, ["-e", "console.log(1+1)"]).toString().trim();
const child = spawn(process.execPath, ["-e", "setTimeout(() => {}, 60000)"]);
child.on("exit", (code, signal) => new Worker("require('worker_threads').parentPort.postMessage(3)", { eval: true })
  .on("message", m => setTimeout(() => console.log(sum, signal, m, fs.readdirSync("d/e").join()), 5)));
child.on("spawn", () => child.kill());`
	eachWay(t, func(t *testing.T, way string) {
		dir := folder(t)
		var out bytes.Buffer
		result, err := runIn(t, way, Options{Profile: Tools, Args: []string{node, "-e", script}, Dir: dir, Read: append(systemPaths(), more...),
			Write: []string{dir}, Stdout: &out, Stderr: &out, Env: []string{"OPENSSL_CONF=/dev/null"}})
		if err != nil || result.Code != 0 || out.String() != "2 SIGTERM 3 c.txt\n" {
			t.Errorf("%v, %v\n%s", result, err, out.String())
		}
	})
}

// agentProgram is the real agent where it has been unpacked already: in the cache that the commands share.
func agentProgram(t *testing.T) string {
	t.Helper()
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Skip(err)
	}
	var found string
	for _, root := range []string{filepath.Join(cache, "self-fix"), filepath.Join(cache, "self-fix-scratch")} {
		_ = filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
			if err == nil && !d.IsDir() && d.Name() == "claude" && strings.HasPrefix(filepath.Base(filepath.Dir(p)), "claude-code-linux-") {
				found = p
				return fs.SkipAll
			}
			return nil
		})
	}
	if found == "" {
		t.Skip("the agent's program is not unpacked here; make demo brings it")
	}
	return found
}

// TestAgent has the real agent read and edit a file, with the agent's profile and a model behind the relay.
func TestAgent(t *testing.T) {
	if testing.Short() {
		t.Skip("-short")
	}
	claude := agentProgram(t)
	eachWay(t, func(t *testing.T, way string) {
		if way == "uid" {
			t.Skip("the program lies below a folder that no other user may enter")
		}
		checkout, home, tmp := folder(t), folder(t), folder(t)
		file := filepath.Join(checkout, "sum.ts")
		if err := os.WriteFile(file, []byte("export const sum = (a, b) => a - b\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		const key = modelfake.TokenPrefix + "fence-test"
		model, err := modelfake.Start(modelfake.Options{Key: key, Script: agentScript(t, file)})
		if err != nil {
			t.Fatal(err)
		}
		defer model.Close()
		var out, errs bytes.Buffer
		result, err := runIn(t, way, Options{
			Args: []string{claude, "-p", "--output-format", "json", "--restricted", "--tools", "Read,Edit,Grep", "--setting-sources", "",
				"--permission-mode", "acceptEdits", "--strict-mcp-config", "--no-session-persistence", "--model", "claude-sonnet-5-5"},
			Dir: checkout, Read: append(libraries(), filepath.Dir(claude)), Write: []string{checkout, home, tmp},
			Env: []string{"PATH=/nonexistent", "HOME=" + home, "TMPDIR=" + tmp, "ANTHROPIC_BASE_URL=http://model.invalid",
				"ANTHROPIC_UNIX_SOCKET=" + filepath.Join(tmp, "model.sock"), "CLAUDE_CODE_OAUTH_TOKEN=" + key,
				"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "DISABLE_AUTOUPDATER=1"},
			Relay: strings.TrimPrefix(model.URL, "http://"), Stdin: strings.NewReader("Repair sum.ts"), Stdout: &out, Stderr: &errs,
		})
		if err != nil || result.End != Exited || result.Code != 0 {
			t.Fatalf("%v, %v\n%s\n%s", result, err, out.String(), errs.String())
		}
		if text, _ := os.ReadFile(file); string(text) != "export const sum = (a, b) => a + b\n" {
			t.Errorf("the file is now %q\n%s", text, out.String())
		}
		if played, turns := model.Played(); played != turns {
			t.Errorf("%d turns of %d were played", played, turns)
		}
	})
}

// agentScript reads, searches (a child process of the agent), edits and ends.
func agentScript(t *testing.T, file string) modelfake.Script {
	t.Helper()
	input := func(v map[string]string) json.RawMessage {
		text, err := json.Marshal(v)
		if err != nil {
			t.Fatal(errors.Join(err))
		}
		return text
	}
	return modelfake.Script{Turns: []modelfake.Turn{
		{Calls: []modelfake.Call{{Tool: "Read", Input: input(map[string]string{"file_path": file})}}},
		{Calls: []modelfake.Call{{Tool: "Grep", Input: input(map[string]string{"pattern": "sum", "path": filepath.Dir(file)})}}},
		{Calls: []modelfake.Call{{Tool: "Edit", Input: input(map[string]string{"file_path": file, "old_string": "a - b", "new_string": "a + b"})}}},
		{Text: "done"},
	}}
}
