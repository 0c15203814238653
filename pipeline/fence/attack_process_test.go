//go:build linux && (amd64 || arm64)

package fence

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// TestOtherProcesses: no signal, limit, memory or descriptor of the supervisor or anybody else, in both profiles.
func TestOtherProcesses(t *testing.T) {
	eachWay(t, func(t *testing.T, way string) {
		for _, profile := range []Profile{Agent, Tools} {
			fails(t, way, Options{Profile: profile}, "each", "", "prlimit", "setown", "sigqueue", "pidfd-send", "pidfd-getfd", "ptrace",
				"vm-read", "setsid", "setpgid", "unshare", "clone-ns", "clone3", "core-limit")
		}
		fails(t, way, Options{}, "each", "", "kill", "kill-all", "tgkill")
		if result, out := attacked(t, way, Options{}, "self-call"); result.Code != attackWorked {
			t.Errorf("a signal to a thread of its own: %v %s", result, out)
		}
		// The others depend on what this kernel gives an ordinary user.
		for _, name := range []string{"prlimit", "setown", "sigqueue", "kill", "pidfd-send", "setpgid", "core-limit"} {
			works(t, name)
		}
	})
}

// TestSignalsStayInside: the tools profile may end its own children; where the kernel does not keep signals inside, it may not
// even do that.
func TestSignalsStayInside(t *testing.T) {
	eachWay(t, func(t *testing.T, way string) {
		victim := exec.Command("/bin/sleep", "60")
		if err := victim.Start(); err != nil {
			t.Skip(err)
		}
		defer func() { _ = victim.Process.Kill(); _ = victim.Wait() }()
		fails(t, way, Options{Profile: Tools}, "kill-pid", itoa(victim.Process.Pid))
		if result, out := attacked(t, way, Options{Profile: Tools}, "kill-child"); result.Code != attackWorked {
			t.Errorf("ending its own child: %v %s", result, out)
		}
	})
}

// TestDescriptors: none is inherited, also one that the caller forgot to mark close-on-exec.
func TestDescriptors(t *testing.T) {
	f, err := os.Open(secret(t, folder(t)))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for range 20 { // one of them above every descriptor that the supervisor uses
		fd, err := unix.Dup(int(f.Fd())) // without close-on-exec
		if err != nil {
			t.Fatal(err)
		}
		defer unix.Close(fd)
	}
	eachWay(t, func(t *testing.T, way string) {
		fails(t, way, Options{}, "inherited")
	})
	works(t, "inherited")
}

// TestEnvironment: only what was given.
func TestEnvironment(t *testing.T) {
	t.Setenv("FENCE_TEST_SECRET", "x")
	eachWay(t, func(t *testing.T, way string) {
		fails(t, way, Options{Env: []string{"GIVEN=1"}}, "environment")
	})
	works(t, "environment")
}

// foreignCall is a C program, since Go has no way to make calls of another architecture.
const foreignCall = `
#include <stdio.h>
#include <errno.h>
int main(int argc, char **argv) {
	long r = 0;
	__asm__ volatile("int $0x80" : "=a"(r) : "a"(359), "b"(2), "c"(1), "d"(0)); /* socket(AF_INET, SOCK_STREAM, 0) of i386 */
	printf("%ld\n", r);
	return r >= 0 ? 42 : 43;
}`

// TestOtherArchitectures: a call of the 32-bit architecture, whose numbers mean something else, ends the process at once; so
// does one with the x32 bit.
func TestOtherArchitectures(t *testing.T) {
	if runtime.GOARCH != "amd64" {
		t.Skip("x86 only")
	}
	eachWay(t, func(t *testing.T, way string) {
		for _, nr := range []int{41, 57, 59, 520} { // socket, fork, execve, and x32's own execve
			result, out := attacked(t, way, Options{}, "number", itoa(nr|x32Bit))
			if result.End != Signalled || result.Signal != int(unix.SIGSYS) || result.ExitCode() != ExitSignalled {
				t.Errorf("x32 call %d: %v %s, want SIGSYS", nr, result, out)
			}
		}
	})
	gcc, err := exec.LookPath("gcc")
	if err != nil {
		t.Skip("no gcc for the call by int 0x80")
	}
	dir := folder(t)
	bin := filepath.Join(dir, "foreign")
	build := exec.Command(gcc, "-static", "-o", bin, "-x", "c", "-")
	build.Stdin = strings.NewReader(foreignCall)
	if out, err := build.CombinedOutput(); err != nil {
		t.Skipf("gcc cannot build it: %v\n%s", err, out)
	}
	want := unix.SIGSYS
	if err := exec.Command(bin).Run(); err == nil || !strings.Contains(err.Error(), "42") {
		t.Logf("control: this kernel has no 32-bit calls at all: %v", err)
		want = unix.SIGSEGV
	}
	eachWay(t, func(t *testing.T, way string) {
		for _, profile := range []Profile{Agent, Tools} {
			result, err := runIn(t, way, Options{Profile: profile, Args: []string{bin}, Read: []string{dir}})
			if err != nil || result.End != Signalled || result.Signal != int(want) {
				t.Errorf("int 0x80: %v, %v, want signal %d", result, err, want)
			}
		}
	})
}

// TestSurvivors: when Run returns, nothing that the program started lives, whatever it did to stay.
func TestSurvivors(t *testing.T) {
	eachWay(t, func(t *testing.T, way string) {
		write := folder(t)
		path := filepath.Join(write, "scribble")
		o := Options{Write: []string{write}}
		if result, out := attacked(t, way, o, "survive", path); result.Code != attackWorked {
			t.Fatalf("the child did not start: %v %s", result, out)
		}
		still(t, path)
		fails(t, way, o, "survive", path, "session")
		result, _ := attacked(t, way, Options{Write: []string{write}, Timeout: 2 * time.Second}, "scribble", path)
		if result.End != Deadline || result.ExitCode() != ExitDeadline {
			t.Errorf("%v, want the deadline", result)
		}
		still(t, path)
		if left := processesWith(t, path); len(left) > 0 {
			t.Errorf("processes are left: %q", left)
		}
	})
}

// still demands that a file does not change any more.
func still(t *testing.T, path string) {
	t.Helper()
	before, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	time.Sleep(100 * time.Millisecond)
	after, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if before.Size() != after.Size() {
		t.Errorf("%s still grows: %d, %d", path, before.Size(), after.Size())
	}
}

// processesWith lists the command lines that name a path.
func processesWith(t *testing.T, path string) []string {
	t.Helper()
	lines, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, l := range lines {
		text, err := os.ReadFile(l)
		if err == nil && bytes.Contains(text, []byte(path)) {
			found = append(found, string(text))
		}
	}
	return found
}
