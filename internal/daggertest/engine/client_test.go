package engine

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"selffix/internal/daggertest"
	"selffix/internal/testrepo"
)

// imagesVariable names the file that stands in for the built-in images.
const imagesVariable = "SELF_FIX_TEST_IMAGES"

// callTime bounds one call: a first one loads the module and pulls images.
const callTime = 20 * time.Minute

// client is the command line, with a scratch copy of the module, and all that was said.
type client struct {
	t      *testing.T
	module string
	work   string // an empty folder: Dagger reads a .env of the working folder and above
	said   *heard // progress and errors of every call
	spans  *heard // what was exported: traces, logs and metrics
	export string // where to
}

// heard collects what is said by several at once.
type heard struct {
	mu   sync.Mutex
	text bytes.Buffer
}

// Write keeps it all.
func (h *heard) Write(b []byte) (int, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.text.Write(b)
}

// String is all that was said so far.
func (h *heard) String() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.text.String()
}

// connect skips the test where no engine answers.
func connect(t *testing.T) *client {
	t.Helper()
	if testing.Short() {
		t.Skip("short: an engine takes minutes")
	}
	if _, err := exec.LookPath("dagger"); err != nil {
		t.Skip("no dagger command line on PATH")
	}
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	probe := exec.CommandContext(ctx, "dagger", "--progress", "plain", "core", "version")
	probe.Dir, probe.WaitDelay = t.TempDir(), 10*time.Second
	if out, err := probe.CombinedOutput(); err != nil {
		t.Skipf("no Dagger engine answers: %v\n%s", err, tail(string(out), 600))
	}
	c := &client{t: t, module: filepath.Join(t.TempDir(), "module"), work: t.TempDir(), said: &heard{}, spans: &heard{}}
	root := testrepo.Root(t)
	if err := daggertest.CopyContext(c.module, root); err != nil {
		t.Fatal(err)
	}
	if file := os.Getenv(imagesVariable); file != "" {
		data, err := os.ReadFile(file)
		if err == nil {
			err = os.WriteFile(filepath.Join(c.module, "internal", "images", "images.json"), data, 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	git := exec.Command("git", "init", "--quiet", c.module) // the context ends at the repository
	if out, err := git.CombinedOutput(); err != nil {
		t.Fatalf("git init: %v\n%s", err, out)
	}
	c.collect()
	return c
}

// collect serves what the engine's exporters send to. The bodies are kept as they come: text in them is plain.
func (c *client) collect() {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		c.t.Fatal(err)
	}
	s := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(c.spans, r.Body)
		w.Header().Set("Content-Type", "application/x-protobuf")
	}), ReadHeaderTimeout: time.Minute}
	go func() { _ = s.Serve(l) }()
	c.t.Cleanup(func() { s.Close() })
	c.export = "http://" + l.Addr().String()
}

// env is the environment of a call: this machine's, the exporters', and the secrets that a call names by env://.
func (c *client) env(secrets map[string]string) []string {
	env := append(os.Environ(), "DO_NOT_TRACK=1", "DAGGER_NO_NAG=1", "DAGGER_NO_UPDATE_CHECK=1", "NO_COLOR=1",
		"OTEL_EXPORTER_OTLP_ENDPOINT="+c.export, "OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf", "OTEL_EXPORTER_OTLP_COMPRESSION=none")
	for name, value := range secrets {
		env = append(env, name+"="+value)
	}
	return env
}

// run runs the command line and returns what it printed, apart from progress, and its exit code.
func (c *client) run(secrets map[string]string, args ...string) (string, int) {
	c.t.Helper()
	ctx, cancel := context.WithTimeout(c.t.Context(), callTime)
	defer cancel()
	cmd := exec.CommandContext(ctx, "dagger", append([]string{"--progress", "plain"}, args...)...)
	cmd.Dir, cmd.Env, cmd.WaitDelay = c.work, c.env(secrets), time.Minute
	var out, progress bytes.Buffer
	cmd.Stdout, cmd.Stderr = io.MultiWriter(&out, c.said), io.MultiWriter(&progress, c.said)
	began := time.Now()
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		c.t.Fatalf("dagger %s: %v\n%s", strings.Join(args, " "), err, tail(progress.String(), 3000))
	}
	code := cmd.ProcessState.ExitCode()
	c.t.Logf("%6.1f s  exit %d  dagger %s", time.Since(began).Seconds(), code, strings.Join(args, " "))
	if code != 0 {
		c.t.Logf("%s", tail(progress.String(), 2500))
	}
	return out.String(), code
}

// call calls a function and returns where its result lies; it must succeed.
func (c *client) call(secrets map[string]string, args ...string) string {
	c.t.Helper()
	to := filepath.Join(c.t.TempDir(), "result")
	if _, code := c.run(secrets, append([]string{"call", "--mod", c.module, "--output", to}, args...)...); code != 0 {
		c.t.Fatalf("dagger call %s: exit code %d", strings.Join(args, " "), code)
	}
	return to
}

// silent looks for each text in all that was printed and exported, and demands that something was.
func (c *client) silent(texts ...string) {
	c.t.Helper()
	places := map[string]string{"what was printed": c.said.String(), "what was exported": c.spans.String()}
	for where, text := range places {
		// Where nothing was heard, or not in the clear, nothing is found either.
		if find(text, "withExec") < 0 || find(text, "/usr/local/bin/self-fix") < 0 {
			c.t.Errorf("the worker's execs are not in %s (%d bytes): there is nothing to search", where, len(text))
		}
		for _, secret := range texts {
			if secret == "" {
				c.t.Fatal("an empty secret is everywhere")
			}
			if at := find(text, secret); at >= 0 {
				c.t.Errorf("a secret (%.12s…) stands in %s, after %q", secret, where, tail(text[:at], 200))
			}
		}
	}
}

// find looks for a text as it is, and in base64, in which spans carry the arguments of each call, at any of its three places in a group.
func find(in, text string) int {
	if at := strings.Index(in, text); at >= 0 {
		return at
	}
	for shift := range 3 {
		// The first and last groups hold bits of what stands beside the text.
		whole := base64.StdEncoding.EncodeToString(append(make([]byte, shift), text...))
		if at := strings.Index(in, whole[min(4*((shift+2)/3), len(whole)):len(whole)-4]); at >= 0 {
			return at
		}
	}
	return -1
}

func TestFind(t *testing.T) {
	const text = "sandbox-token-1234"
	for shift := range 4 {
		around := strings.Repeat("x", shift) + text + "yyy"
		if find("a"+around, text) < 0 || find(base64.StdEncoding.EncodeToString([]byte(around)), text) < 0 {
			t.Errorf("not found after %d bytes", shift)
		}
	}
	if at := find(base64.StdEncoding.EncodeToString([]byte("sandbox-token-4321 and more")), text); at >= 0 {
		t.Errorf("another text is taken for it at %d", at)
	}
}

func tail(s string, n int) string {
	if len(s) > n {
		return s[len(s)-n:]
	}
	return s
}
