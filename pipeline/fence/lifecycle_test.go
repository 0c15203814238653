//go:build linux && (amd64 || arm64)

package fence

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// TestRunRefuses: what cannot be fenced does not run, and the reason says what to do.
func TestRunRefuses(t *testing.T) {
	dir := folder(t)
	if err := os.WriteFile(filepath.Join(dir, "text"), []byte("no program"), 0o755); err != nil {
		t.Fatal(err)
	}
	base := func() Options {
		return Options{Helper: helper, Args: []string{program, probeArg}, Read: append(libraries(), filepath.Dir(program)), Timeout: time.Minute}
	}
	for name, c := range map[string]struct {
		spoil func(o *Options)
		want  error
		says  string
	}{
		"a path that is not there":           {func(o *Options) { o.Read = append(o.Read, dir+"/none") }, ErrOptions, "none"},
		"a folder to write, not there":       {func(o *Options) { o.Write = []string{dir + "/none"} }, ErrOptions, "none"},
		"writing everywhere":                 {func(o *Options) { o.Write = []string{"/"} }, ErrOptions, "name folders"},
		"a program that is not there":        {func(o *Options) { o.Args = []string{"no-such-program"} }, ErrOptions, "no-such-program"},
		"a program outside":                  {func(o *Options) { o.Read = libraries() }, ErrUnavailable, "given path"},
		"a program that is none":             {func(o *Options) { o.Args = []string{dir + "/text"}; o.Read = append(o.Read, dir) }, ErrUnavailable, "exec"},
		"a program that may only be written": {func(o *Options) { o.Args = []string{dir + "/text"}; o.Write = []string{dir} }, ErrUnavailable, "execve"},
		"a relay without a port":             {func(o *Options) { o.Relay = "127.0.0.1" }, ErrOptions, "HOST:PORT"},
		"a relay with port 0":                {func(o *Options) { o.Relay = "127.0.0.1:0" }, ErrOptions, "port"},
		"a relay that does not exist":        {func(o *Options) { o.Relay = "host.invalid:80" }, ErrOptions, "address"},
		"a uid that a process has":           {func(o *Options) { o.User = usedUser(t) }, ErrUnavailable, "uid"},
	} {
		o := base()
		c.spoil(&o)
		result, err := Run(t.Context(), o)
		if !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, %v, want %v that says %q", name, result, err, c.want, c.says)
		}
	}
	if _, err := Run(t.Context(), base()); err != nil {
		t.Errorf("unspoiled: %v", err)
	}
}

// usedUser is the uid of some process other than root's.
func usedUser(t *testing.T) uint32 {
	t.Helper()
	if os.Geteuid() != 0 {
		return 12345 // any: an ordinary user may take none
	}
	uid, err := freeUser(0)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("/bin/sleep", "60")
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uid, Gid: uid}}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	return uid
}

// TestUserIsOwn: as root each run has a uid of its own, without groups; two at once have two.
func TestUserIsOwn(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can take another uid")
	}
	eachWay(t, func(t *testing.T, way string) {
		seen := map[uint32]bool{}
		for range 2 {
			var out bytes.Buffer
			result, err := runIn(t, way, Options{Args: []string{"id"}, Read: append(libraries(), "/bin", "/usr/bin"), Stdout: &out})
			uid := result.Layers.User
			want := fmt.Sprintf("uid=%d gid=%d groups=%d\n", uid, uid, uid)
			if err != nil || uid == 0 || uid == nobody || seen[uid] || out.String() != want {
				t.Errorf("%v, %v, %q, want %q", result, err, out.String(), want)
			}
			seen[uid] = true
		}
	})
}

// TestCancel: the end of the caller's context ends the program.
func TestCancel(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(300*time.Millisecond, cancel)
	result, err := Run(ctx, Options{Helper: helper, Args: []string{program, attackArg, "ignore-term"},
		Read: append(libraries(), filepath.Dir(program)), Timeout: time.Minute})
	if err != nil || result.End != Cancelled || result.ExitCode() != ExitSignalled {
		t.Errorf("%v, %v, want it cancelled", result, err)
	}
}

// callerArg has the test binary run a fence in a given layout, to be killed with it or without its supervisor.
const callerArg = "fence-caller"

// caller is a program that fences a scribbler. Its arguments: layout, path to scribble to.
func caller(args []string) int {
	h := helper
	o := Options{Helper: h, Args: []string{program, attackArg, "survive-and-scribble", args[1]}, Timeout: time.Minute,
		Read: append(libraries(), filepath.Dir(program)), Write: []string{filepath.Dir(args[1])}, Stdout: os.Stdout, Stderr: os.Stdout}
	result, err := runLayout(context.Background(), args[0], o)
	fmt.Println(result, err)
	if errors.Is(err, ErrLost) {
		return 7
	}
	return 0
}

// TestCallerDies: SIGKILL of the caller takes the program with it, and its children.
func TestCallerDies(t *testing.T) {
	eachWay(t, func(t *testing.T, way string) {
		path := filepath.Join(folder(t), "scribble")
		cmd := startCaller(t, way, path)
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = cmd.Wait()
		gone(t, path)
	})
}

