package local

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"selffix/internal/tokens"
	"selffix/pipeline"
)

func TestOutputs(t *testing.T) {
	tests := map[string]struct {
		decision pipeline.Decision
		err      error
	}{
		"plain":        {pipeline.Continue, nil},
		"silent":       {pipeline.Undecided, nil},
		"fifo":         {"", ErrOutput},
		"link":         {"", ErrOutput},
		"second-name":  {"", ErrOutput},
		"folder":       {"", ErrOutput},
		"large":        {"", ErrOutput},
		"chatty":       {"", ErrOutput},
		"outcome-fifo": {"", ErrOutput},
		"fails":        {"", ErrStep},
		"unknown":      {"", ErrStep},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			i := interpreter(t, nil)
			out, o, err := i.Run(t.Context(), step(name), nil, nil)
			if !errors.Is(err, tt.err) || o.Decision != tt.decision {
				t.Fatalf("%+v, %v, want %q, %v", o, err, tt.decision, tt.err)
			}
			if tt.err != nil && len(out) != 0 {
				t.Errorf("outputs in spite of an error: %v", out)
			}
			if name != "plain" {
				return
			}
			if data, err := os.ReadFile(out["plain.file"]); err != nil || string(data) != "made" {
				t.Errorf("%q, %v", data, err)
			}
		})
	}
}

// How a step ended is not hidden by what it left: a stop keeps its rule, and too much by a model's hand has one of its own.
func TestOutputsDoNotHideTheEnd(t *testing.T) {
	tree := pipeline.Output{Name: "tree", Path: "/src/checkout", Kind: pipeline.KindTree, Dir: true, MaxBytes: 1000, MaxFiles: 3}
	link := pipeline.Output{Name: "link", Path: "/out/link", Kind: pipeline.KindJSON, MaxBytes: 1000}
	for name, c := range map[string]struct {
		step    string
		outs    []pipeline.Output
		exposed []pipeline.Exposure
		rule    string
		err     error
		file    bool
	}{
		"too much by a model":        {"many", []pipeline.Output{tree}, []pipeline.Exposure{pipeline.Model}, "SF-OUTPUT-002", nil, false},
		"too much by ours":           {"many", []pipeline.Output{tree}, nil, "", ErrOutput, false},
		"a stop that left too much":  {"stopped-and-closed", []pipeline.Output{tree, link}, []pipeline.Exposure{pipeline.Model}, "SF-X-001", nil, true},
		"a stop that left one badly": {"stopped-and-closed", []pipeline.Output{tree, link}, nil, "SF-X-001", nil, true},
	} {
		t.Run(name, func(t *testing.T) {
			i := interpreter(t, nil)
			s := step(c.step)
			s.Out, s.Exposed = append(s.Out, c.outs...), c.exposed
			out, o, err := i.Run(t.Context(), s, nil, nil)
			if !errors.Is(err, c.err) || o.Rule != c.rule || (c.rule != "") != (o.Decision == pipeline.Stop) {
				t.Fatalf("%+v, %v, want %s, %v", o, err, c.rule, c.err)
			}
			if _, has := out[s.Ref("file")]; has != c.file || len(out) > 1 {
				t.Errorf("outputs %v", out)
			}
		})
	}
}

func TestInputsAreCopiesOrReadOnly(t *testing.T) {
	i := interpreter(t, nil)
	given, tree := filepath.Join(t.TempDir(), "given"), t.TempDir()
	for name, text := range map[string]string{given: "one", filepath.Join(tree, "a"): "before"} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s := step("copies")
	s.In = []pipeline.Input{{Ref: "in.given", Path: "/in/given"}, {Ref: "in.tree", Path: "/src/checkout", Access: pipeline.Copy}}
	s.Out = append(s.Out, pipeline.Output{Name: "tree", Path: "/src/checkout", Kind: pipeline.KindTree, Dir: true, MaxBytes: 100, MaxFiles: 5})
	out, o, err := i.Run(t.Context(), s, map[pipeline.Ref]string{"in.given": given, "in.tree": tree}, nil)
	if err != nil || o.Decision != pipeline.Continue {
		t.Fatalf("%+v, %v", o, err)
	}
	for name, want := range map[string]string{out["copies.file"]: "one", filepath.Join(out["copies.tree"], "a"): "changed", filepath.Join(tree, "a"): "before"} {
		if data, err := os.ReadFile(name); err != nil || string(data) != want {
			t.Errorf("%s holds %q, %v, want %q", name, data, err, want)
		}
	}
	s.Out[1].MaxBytes = 3
	if _, _, err := i.Run(t.Context(), s, map[pipeline.Ref]string{"in.given": given, "in.tree": tree}, nil); !errors.Is(err, ErrOutput) {
		t.Errorf("a folder above its bound: %v, want ErrOutput", err)
	}
}

