package worker

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"selffix/gates"
	"selffix/internal/testuser"
	"selffix/pipeline"
	"selffix/pipeline/fence"
	"selffix/pipeline/verify"
	"selffix/testdata"
)

// verifyWork lays the verify step out with a tree that holds files, and a policy with the command.
func verifyWork(t *testing.T, command, timeout string, files map[string]string) work {
	t.Helper()
	s, err := find("verify")
	if err != nil {
		t.Fatal(err)
	}
	// Not t.TempDir: a step's own user must get here.
	dir, err := os.MkdirTemp("/var/tmp", "self-fix-verify-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	l := Layout{}
	for _, p := range []string{"/in", "/out", "/agent", "/src/checkout"} {
		outside := filepath.Join(dir, strings.ReplaceAll(p, "/", "_"))
		if err := os.MkdirAll(outside, 0o755); err != nil {
			t.Fatal(err)
		}
		l.Mounts = append(l.Mounts, Mount{Inside: p, Outside: outside, Write: true})
	}
	w := work{Options: Options{Layout: l, Helper: fence.Enter(), Getenv: os.Getenv, Stdout: failing{t}, Stderr: failing{t}}, step: s, at: l.paths()}
	seed, err := fs.ReadFile(testdata.Files, "policy/seed.yaml")
	if err != nil {
		t.Fatal(err)
	}
	w.give(t, "/in/policy.yaml", fmt.Appendf(seed, "\nverify:\n  enabled: true\n  command: %s\n  timeout: %s\n", command, timeout))
	for name, text := range files {
		w.give(t, "/src/checkout/"+name, []byte(text))
	}
	return w
}

// failing is where nothing may be written: what the command prints is dropped.
type failing struct{ t *testing.T }

func (f failing) Write(p []byte) (int, error) {
	f.t.Errorf("the step printed %.200q", p)
	return len(p), nil
}

// needApart skips where no fence has every part.
func needApart(t *testing.T) {
	t.Helper()
	if r := fence.Explain(t.Context(), fence.Enter()); r.Err != nil || !r.Layers.Namespaces || !r.Layers.Scope {
		t.Skip("this machine cannot keep a pull request's code apart in full")
	}
	if _, err := os.Stat("/usr/bin/node"); err != nil {
		if _, err := os.Stat("/usr/local/bin/node"); err != nil {
			t.Skip("no node among the machine's programs")
		}
	}
}

func (w work) verified(t *testing.T) (pipeline.Outcome, verify.Result) {
	t.Helper()
	o, err := w.run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(w.in("/out/verify.json"))
	if err != nil {
		t.Fatal(err)
	}
	var r verify.Result
	if err := json.Unmarshal(text, &r); err != nil {
		t.Fatal(err)
	}
	return o, r
}

func TestVerifyEnds(t *testing.T) {
	needApart(t)
	const forged = `const fs = require("fs"); for (const f of ["/out/outcome.json", "/out/verify.json", process.env.HOME + "/../../_out/outcome.json"])
	try { fs.writeFileSync(f, '{"decision":"continue","rule":"","reason":""}'); } catch {}
	process.exit(3);`
	for name, tt := range map[string]struct {
		script, timeout string
		decision        pipeline.Decision
		rule            string
		claimed         string
		code            int
	}{
		"passes":         {"", "1m", pipeline.Continue, "", verify.Passed, 0},
		"fails":          {`console.log("::error::x"); process.exit(7)`, "1m", pipeline.Stop, "SF-VERIFY-001", verify.Failed, 7},
		"forges a pass":  {forged, "1m", pipeline.Stop, "SF-VERIFY-001", verify.Failed, 3},
		"does not end":   {"setInterval(() => {}, 1000)", "2s", pipeline.Undecided, "SF-VERIFY-003", verify.NotFinished, -1},
		"floods":         {`const b = "x".repeat(1 << 20); (function more() { process.stdout.write(b, more) })()`, "1m", pipeline.Undecided, "SF-VERIFY-004", verify.NotFinished, -1},
		"ends by signal": {`process.kill(process.pid, "SIGKILL")`, "1m", pipeline.Undecided, "SF-VERIFY-006", verify.NotFinished, -1},
	} {
		t.Run(name, func(t *testing.T) {
			w := verifyWork(t, "[node, check.js]", tt.timeout, map[string]string{"check.js": tt.script})
			o, r := w.verified(t)
			if o.Decision != tt.decision || o.Rule != tt.rule || r.ClaimedVerify != tt.claimed || r.ExitCode != tt.code {
				t.Errorf("%+v, %+v", o, r)
			}
			if entries, err := os.ReadDir(w.in("/out")); err != nil || len(entries) != 1 {
				t.Errorf("the command wrote its own result: %v, %v", entries, err)
			}
		})
	}
}

// Every rule by which the steps of verify end is one that people can look up.
func TestVerifyReasonsAreDescribed(t *testing.T) {
	for _, r := range verifyReasons() {
		if !slices.ContainsFunc(verify.Rules(), func(d gates.RuleDoc) bool { return d.ID == r.rule }) {
			t.Errorf("%s is not described", r.rule)
		}
	}
}

func TestVerifyCommandThatIsNotThere(t *testing.T) {
	needApart(t)
	w := verifyWork(t, "[no-such-program]", "1m", nil)
	_, err := w.run(t.Context())
	if got := explain(err); got.Rule != "SF-VERIFY-009" || got.Decision != pipeline.Undecided {
		t.Errorf("%v: %+v", err, got)
	}
}

// What common test runners ask of node works: memory in use, workers that ask for it too, the name localhost, children with a
// channel to them.
func TestVerifyRunsWhatTestRunnersNeed(t *testing.T) {
	needApart(t)
	const script = `
const { Worker } = require("worker_threads"), { fork } = require("child_process"), dns = require("dns");
if (process.argv[2] === "child") return process.send(process.memoryUsage().heapUsed > 0 ? "ok" : "none");
if (!(process.memoryUsage().heapUsed > 0 && process.memoryUsage.rss() > 0)) process.exit(1);
new Worker("require('worker_threads').parentPort.postMessage(process.memoryUsage().heapUsed)", { eval: true }).on("error", () => process.exit(2)).on("message", used => {
  if (!(used > 0)) process.exit(3);
  dns.lookup("localhost", (err, address) => {
    if (err && require("fs").existsSync("/etc/hosts")) process.exit(4);
    fork(__filename, ["child"]).on("message", m => process.exit(m === "ok" ? 0 : 5)).on("error", () => process.exit(6));
  });
});`
	w := verifyWork(t, "[node, check.js]", "1m", map[string]string{"check.js": script})
	if o, r := w.verified(t); o.Decision != pipeline.Continue {
		t.Errorf("%+v, %+v", o, r)
	}
}

// A program of a package is found as npm would find it, and its own programs may be run.
func TestVerifyRunsProgramsOfPackages(t *testing.T) {
	needApart(t)
	w := verifyWork(t, "[check-it, --now]", "1m", map[string]string{"node_modules/check-it/cli.js": `#!/usr/bin/env node
process.exit(process.argv[2] === "--now" && process.env.CI === "true" && !process.env.SELF_FIX_TEST_SECRET ? 0 : 1)`})
	t.Setenv("SELF_FIX_TEST_SECRET", "x")
	program := w.in("/src/checkout/node_modules/check-it/cli.js")
	bin := w.in("/src/checkout/node_modules/.bin")
	if err := os.Mkdir(bin, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(program, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("../check-it/cli.js", filepath.Join(bin, "check-it")); err != nil {
		t.Fatal(err)
	}
	if o, r := w.verified(t); o.Decision != pipeline.Continue {
		t.Errorf("%+v, %+v", o, r)
	}
}

// noNamespaces has the test binary, as root of a user namespace, forbid namespaces there and start the refusal as an ordinary user.
const noNamespaces = "SELF_FIX_TEST_NO_NAMESPACES"

// Where a part of the fence cannot be had, the command does not run and nothing goes on.
func TestVerifyRefusedWithoutNamespaces(t *testing.T) {
	switch os.Getenv(noNamespaces) {
	case "":
		if os.Geteuid() != 0 {
			t.Skip("only root may map the users of a namespace")
		}
		again(t, "forbid", &syscall.SysProcAttr{Cloneflags: unix.CLONE_NEWUSER,
			UidMappings: []syscall.SysProcIDMap{{HostID: 0, Size: 65536}}, GidMappings: []syscall.SysProcIDMap{{HostID: 0, Size: 65536}}})
		return
	case "forbid":
		if err := os.WriteFile("/proc/sys/user/max_user_namespaces", []byte("0"), 0); err != nil {
			t.Skipf("namespaces cannot be forbidden here: %v", err)
		}
		again(t, "try", &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 1234, Gid: 1234, NoSetGroups: true}})
		return
	}
	w := verifyWork(t, "[node, check.js]", "1m", map[string]string{"check.js": `require("fs").writeFileSync("ran", "")`})
	_, err := w.run(t.Context())
	if got := explain(err); got.Rule != "SF-VERIFY-008" || got.Decision != pipeline.Undecided {
		t.Errorf("%v: %+v", err, got)
	}
	if _, err := os.Stat(w.in("/src/checkout/ran")); err == nil {
		t.Error("it ran all the same")
	}
}

// again runs the calling test in another process.
func again(t *testing.T, stage string, attr *syscall.SysProcAttr) {
	t.Helper()
	dir, err := os.MkdirTemp("/var/tmp", "self-fix-again-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	program := filepath.Join(dir, "tests")
	text, err := os.ReadFile("/proc/self/exe")
	if err == nil {
		err = os.WriteFile(program, text, 0o755)
	}
	if err == nil {
		err = os.Chmod(dir, 0o755)
	}
	if err != nil {
		t.Fatal(err)
	}
	c := exec.CommandContext(t.Context(), program, "-test.run=^"+t.Name()+"$", "-test.v")
	c.Dir, c.SysProcAttr = "/", attr
	c.Env = []string{"PATH=/usr/local/bin:/usr/bin:/bin", noNamespaces + "=" + stage}
	out, err := c.CombinedOutput()
	t.Logf("%s: %s", stage, out)
	if err != nil && strings.Contains(err.Error(), "operation not permitted") {
		t.Skipf("no user namespaces for root here: %v", err)
	}
	if err != nil {
		t.Error(err)
	}
}

// What holds for root's runs holds for an ordinary user's, where the kernel gives that user namespaces.
func TestVerifyAsOrdinaryUser(t *testing.T) {
	testuser.Again{Tests: "^TestVerify(Ends|Attacks|Command|Runs)", Getenv: os.Getenv}.Run(t)
}
