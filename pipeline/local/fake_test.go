package local

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"selffix/pipeline"
	"selffix/pipeline/worker"
)

// TestMain makes the test binary a worker that misbehaves in one way a step's name says, and a run that is
// killed.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 {
		switch os.Args[1] {
		case "version":
			os.Exit(0)
		case "step":
			fakeStep(os.Args[2], os.Args[4])
			os.Exit(0)
		case "run-and-wait":
			runAndWait(os.Args[2])
		}
	}
	os.Exit(m.Run())
}

const goOn = `{"decision":"continue","rule":"","reason":""}`

func fakeStep(name, layoutFile string) {
	l, err := worker.ReadLayout(layoutFile)
	check(err)
	at := func(inside string) string {
		best := worker.Mount{}
		for _, m := range l.Mounts {
			if (inside == m.Inside || strings.HasPrefix(inside, m.Inside+"/")) && len(m.Inside) > len(best.Inside) {
				best = m
			}
		}
		return best.Outside + strings.TrimPrefix(inside, best.Inside)
	}
	out := at("/out/file")
	outcome := goOn
	switch name {
	case "plain":
		check(os.WriteFile(out, []byte("made"), 0o644))
	case "copies":
		data, err := os.ReadFile(at("/in/given"))
		check(err)
		check(os.WriteFile(out, data, 0o644))
		check(os.WriteFile(at("/src/checkout/a"), []byte("changed"), 0o644))
	case "nested":
		inner := at("/src/checkout/node_modules/a/program")
		info, err := os.Stat(inner)
		check(err)
		_, err = os.Stat(at("/src/checkout/a"))
		check(err)
		check(os.WriteFile(inner, []byte("changed"), 0o644))
		check(os.WriteFile(out, fmt.Appendf(nil, "%v", info.Mode()), 0o644))
	case "environment":
		text, err := json.Marshal(os.Environ())
		check(err)
		check(os.WriteFile(out, text, 0o644))
	case "secret":
		info, err := os.Stat(at("/run/secrets/bot"))
		check(err)
		data, err := os.ReadFile(at("/run/secrets/bot"))
		check(err)
		check(os.WriteFile(out, fmt.Appendf(nil, "%v %s", info.Mode(), data), 0o644))
	case "silent":
		check(os.WriteFile(out, []byte("made"), 0o644))
		return
	case "chatty":
		outcome = `{"decision":"continue","rule":"","reason":"","more":1}`
	case "hidden":
		outcome = `{"decision":"stop","rule":"SF-X-001","reason":"\u001b[2Jgone"}`
		fmt.Fprint(os.Stderr, "\x1b[2J::error::x\n::warning::y\n")
	case "many":
		for i := range 4 {
			check(os.WriteFile(at(fmt.Sprintf("/src/checkout/%d", i)), nil, 0o644))
		}
		check(os.WriteFile(out, []byte("made"), 0o644))
	case "stopped-and-closed":
		outcome = `{"decision":"stop","rule":"SF-X-001","reason":"no"}`
		check(os.Symlink("/etc/passwd", at("/out/link")))
		check(os.WriteFile(at("/src/checkout/many"), make([]byte, 2000), 0o644))
		check(os.WriteFile(out, []byte("made"), 0o644))
	case "fifo":
		check(syscall.Mkfifo(out, 0o644))
	case "link":
		check(os.Symlink("/etc/passwd", out))
	case "second-name":
		check(os.WriteFile(at("/agent/other"), []byte("x"), 0o644))
		check(os.Link(at("/agent/other"), out))
	case "folder":
		check(os.Mkdir(out, 0o755))
	case "large":
		check(os.WriteFile(out, make([]byte, 2000), 0o644))
	case "outcome-fifo":
		check(syscall.Mkfifo(at("/out/outcome.json"), 0o644))
		return
	case "fails":
		os.Exit(3)
	case "waits", "serves", "mute":
		if name == "serves" {
			s, err := net.Listen("tcp", l.Listen)
			check(err)
			fmt.Println("listening on", s.Addr())
		}
		_, _ = io.Copy(io.Discard, os.Stdin)
		check(os.WriteFile(out, []byte("ended"), 0o644))
		if name == "mute" {
			return
		}
	default:
		os.Exit(9)
	}
	check(os.WriteFile(at("/out/outcome.json"), []byte(outcome), 0o644))
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(8)
	}
}

// runAndWait is a run that somebody kills while its step works.
func runAndWait(parent string) {
	self, err := os.Executable()
	check(err)
	i, err := New(Options{Worker: self, Parent: parent})
	check(err)
	fmt.Println("running")
	i.ownRoot = false
	_, _, _ = i.Run(context.Background(), step("waits"), nil, nil) // it is killed meanwhile
}

// step is a step with one output file; nothing but its name matters to the fake worker.
func step(name string) pipeline.Step {
	return pipeline.Step{
		Name: pipeline.StepName(name), Args: []string{"step", name},
		Out:    []pipeline.Output{{Name: "file", Path: "/out/file", Kind: pipeline.KindJSON, MaxBytes: 1000}},
		Limits: pipeline.Limits{Timeout: time.Minute, OutputBytes: 1 << 20, MemoryBytes: 1 << 30, Processes: 8},
	}
}

// interpreter runs the fake worker, on mapped paths as for an ordinary user: the root of its own is the
// worker's to enter, and the fake does not.
func interpreter(t *testing.T, change func(*Options)) *Interpreter {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	o := Options{Worker: self, Parent: t.TempDir()}
	if change != nil {
		change(&o)
	}
	i, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	i.ownRoot = false
	t.Cleanup(func() {
		if err := i.Close(); err != nil {
			t.Error(err)
		}
		if left, err := filepath.Glob(filepath.Join(o.Parent, "*")); err != nil || len(left) != 0 {
			t.Errorf("left behind: %v, %v", left, err)
		}
	})
	return i
}