func TestEnvironmentIsFresh(t *testing.T) {
	t.Setenv("GITHUB_TOKEN", "sandbox-"+"leaks")
	i := interpreter(t, func(o *Options) { o.Getenv = os.Getenv })
	allowed := []string{"HOME", "TMPDIR", "LC_ALL", "TZ", "PATH"}
	for _, hosts := range [][]pipeline.HostKey{nil, {pipeline.HostNPM}} {
		s := step("environment")
		s.Out[0].MaxBytes = 1 << 16
		s.Net.Hosts = hosts
		out, _, err := i.Run(t.Context(), s, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		data, err := os.ReadFile(out["environment.file"])
		if err != nil {
			t.Fatal(err)
		}
		var env []string
		if err := json.Unmarshal(data, &env); err != nil {
			t.Fatal(err)
		}
		names := allowed
		if hosts != nil {
			names = append(slices.Clone(allowed), installEnv()...)
		}
		for _, e := range env {
			if name, _, _ := strings.Cut(e, "="); !slices.Contains(names, name) {
				t.Errorf("hosts %v: the worker has %s", hosts, name)
			}
		}
	}
}

func TestSecretsLiveForOneExec(t *testing.T) {
	secret, err := tokens.New("sandbox-" + "bot")
	if err != nil {
		t.Fatal(err)
	}
	i := interpreter(t, func(o *Options) { o.Secrets = map[pipeline.SecretName]tokens.Token{pipeline.SecretBot: secret} })
	s := step("secret")
	s.Secrets = []pipeline.Grant{{Secret: pipeline.SecretBot, Path: "/run/secrets/bot"}}
	out, _, err := i.Run(t.Context(), s, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	if data, err := os.ReadFile(out["secret.file"]); err != nil || string(data) != "-r-------- sandbox-bot" {
		t.Errorf("%q, %v", data, err)
	}
	if left, err := filepath.Glob(filepath.Join(i.run.path, "*", "secrets")); err != nil || len(left) != 0 {
		t.Errorf("secrets are left: %v, %v", left, err)
	}
	// A key of several lines, which is no token, goes the same way.
	i.o.Secrets, i.o.Keys = nil, map[pipeline.SecretName][]byte{pipeline.SecretBot: []byte("two\nlines\n")}
	out, _, err = i.Run(t.Context(), s, nil, nil)
	if data, readErr := os.ReadFile(out["secret.file"]); err != nil || readErr != nil || string(data) != "-r-------- two\nlines\n" {
		t.Errorf("%q, %v, %v", data, err, readErr)
	}
	s.Secrets[0].Secret = pipeline.SecretModel
	if _, _, err := i.Run(t.Context(), s, nil, nil); !errors.Is(err, ErrStep) {
		t.Errorf("a secret that was not given: %v, want ErrStep", err)
	}
	// A step that is not granted it has no such folder at all.
	if _, _, err := i.Run(t.Context(), step("secret"), nil, nil); !errors.Is(err, ErrStep) {
		t.Errorf("without a grant: %v, want a worker that finds nothing", err)
	}
}

func TestWhatAWorkerSaysIsVisible(t *testing.T) {
	var said bytes.Buffer
	i := interpreter(t, func(o *Options) { o.Stderr = &said })
	_, o, err := i.Run(t.Context(), step("hidden"), nil, nil)
	if err != nil || o.Decision != pipeline.Stop {
		t.Fatalf("%+v, %v", o, err)
	}
	if strings.ContainsRune(o.Reason+said.String(), 0x1b) || !strings.Contains(o.Reason, "<U+001B>") {
		t.Errorf("a control character came through: %q, %q", o.Reason, said.String())
	}
	for line := range strings.Lines(said.String()) {
		if strings.HasPrefix(strings.TrimSpace(line), "::") {
			t.Errorf("a line begins as a workflow command: %q", line)
		}
	}
}

func TestCancel(t *testing.T) {
	i := interpreter(t, nil)
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(200*time.Millisecond, cancel)
	if out, _, err := i.Run(ctx, step("waits"), nil, nil); err != nil || out["waits.file"] == "" {
		t.Errorf("%v, %v: want a worker that ended by itself when it was told to", out, err)
	}
}

func TestService(t *testing.T) {
	i := interpreter(t, nil)
	svc, err := i.Serve(t.Context(), serving("serves"), nil)
	if err != nil {
		t.Fatal(err)
	}
	if a := svc.(*service).address; !strings.HasPrefix(a, "127.0.0.1:") {
		t.Errorf("it answers at %q, want loopback only", a)
	}
	for range 2 { // a second stop does nothing
		out, err := svc.Stop(t.Context())
		if err != nil || out["serves.file"] == "" {
			t.Errorf("%v, %v", out, err)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	if _, err := i.Serve(ctx, serving("mute"), nil); err == nil {
		t.Error("a service that never answers was taken")
	}
	s := step("plain")
	s.Net.Relay = "serves"
	if _, _, err := i.Run(t.Context(), s, nil, nil); !errors.Is(err, ErrStep) {
		t.Errorf("a relay to a service that does not run: %v", err)
	}
}

func serving(name string) pipeline.Step {
	s := step(name)
	s.Serves = 8080
	return s
}

func TestKeptOutputs(t *testing.T) {
	kept := filepath.Join(t.TempDir(), "cache")
	i := interpreter(t, func(o *Options) { o.Keep = map[pipeline.Ref]string{"plain.tools": kept} })
	s := step("plain")
	s.Out = append(s.Out, pipeline.Output{Name: "tools", Path: "/out/tools", Kind: pipeline.KindTools, Dir: true, MaxBytes: 1, MaxFiles: 1})
	out, _, err := i.Run(t.Context(), s, nil, nil)
	if err != nil || out["plain.tools"] != kept {
		t.Errorf("%v, %v", out, err)
	}
}

// A run that was killed leaves its folder, and the next one removes it, but only when the last process of
// the killed run is gone.
func TestKilledRunIsSweptByTheNext(t *testing.T) {
	parent := t.TempDir()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := exec.Command(self, "run-and-wait", parent)
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := out.Read(make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
	waitFor(t, func() bool {
		dirs, _ := filepath.Glob(filepath.Join(parent, "*", "*-waits", "layout.json"))
		return len(dirs) == 1
	})
	if err := sweep(parent); err != nil {
		t.Fatal(err)
	}
	if dirs, _ := filepath.Glob(filepath.Join(parent, "*")); len(dirs) != 1 {
		t.Fatalf("a live run was swept: %v", dirs)
	}
	if err := c.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = c.Wait() // it was killed
	waitFor(t, func() bool {
		i, err := New(Options{Worker: self, Parent: parent})
		if err != nil {
			t.Fatal(err)
		}
		defer i.Close()
		dirs, _ := filepath.Glob(filepath.Join(parent, "*"))
		return len(dirs) == 1
	})
}

func waitFor(t *testing.T, done func() bool) {
	t.Helper()
	for range 600 {
		if done() {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Fatal("it did not come to be within half a minute")
}

func TestSweepLeavesWhatIsNotOurs(t *testing.T) {
	parent := t.TempDir()
	young := filepath.Join(parent, unlockedPrefix()+"young") // just made, not locked yet
	bare := filepath.Join(parent, prefix()+"bare")           // made by somebody else: no lock
	other := filepath.Join(parent, "self-fix-run-99999-x")
	file := filepath.Join(parent, prefix()+"file")
	for _, d := range []string{young, bare, other} {
		if err := os.Mkdir(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(os.WriteFile(filepath.Join(bare, "theirs"), nil, 0o644), os.WriteFile(file, nil, 0o644), os.Symlink("/etc", filepath.Join(parent, prefix()+"link"))); err != nil {
		t.Fatal(err)
	}
	if os.Getuid() == 0 {
		theirs := filepath.Join(parent, prefix()+"theirs")
		if err := errors.Join(os.Mkdir(theirs, 0o755), os.WriteFile(filepath.Join(theirs, lockName), nil, 0o644), os.Chown(theirs, 12345, 12345)); err != nil {
			t.Fatal(err)
		}
	}
	before, err := os.ReadDir(parent)
	if err != nil {
		t.Fatal(err)
	}
	if err := sweep(parent); err != nil {
		t.Fatal(err)
	}
	if after, err := os.ReadDir(parent); err != nil || len(after) != len(before) {
		t.Errorf("%d of %d are left, %v", len(after), len(before), err)
	}
}

func TestSweepRemovesFoldersWithoutPermissions(t *testing.T) {
	parent := t.TempDir()
	run, err := newRunDir(parent)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(os.MkdirAll(filepath.Join(run.path, "a", "b"), 0o755), os.Chmod(filepath.Join(run.path, "a"), 0)); err != nil {
		t.Fatal(err)
	}
	if err := run.lock.Close(); err != nil { // as if the process was gone
		t.Fatal(err)
	}
	if err := sweep(parent); err != nil {
		t.Fatal(err)
	}
	if left, _ := filepath.Glob(filepath.Join(parent, "*")); len(left) != 0 {
		t.Errorf("left: %v", left)
	}
}

// A full disk ends a step with that reason and leaves nothing.
func TestFullDisk(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root may mount a small disk")
	}
	small := t.TempDir()
	if err := unix.Mount("tmpfs", small, "tmpfs", 0, "size=64k"); err != nil {
		t.Skipf("no small disk: %v", err)
	}
	defer unix.Unmount(small, unix.MNT_DETACH)
	given := filepath.Join(t.TempDir(), "given")
	if err := os.WriteFile(given, make([]byte, 1<<20), 0o644); err != nil {
		t.Fatal(err)
	}
	i := interpreter(t, func(o *Options) { o.Parent = small })
	s := step("plain")
	s.In = []pipeline.Input{{Ref: "in.given", Path: "/in/given"}}
	if _, _, err := i.Run(t.Context(), s, map[pipeline.Ref]string{"in.given": given}, nil); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("error %v, want ENOSPC", err)
	}
}