// TestSupervisorDies: so does SIGKILL of the supervisor, and the caller hears that nothing can be trusted.
func TestSupervisorDies(t *testing.T) {
	eachWay(t, func(t *testing.T, way string) {
		path := filepath.Join(folder(t), "scribble")
		cmd := startCaller(t, way, path)
		supervisor := childOf(t, cmd.Process.Pid)
		if err := unix.Kill(supervisor, unix.SIGKILL); err != nil {
			t.Fatal(err)
		}
		var exit *exec.ExitError
		if err := cmd.Wait(); !errors.As(err, &exit) || exit.ExitCode() != 7 {
			t.Errorf("the caller: %v, want ErrLost", err)
		}
		gone(t, path)
	})
}

func startCaller(t *testing.T, way, path string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(program, callerArg, way, path)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for range 1000 {
		if st, err := os.Stat(path); err == nil && st.Size() > 10 {
			return cmd
		}
		time.Sleep(20 * time.Millisecond)
	}
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	t.Fatalf("the program did not start: %s", out.String())
	return nil
}

// childOf is the one child of a process.
func childOf(t *testing.T, pid int) int {
	t.Helper()
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range stats {
		text, err := os.ReadFile(s)
		if err != nil {
			continue
		}
		fields := strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:]))
		if fields[1] == strconv.Itoa(pid) {
			child, _ := strconv.Atoi(filepath.Base(filepath.Dir(s)))
			return child
		}
	}
	t.Fatalf("process %d has no child", pid)
	return 0
}

// gone waits until no process names the path, and wants its file still then.
func gone(t *testing.T, path string) {
	t.Helper()
	for range 500 {
		if len(processesWith(t, path)) == 0 {
			still(t, path)
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	t.Errorf("processes are left: %q", processesWith(t, path))
}

// TestTerminal: a program started from a terminal has none, and types nothing into it.
func TestTerminal(t *testing.T) {
	eachWay(t, func(t *testing.T, way string) {
		for _, attack := range []string{"terminal", "tiocsti"} {
			master, slave := openTerminal(t)
			code, out := onTerminal(t, slave, program, callerTTYArg, way, attack)
			if code != attackFailed {
				t.Errorf("%s: code %d %s, want %d", attack, code, out, attackFailed)
			}
			if typed := typedInto(t, slave); typed != "" {
				t.Errorf("%s: %q was typed into the terminal", attack, typed)
			}
			master.Close()
			slave.Close()
		}
	})
	master, slave := openTerminal(t)
	defer master.Close()
	defer slave.Close()
	if code, out := onTerminal(t, slave, program, attackArg, "terminal"); code != attackWorked {
		t.Errorf("control: code %d %s", code, out)
	}
	if legacy, _ := os.ReadFile("/proc/sys/dev/tty/legacy_tiocsti"); strings.TrimSpace(string(legacy)) == "0" {
		t.Log("control: this kernel refuses TIOCSTI to everybody")
		return
	}
	code, out := onTerminal(t, slave, program, attackArg, "tiocsti")
	if typed := typedInto(t, slave); code != attackWorked || typed != "#" {
		t.Errorf("control: code %d %s, %q was typed", code, out, typed)
	}
}

// callerTTYArg has the test binary fence an attack with its own descriptors as the program's.
const callerTTYArg = "fence-on-terminal"

func callerOnTerminal(args []string) int {
	o := Options{Helper: helper, Args: []string{program, attackArg, args[1]}, Timeout: time.Minute,
		Read: append(libraries(), filepath.Dir(program)), Stdout: os.Stdout, Stderr: os.Stderr}
	result, err := runLayout(context.Background(), args[0], o)
	if err != nil || result.End != Exited {
		fmt.Println(result, err)
		return 1
	}
	return result.Code
}

func openTerminal(t *testing.T) (master, slave *os.File) {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("no terminals here: %v", err)
	}
	t.Cleanup(func() { master.Close() })
	if err := unix.IoctlSetPointerInt(int(master.Fd()), unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	// By descriptor: the terminal may have no name where this test may look.
	fd, _, errno := unix.Syscall(unix.SYS_IOCTL, master.Fd(), unix.TIOCGPTPEER, unix.O_RDWR|unix.O_NOCTTY)
	if errno != 0 {
		t.Fatal(errno)
	}
	slave = os.NewFile(fd, "terminal")
	t.Cleanup(func() { slave.Close() })
	raw, err := unix.IoctlGetTermios(int(fd), unix.TCGETS)
	if err != nil {
		t.Fatal(err)
	}
	raw.Lflag &^= unix.ICANON | unix.ECHO
	raw.Cc[unix.VMIN], raw.Cc[unix.VTIME] = 0, 1
	if err := unix.IoctlSetTermios(int(fd), unix.TCSETS, raw); err != nil {
		t.Fatal(err)
	}
	return master, slave
}

// onTerminal runs a program in a session whose terminal is slave, with slave as its three descriptors.
func onTerminal(t *testing.T, slave *os.File, args ...string) (int, string) {
	t.Helper()
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = slave, slave, slave
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	err := cmd.Run()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return exit.ExitCode(), err.Error()
	}
	return 0, fmt.Sprint(err)
}

// typedInto reads what waits in the terminal's input.
func typedInto(t *testing.T, slave *os.File) string {
	t.Helper()
	buf := make([]byte, 64)
	n, _, errno := unix.Syscall(unix.SYS_READ, slave.Fd(), uintptr(unsafe.Pointer(&buf[0])), uintptr(len(buf)))
	if errno != 0 {
		t.Fatal(errno)
	}
	return string(buf[:n])
}
