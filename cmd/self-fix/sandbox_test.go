package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"selffix/internal/demo"
)

// The stand-ins as a service of their own, asked by the commands that an engine runs.
func TestSandboxServes(t *testing.T) {
	server := exec.Command(workerPath(t), "sandbox", "serve", "--play", "repair")
	out, err := server.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	stopped := false
	stop := func() {
		if !stopped {
			stopped = true
			if err := server.Process.Signal(syscall.SIGTERM); err != nil {
				t.Error(err)
			}
			if err := server.Wait(); err != nil {
				t.Errorf("it ended with %v", err)
			}
		}
	}
	t.Cleanup(stop)
	line, err := bufio.NewReader(out).ReadBytes('\n')
	if err != nil {
		t.Fatal(err)
	}
	urls := map[string]string{}
	if err := json.Unmarshal(line, &urls); err != nil {
		t.Fatal(err)
	}
	control := urls["control"]
	file := filepath.Join(t.TempDir(), "open")
	if code, said := sandboxCommand(t, "control", "open", "--at", control, "--out", file); code != exitYes {
		t.Fatalf("exit %d: %s", code, said)
	}
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var o demo.Opened
	if err := json.Unmarshal(data, &o); err != nil || !strings.Contains(o.Policy, urls["github"]) || !strings.Contains(o.Policy, urls["model"]) {
		t.Errorf("%v\n%s", err, o.Policy)
	}
	app := file + "-app"
	if code, said := sandboxCommand(t, "bring", "--at", urls["github"], "--commit", o.Head, "--out", app); code != exitYes {
		t.Errorf("exit %d: %s", code, said)
	}
	if _, err := os.Stat(filepath.Join(app, "packages", "core", "src", "split.ts")); err != nil {
		t.Error(err)
	}
	for name, args := range map[string][]string{
		"a real host":         {"control", "open", "--at", "https://api.github.com"},
		"no message":          {"control", "reset", "--at", control},
		"a message of no use": {"control", "verdict", "--at", control},
		"a file that is none": {"control", "verdict", "--at", control, "--in", filepath.Join(file, "none")},
		"a real GitHub":       {"bring", "--at", "https://github.com", "--commit", o.Head, "--out", file + "-1"},
		"a branch":            {"bring", "--at", urls["github"], "--commit", "main", "--out", file + "-2"},
		"a folder that is":    {"bring", "--at", urls["github"], "--commit", o.Head, "--out", filepath.Dir(file)},
		"tests of nothing":    {"test", "--app", filepath.Dir(file), "--commit", o.Head, "--modules", "/nowhere"},
		"another play":        {"serve", "--play", "../plays/repair"},
		"a host to listen on": {"serve", "--play", "repair", "--listen", "localhost"},
	} {
		if code, said := sandboxCommand(t, args...); code != exitUndecided {
			t.Errorf("%s: exit %d, want 2: %s", name, code, said)
		}
	}
}

func sandboxCommand(t *testing.T, args ...string) (code int, said string) {
	t.Helper()
	c := exec.Command(workerPath(t), append([]string{"sandbox"}, args...)...)
	var out bytes.Buffer
	c.Stdout, c.Stderr = &out, &out
	_ = c.Run() // its exit code is what counts
	return c.ProcessState.ExitCode(), out.String()
}
