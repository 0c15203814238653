//go:build linux && (amd64 || arm64)

package fence

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// TestFloods: each resource that a program can use up has a limit that holds.
func TestFloods(t *testing.T) {
	eachWay(t, func(t *testing.T, way string) {
		t.Run("processes", func(t *testing.T) {
			out := fails(t, way, Options{Limits: Limits{Processes: 64}}, "fork", "4000")
			if !strings.Contains(out, unix.EAGAIN.Error()) {
				t.Errorf("%s, want %v", out, unix.EAGAIN)
			}
		})
		t.Run("memory", func(t *testing.T) {
			out := fails(t, way, Options{Limits: Limits{DataBytes: 1 << 30}}, "memory", "2048")
			if !strings.Contains(out, unix.ENOMEM.Error()) {
				t.Errorf("%s, want %v", out, unix.ENOMEM)
			}
		})
		exceeds(t, way, "output", Limits{OutputBytes: 1 << 20}, "shout")
		exceeds(t, way, "bytes on disk", Limits{DiskBytes: 8 << 20}, "fill", "DIR", "24")
		exceeds(t, way, "names on disk", Limits{DiskFiles: 500}, "fill-names", "DIR", "1000")
		t.Run("deep folders", func(t *testing.T) { deepFolders(t, way) })
		exceeds(t, way, "sparse file", Limits{DiskBytes: 8 << 20}, "fill-sparse", "DIR", "134217728")
		exceeds(t, way, "deleted files", Limits{DiskBytes: 16 << 20}, "fill-hidden", "DIR", "200")
		t.Run("one file", func(t *testing.T) {
			dir := folder(t)
			result, out := attacked(t, way, Options{Write: []string{dir}, Limits: Limits{FileBytes: 1 << 20}}, "fill-sparse", dir, "134217728")
			if result.Code == attackWorked {
				t.Errorf("%v %s", result, out)
			}
		})
	})
}

// deepFolders: what lies deeper than a path can name cannot be counted, nor taken back where folders were given away.
func deepFolders(t *testing.T, way string) {
	dir := folder(t)
	result, err := runIn(t, way, Options{Args: []string{program, attackArg, "fill-deep", dir, "40"}, Write: []string{dir},
		Read: append(libraries(), filepath.Dir(program))})
	if result.End != Exceeded && !errors.Is(err, ErrLost) {
		t.Errorf("%v, %v, want the limit or that the run is lost", result, err)
	}
	if n := len(fmt.Sprint(result, err)); n > 400 {
		t.Errorf("the reason has %d bytes", n)
	}
}

// exceeds demands that the program is ended for a limit.
func exceeds(t *testing.T, way, what string, limits Limits, attack ...string) {
	t.Helper()
	t.Run(what, func(t *testing.T) {
		dir := folder(t)
		for i, a := range attack {
			if a == "DIR" {
				attack[i] = dir
			}
		}
		var out countingWriter
		result, _ := attacked(t, way, Options{Write: []string{dir}, Limits: limits, Stdout: &out}, attack[0], attack[1:]...)
		if result.End != Exceeded || result.ExitCode() != ExitSignalled || result.Reason == "" {
			t.Errorf("%v, want the limit", result)
		}
		if limits.OutputBytes > 0 && int64(out) > limits.OutputBytes {
			t.Errorf("%d bytes came out, the limit is %d", out, limits.OutputBytes)
		}
	})
}

type countingWriter int64

func (c *countingWriter) Write(p []byte) (int, error) {
	*c += countingWriter(len(p))
	return len(p), nil
}

// TestDeadline: a program that ignores signals, and its children, end.
func TestDeadline(t *testing.T) {
	eachWay(t, func(t *testing.T, way string) {
		for _, name := range []string{"sleep", "ignore-term"} {
			result, _ := attacked(t, way, Options{Timeout: time.Second}, name)
			if result.End != Deadline || result.ExitCode() != ExitDeadline {
				t.Errorf("%s: %v, want the deadline", name, result)
			}
		}
	})
}

// TestInputAndOutput pass whole, each on its own stream.
func TestInputAndOutput(t *testing.T) {
	eachWay(t, func(t *testing.T, way string) {
		in := bytes.Repeat([]byte("0123456789abcdef"), 1<<16)
		var out, errs bytes.Buffer
		result, err := runIn(t, way, Options{Args: []string{"sh", "-c", "cat; echo done >&2; exit 3"}, Read: append(libraries(), "/bin", "/usr/bin"),
			Stdin: bytes.NewReader(in), Stdout: &out, Stderr: &errs})
		if err != nil || result.End != Exited || result.Code != 3 || result.ExitCode() != 3 {
			t.Fatalf("%v, %v: %s", result, err, errs.String())
		}
		if !bytes.Equal(out.Bytes(), in) || errs.String() != "done\n" {
			t.Errorf("%d bytes of %d came back, and %q", out.Len(), len(in), errs.String())
		}
		// A reader that never ends does not keep Run.
		never, hold := io.Pipe()
		defer hold.Close()
		if result, err = runIn(t, way, Options{Args: []string{"true"}, Read: append(libraries(), "/bin", "/usr/bin"), Stdin: never}); err != nil || result.Code != 0 {
			t.Errorf("%v, %v", result, err)
		}
	})
}
