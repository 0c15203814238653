//go:build linux && (amd64 || arm64)

package fence

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// helper is what TestMain got from Enter, as a program's main would; program is the test binary where every user may run it.
var (
	helper  Helper
	program string
)

// attackArg has the test binary, behind the fence, do what the name says: the attacks of attacks_test.go.
const attackArg = "attack"

func TestMain(m *testing.M) {
	helper = Enter()
	if len(os.Args) > 2 && os.Args[1] == attackArg {
		os.Exit(perform(os.Args[2], os.Args[3:]))
	}
	if len(os.Args) > 3 && os.Args[1] == callerArg {
		program = os.Args[0]
		os.Exit(caller(os.Args[2:]))
	}
	if len(os.Args) > 3 && os.Args[1] == callerTTYArg {
		program = os.Args[0]
		os.Exit(callerOnTerminal(os.Args[2:]))
	}
	if len(os.Args) == 2 && os.Args[1] == timesArg {
		os.Exit(times())
	}
	os.Exit(runTests(m))
}

func runTests(m *testing.M) int {
	dir, err := openDir()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	program = filepath.Join(dir, "program")
	if err := copyFile(program, "/proc/self/exe", 0o755); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return m.Run()
}

// How an attack ends. Everything else is a fault of the test.
const (
	attackWorked = 42
	attackFailed = 43
)

// perform runs one attack. No error means that it worked.
func perform(name string, args []string) int {
	do, known := attacks()[name]
	if !known {
		fmt.Println("no such attack:", name)
		return 1
	}
	if err := do(args); err != nil {
		fmt.Print(err)
		return attackFailed
	}
	return attackWorked
}

func copyFile(to, from string, mode os.FileMode) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_CREATE|os.O_WRONLY|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	if _, err := io.Copy(out, in); err != nil {
		return errors.Join(err, out.Close())
	}
	return out.Close()
}

// openDir is a folder below which every user may read. t.TempDir is only the owner's.
func openDir() (string, error) {
	dir, err := os.MkdirTemp("/var/tmp", "fence-test-")
	if err != nil {
		return "", err
	}
	return dir, os.Chmod(dir, 0o755)
}

// folder is an openDir that ends with the test.
func folder(t *testing.T) string {
	t.Helper()
	dir, err := openDir()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

// libraries are what a dynamically linked program needs.
func libraries() []string {
	var all []string
	for _, p := range []string{"/lib", "/lib64", "/usr/lib", "/usr/lib64", "/etc/ld.so.cache"} {
		if _, err := os.Stat(p); err == nil {
			all = append(all, p)
		}
	}
	return all
}

// runIn runs the options in one layout, whichever Run would take first.
func runIn(t *testing.T, way string, o Options) (Result, error) {
	t.Helper()
	o.Helper = helper
	if o.Timeout == 0 {
		o.Timeout = 60 * time.Second
	}
	return runLayout(context.WithoutCancel(t.Context()), way, o)
}

func runLayout(ctx context.Context, way string, o Options) (Result, error) {
	o, err := o.checked()
	if err != nil {
		return Result{}, err
	}
	kernel, err := mandatory(o.Relay != "")
	if err != nil {
		return Result{}, err
	}
	r, err := newRequest(ctx, o, kernel)
	if err != nil {
		return Result{}, err
	}
	all, err := layouts(r, o.User)
	if err != nil {
		return Result{}, err
	}
	i := slices.IndexFunc(all, func(l layout) bool { return l.Name == way })
	if i < 0 {
		return Result{}, fmt.Errorf("no layout %q", way)
	}
	r.Layout = all[i]
	if r.Tasks, err = taskLimit(r.Layout, o.Limits.Processes); err != nil {
		return Result{}, err
	}
	return attempt(ctx, o, r)
}

// eachWay runs a test in every layout that this user and kernel have. At least the last one must work.
func eachWay(t *testing.T, test func(t *testing.T, way string)) {
	t.Helper()
	names := []string{"user namespace", "plain"}
	if os.Geteuid() == 0 {
		names = []string{"namespaces, mapped owner", "namespaces", "uid"}
	}
	for i, way := range names {
		t.Run(way, func(t *testing.T) {
			_, err := runIn(t, way, Options{Args: []string{program, probeArg}, Read: append(libraries(), filepath.Dir(program))})
			if errors.Is(err, errNamespaces) && i < len(names)-1 {
				t.Skipf("this kernel does not give it: %v", err)
			}
			if err != nil {
				t.Fatal(err)
			}
			test(t, way)
		})
	}
}

// attacked runs an attack behind the fence.
func attacked(t *testing.T, way string, o Options, name string, args ...string) (Result, string) {
	t.Helper()
	var out bytes.Buffer
	o.Args = append([]string{program, attackArg, name}, args...)
	o.Read = append(append(libraries(), filepath.Dir(program)), o.Read...)
	if o.Stdout == nil {
		o.Stdout = &out
	}
	if o.Stderr == nil {
		o.Stderr = &out
	}
	result, err := runIn(t, way, o)
	if err != nil {
		t.Fatalf("attack %s: %v\n%s", name, err, out.String())
	}
	return result, out.String()
}

// fails demands that the attack ran to its end and did not work.
func fails(t *testing.T, way string, o Options, name string, args ...string) string {
	t.Helper()
	result, out := attacked(t, way, o, name, args...)
	if result.End != Exited || result.Code != attackFailed {
		t.Errorf("attack %s %q: %v, want it to fail with code %d\n%s", name, args, result, attackFailed, out)
	}
	return out
}

// works is the control: without the fence the attack does what it says.
func works(t *testing.T, name string, args ...string) {
	t.Helper()
	cmd := exec.Command(program, append([]string{attackArg, name}, args...)...)
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != attackWorked {
		t.Errorf("control: attack %s %q without the fence: %v, want code %d\n%s", name, args, err, attackWorked, out)
	}
}

// asUser marks the second run of the tests, as an ordinary user.
const asUser = "FENCE_TEST_AS_USER"

// TestAsOrdinaryUser runs every other test of this package again without privilege, when it has some.
func TestAsOrdinaryUser(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("this is an ordinary user already")
	}
	if testing.Short() {
		t.Skip("-short")
	}
	uid, err := freeUser(0)
	if err != nil {
		t.Fatal(err)
	}
	home := folder(t)
	if err := os.Chown(home, int(uid), int(uid)); err != nil {
		t.Fatal(err)
	}
	args := []string{"-test.timeout=8m", "-test.skip=Filter|Bench", "-test.v=" + fmt.Sprint(testing.Verbose())}
	cmd := exec.CommandContext(t.Context(), program, args...)
	cmd.Dir = home
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home, "TMPDIR=" + home, asUser + "=1"}
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uid, Gid: uid}}
	out, err := cmd.CombinedOutput()
	for line := range strings.Lines(string(out)) {
		t.Log(strings.TrimRight(line, "\n"))
	}
	if err != nil {
		t.Errorf("tests as uid %d: %v", uid, err)
	}
}
