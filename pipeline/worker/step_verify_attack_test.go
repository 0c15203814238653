package worker

import (
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"selffix/pipeline"
)

// attackScript tries what must not work, and counts what did. It ends with zero if nothing did, and leaves a child behind.
const attackScript = `
const fs = require("fs"), net = require("net"), cp = require("child_process"), http = require("http"), dgram = require("dgram");
const [port, pid, outside, socket] = process.argv.slice(2);
const worked = [];
const attempt = (name, f) => { try { if (f() !== false) worked.push(name); } catch {} };
attempt("read outside", () => fs.readFileSync(outside + "/canary"));
attempt("write outside", () => fs.writeFileSync(outside + "/made", "x"));
attempt("read the step's policy", () => fs.readFileSync(process.env.HOME + "/../../_in/policy.yaml"));
attempt("read the host's passwd", () => fs.readFileSync("/etc/passwd"));
attempt("read another's environment", () => fs.readFileSync("/proc/" + pid + "/environ"));
attempt("read another's memory", () => fs.openSync("/proc/" + pid + "/mem", "r"));
attempt("read its own environment in /proc", () => fs.readFileSync("/proc/self/environ"));
attempt("list processes", () => fs.readdirSync("/proc").some(n => n === pid));
attempt("signal the supervisor", () => process.kill(+pid, 0));
attempt("link outside", () => fs.symlinkSync(outside, "link"));
attempt("fifo", () => cp.execFileSync("mkfifo", ["fifo"], { stdio: "ignore" }));
attempt("namespaces", () => cp.execFileSync("unshare", ["-r", "true"], { stdio: "ignore" }));
attempt("git over the network", () => cp.execFileSync("git", ["ls-remote", "http://127.0.0.1:" + port], { stdio: "ignore" }));
// A child that would outlive the check, in a session of its own if it could.
cp.spawn("sh", ["-c", "sleep 1; echo late > late; echo late > " + outside + "/late"], { detached: true, stdio: "ignore" }).on("error", () => {}).unref();
cp.spawn("sh", ["-c", "sleep 1; echo late > late"], { stdio: "ignore" }).on("error", () => {}).unref();
const connect = (name, o) => new Promise(done => {
  try {
    const s = net.connect(o, () => { worked.push(name); done(); });
    s.on("error", done);
  } catch { done(); }
});
(async () => {
  await connect("network", { host: "127.0.0.1", port: +port });
  await connect("socket", { path: socket });
  await new Promise(done => http.get("http://127.0.0.1:" + port, () => { worked.push("http"); done(); }).on("error", done));
  await new Promise(done => { try { const d = dgram.createSocket("udp4"); d.on("error", done); d.send("x", +port, "127.0.0.1", e => { if (!e) worked.push("datagram"); done(); }); } catch { done(); } });
  fs.writeFileSync("worked.txt", worked.join("\n"));
  process.exit(worked.length);
})();`

// aims are the attacks are directed at.
type aims struct {
	outside string
	args    []string // of the script
	met     atomic.Int32
}

func newAims(t *testing.T) *aims {
	t.Helper()
	outside, err := os.MkdirTemp("/var/tmp", "self-fix-outside-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(outside) })
	g := &aims{outside: outside}
	socket := filepath.Join(outside, "socket")
	_, port, err := net.SplitHostPort(listen(t, "tcp", "127.0.0.1:0", &g.met))
	listen(t, "unix", socket, &g.met)
	err = errors.Join(err, os.Chmod(outside, 0o777), os.Chmod(socket, 0o777), os.WriteFile(filepath.Join(outside, "canary"), []byte("x"), 0o644))
	if err != nil {
		t.Fatal(err)
	}
	g.args = []string{port, strconv.Itoa(os.Getpid()), outside, socket}
	return g
}

// Without a fence the same script gets what it wants: the attacks are real ones.
func TestVerifyAttacksWorkOutside(t *testing.T) {
	needApart(t)
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "attack.js"), []byte(attackScript), 0o644); err != nil {
		t.Fatal(err)
	}
	g := newAims(t)
	c := exec.CommandContext(t.Context(), "node", append([]string{"attack.js"}, g.args...)...)
	c.Dir, c.Env = dir, []string{"PATH=/usr/local/bin:/usr/bin:/bin", "HOME=" + dir}
	_ = c.Run() // it ends with the number of attacks that worked
	if n := c.ProcessState.ExitCode(); n < 9 || g.met.Load() < 3 {
		worked, err := os.ReadFile(filepath.Join(dir, "worked.txt"))
		t.Errorf("%d attacks worked and %d connections came: %s, %v", n, g.met.Load(), worked, err)
	}
	for range 600 {
		if _, err := os.Stat(filepath.Join(g.outside, "late")); err == nil {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Error("no child outlived it")
}

func TestVerifyAttacks(t *testing.T) {
	needApart(t)
	g := newAims(t)
	command := fmt.Sprintf("[node, attack.js, %q, %q, %s, %s]", g.args[0], g.args[1], g.args[2], g.args[3])
	w := verifyWork(t, command, "1m", map[string]string{"attack.js": attackScript})
	o, r := w.verified(t)
	if o.Decision != pipeline.Continue {
		worked, err := os.ReadFile(w.in("/src/checkout/worked.txt"))
		t.Errorf("%+v, %+v: these worked: %s, %v", o, r, worked, err)
	}
	if n := g.met.Load(); n != 0 {
		t.Errorf("%d connections came out", n)
	}
	if entries, err := os.ReadDir(g.outside); err != nil || len(entries) != 2 {
		t.Errorf("something was written outside: %v, %v", entries, err)
	}
	// The children were to wait for a second: they are gone with the check, which is over now.
	if _, err := os.Stat(w.in("/src/checkout/late")); err == nil {
		t.Error("a child outlived the check")
	}
	if left := processesIn(t, w.in("/src/checkout")); len(left) != 0 {
		t.Errorf("processes are left: %v", left)
	}
}

// listen counts what comes in.
func listen(t *testing.T, network, address string, met *atomic.Int32) string {
	t.Helper()
	l, err := net.Listen(network, address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			met.Add(1)
			c.Close()
		}
	}()
	return l.Addr().String()
}

// processesIn lists processes that work in a folder.
func processesIn(t *testing.T, dir string) []string {
	t.Helper()
	links, err := filepath.Glob("/proc/[0-9]*/cwd")
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, l := range links {
		if at, err := os.Readlink(l); err == nil && strings.HasPrefix(at, dir) {
			found = append(found, l)
		}
	}
	return found
}
