package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"selffix/internal/modelfake"
	"selffix/internal/play"
	"selffix/pipeline/local"
	"selffix/testdata"
)

// Whenever a run is ended, nothing of it goes on, and the next run starts clean.
func TestFixEndedWhileTheAgentWorks(t *testing.T) {
	hang := play.Play{Name: "hang", Doc: "d", Report: "red", Turns: []modelfake.Turn{{Fault: modelfake.FaultHang}}}
	for name, signal := range map[string]syscall.Signal{"SIGTERM": syscall.SIGTERM, "SIGKILL": syscall.SIGKILL} {
		t.Run(name, func(t *testing.T) {
			f := stageFix(t, hang)
			c := exec.Command(workerPath(t), f.args()...)
			if err := c.Start(); err != nil {
				t.Fatal(err)
			}
			eventually(t, "the agent asks the model", func() bool { return len(f.model.Requests()) > 0 })
			if err := c.Process.Signal(signal); err != nil {
				t.Fatal(err)
			}
			_ = c.Wait() // how it ended is looked at below
			if signal == syscall.SIGTERM && c.ProcessState.ExitCode() != exitUndecided {
				t.Errorf("exit code %d, want 2", c.ProcessState.ExitCode())
			}
			eventually(t, "no process of the run is left", func() bool { return len(processesOf(t, "claude")) == 0 })
			if signal == syscall.SIGKILL {
				// The next run of this user sweeps, whatever it is for.
				eventually(t, "the next run swept", func() bool {
					ip, err := local.New(local.Options{Worker: workerPath(t)})
					if err != nil {
						t.Fatal(err)
					}
					if err := ip.Close(); err != nil {
						t.Fatal(err)
					}
					return len(runFolders(t)) == 0
				})
			}
			if left := runFolders(t); len(left) != 0 {
				t.Errorf("left behind: %v", left)
			}
			if _, err := os.Stat(filepath.Join(f.out, "fix.patch")); err == nil {
				t.Error("a patch was handed on")
			}
		})
	}
}

// runFolders lists run folders that no living run holds: another package's tests may have a run of their own under way.
func runFolders(t *testing.T) []string {
	t.Helper()
	all, err := filepath.Glob(fmt.Sprintf("/var/tmp/self-fix-run-%d-*", os.Getuid()))
	if err != nil {
		t.Fatal(err)
	}
	return slices.DeleteFunc(all, func(dir string) bool {
		lock, err := os.Open(filepath.Join(dir, "lock"))
		if err != nil {
			return errors.Is(err, fs.ErrNotExist) && gone(dir)
		}
		defer lock.Close()
		return unix.Flock(int(lock.Fd()), unix.LOCK_SH|unix.LOCK_NB) != nil
	})
}

// gone reports whether a folder was removed since it was listed.
func gone(dir string) bool {
	_, err := os.Lstat(dir)
	return errors.Is(err, fs.ErrNotExist)
}

// processesOf lists processes of a program.
func processesOf(t *testing.T, program string) []string {
	t.Helper()
	lines, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, l := range lines {
		text, err := os.ReadFile(l)
		if err == nil && strings.HasSuffix(strings.Split(string(text), "\x00")[0], "/"+program) {
			found = append(found, l)
		}
	}
	return found
}

func eventually(t *testing.T, what string, done func() bool) {
	t.Helper()
	for range 1200 {
		if done() {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Fatalf("not within a minute: %s", what)
}

// BenchmarkFix is a whole repair without the model's own time, warm: the scripted model answers at once.
func BenchmarkFix(b *testing.B) {
	plays, err := play.Load(testdata.Files, "plays")
	if err != nil {
		b.Fatal(err)
	}
	i := slices.IndexFunc(plays, func(p play.Play) bool { return p.Name == "repair" })
	for b.Loop() {
		b.StopTimer()
		f := stageFix(b, plays[i])
		b.StartTimer()
		f.run(b, f.args()...)
		if f.code != exitYes {
			b.Fatalf("exit code %d: %s", f.code, f.stderr)
		}
	}
}
