//go:build linux && (amd64 || arm64)

package fence

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// secret makes a file of the test's own user that its permissions give to everybody, so that only the fence keeps it.
func secret(t *testing.T, dir string) string {
	t.Helper()
	path := filepath.Join(dir, "secret")
	if err := os.WriteFile(path, []byte("secret"), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestFilesOutside: nothing outside the given paths can be read, changed or touched, whoever owns it.
func TestFilesOutside(t *testing.T) {
	eachWay(t, func(t *testing.T, way string) {
		outside, write := folder(t), folder(t)
		path := secret(t, outside)
		before, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		all := []string{path, "open", "append", "truncate", "unlink", "chmod", "fchmodat", "fchmodat2", "utimensat", "setxattr"}
		fails(t, way, Options{Write: []string{write}}, "each", all...)
		// In the other profile chmod may claim success; what counts is the file.
		attacked(t, way, Options{Profile: Tools, Write: []string{write}}, "each", all...)
		attacked(t, way, Options{Profile: Tools, Write: []string{write}}, "each", path, "chmod")
		attacked(t, way, Options{Profile: Tools, Write: []string{write}}, "each", path, "fchmodat")
		after, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		if after.Mode() != before.Mode() || after.Size() != before.Size() || !after.ModTime().Equal(before.ModTime()) {
			t.Errorf("the file was changed: %v, %v", before, after)
		}
	})
	for _, name := range []string{"open", "append", "truncate", "chmod", "fchmodat", "utimensat", "setxattr", "unlink"} {
		works(t, name, secret(t, folder(t)))
	}
}

// TestReadIsNotWrite: what may be read may not be changed.
func TestReadIsNotWrite(t *testing.T) {
	eachWay(t, func(t *testing.T, way string) {
		read := folder(t)
		if err := os.Chmod(read, 0o777); err != nil {
			t.Fatal(err)
		}
		path := secret(t, read)
		o := Options{Read: []string{read}}
		if result, out := attacked(t, way, o, "open", path); result.Code != attackWorked {
			t.Errorf("reading what was given: %v %s", result, out)
		}
		fails(t, way, o, "each", path, "append", "truncate", "unlink", "chmod", "utimensat")
		fails(t, way, o, "each", filepath.Join(read, "new"), "append", "fifo", "symlink", "bind")
	})
}

// TestSpecialFiles: nothing but files and folders can be made, none with a set-id bit, none that can be executed.
func TestSpecialFiles(t *testing.T) {
	eachWay(t, func(t *testing.T, way string) {
		write := folder(t)
		o := Options{Write: []string{write}}
		in := func(name string) string { return filepath.Join(write, name) }
		if result, out := attacked(t, way, o, "append", in("file")); result.Code != attackWorked {
			t.Fatalf("writing where it may: %v %s", result, out)
		}
		fails(t, way, o, "each", in("made"), "symlink", "fifo", "mknod", "device", "bind", "create-suid")
		fails(t, way, o, "each", in("made-too"), "fchmod-suid")
		fails(t, way, o, "each", in("made-also"), "mkdir-sgid")
		fails(t, way, o, "link", in("file"), in("second"))
		fails(t, way, o, "write-exec", write, program)
		fails(t, way, o, "memfd")
		for _, e := range entriesOf(t, write) {
			st, err := e.Info()
			if err != nil {
				t.Fatal(err)
			}
			if !st.Mode().IsRegular() && !st.IsDir() || st.Mode()&(os.ModeSetuid|os.ModeSetgid) != 0 ||
				st.Sys().(*syscall.Stat_t).Nlink > 1 && !st.IsDir() {
				t.Errorf("%v was made", st)
			}
		}
		control := folder(t)
		for _, name := range []string{"symlink", "fifo", "bind", "create-suid", "fchmod-suid", "mkdir-sgid"} {
			works(t, name, filepath.Join(control, name))
		}
		works(t, "link", filepath.Join(control, "create-suid"), filepath.Join(control, "second"))
		works(t, "write-exec", control, program)
		works(t, "memfd")
	})
}

func entriesOf(t *testing.T, dir string) []os.DirEntry {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	return entries
}

// TestRename: within a folder, as every program that writes atomically does it; not from one folder to another.
func TestRename(t *testing.T) {
	eachWay(t, func(t *testing.T, way string) {
		write := folder(t)
		if err := os.Mkdir(filepath.Join(write, "sub"), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(write, "a"), []byte("x"), 0o644); err != nil {
			t.Fatal(err)
		}
		o := Options{Write: []string{write}}
		if result, out := attacked(t, way, o, "rename", filepath.Join(write, "a"), filepath.Join(write, "b")); result.Code != attackWorked {
			t.Errorf("rename in a folder: %v %s", result, out)
		}
		out := fails(t, way, o, "rename", filepath.Join(write, "b"), filepath.Join(write, "sub", "b"))
		if !strings.Contains(out, unix.EXDEV.Error()) {
			t.Errorf("rename to another folder: %s, want %v", out, unix.EXDEV)
		}
	})
}

// TestOwnership: what the program made belongs to the folder's owner afterwards, and what was there is the program's to change.
func TestOwnership(t *testing.T) {
	eachWay(t, func(t *testing.T, way string) {
		write := folder(t)
		path := filepath.Join(write, "there")
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		o := Options{Write: []string{write}}
		for _, p := range []string{path, filepath.Join(write, "made")} {
			if result, out := attacked(t, way, o, "append", p); result.Code != attackWorked {
				t.Errorf("append to %s: %v %s", p, result, out)
			}
			st, err := os.Stat(p)
			if err != nil {
				t.Fatal(err)
			}
			if uid := st.Sys().(*syscall.Stat_t).Uid; int(uid) != os.Geteuid() {
				t.Errorf("%s belongs to uid %d afterwards, want %d", p, uid, os.Geteuid())
			}
		}
	})
}

// TestPrivateParents: as root, paths may lie below folders which no other user may enter, where there is a root of its own.
func TestPrivateParents(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("an ordinary user's program keeps the user's rights")
	}
	eachWay(t, func(t *testing.T, way string) {
		parent := folder(t)
		read, write := filepath.Join(parent, "r"), filepath.Join(parent, "w")
		for _, d := range []string{read, write} {
			if err := os.Mkdir(d, 0o700); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.WriteFile(filepath.Join(read, "f"), []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(parent, 0o700); err != nil {
			t.Fatal(err)
		}
		o := Options{Read: []string{read}, Write: []string{write}, Dir: write}
		if way == "uid" {
			o.Args = []string{program, probeArg}
			o.Read = append(append(libraries(), filepath.Dir(program)), o.Read...)
			if _, err := runIn(t, way, o); err == nil || !strings.Contains(err.Error(), "enter") {
				t.Errorf("got %v, want an error that says what cannot be entered", err)
			}
			return
		}
		result, out := attacked(t, way, o, "append", filepath.Join(write, "new"))
		if result.Code != attackWorked {
			t.Errorf("writing below a private folder: %v %s", result, out)
		}
		if way == "namespaces" {
			return // without mapped owners, what is read keeps its permissions
		}
		if result, out := attacked(t, way, o, "open", filepath.Join(read, "f")); result.Code != attackWorked {
			t.Errorf("reading below a private folder: %v %s", result, out)
		}
	})
}

// TestMachine: no /proc, no /sys, no device but the four, no home, no terminal.
func TestMachine(t *testing.T) {
	eachWay(t, func(t *testing.T, way string) {
		fails(t, way, Options{}, "open", "/proc/self/environ", "/proc/1/cmdline", "/proc/self/mem", "/proc/mounts", "/proc", "/sys",
			"/sys/kernel", "/dev/tty", "/dev/ptmx", "/dev/shm", "/dev/mem", "/dev", "/etc/passwd", "/root", "/home", "/tmp", "/var/tmp", "/")
		for _, path := range devices()[1:] { // /dev/null has nothing to read
			if result, out := attacked(t, way, Options{}, "open", path); result.Code != attackWorked {
				t.Errorf("%s: %v %s", path, result, out)
			}
		}
	})
}

// TestNamesAreKept: programs and paths are found by the names that the caller used, links included.
func TestNamesAreKept(t *testing.T) {
	if _, err := os.Stat("/bin/sh"); err != nil {
		t.Skip("no /bin/sh")
	}
	eachWay(t, func(t *testing.T, way string) {
		real := folder(t)
		link := real + "-link"
		if err := os.Symlink(real, link); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { os.Remove(link) })
		var out bytes.Buffer
		o := Options{Args: []string{"/bin/sh", "-c", "pwd && echo x > " + link + "/f"}, Dir: link,
			Read: append(libraries(), "/bin/sh", "/usr"), Write: []string{link}, Stdout: &out, Stderr: &out, Env: []string{"PWD=" + link}}
		result, err := runIn(t, way, o)
		if err != nil || result.Code != 0 || out.String() != link+"\n" {
			t.Errorf("%v, %v, %q, want the folder %q", result, err, out.String(), link)
		}
		if _, err := os.Stat(filepath.Join(real, "f")); err != nil {
			t.Error(err)
		}
	})
}

// TestRootIsCut: "/" stands for what lies in it, without the kernel's own folders.
func TestRootIsCut(t *testing.T) {
	eachWay(t, func(t *testing.T, way string) {
		o := Options{Read: []string{"/"}}
		if result, out := attacked(t, way, o, "open", "/etc/passwd"); result.Code != attackWorked {
			t.Errorf("reading below /: %v %s", result, out)
		}
		fails(t, way, o, "open", "/proc/self/environ", "/proc/1/cmdline", "/dev/tty", "/sys/kernel")
	})
}

// TestModifiedTimeIsOwn: a program sets the times of its own open files, as git and editors do.
func TestModifiedTimeIsOwn(t *testing.T) {
	table := rulesOf(Agent, native(), setting{})
	if got := table.decide(table.arch, unix.SYS_UTIMENSAT, [6]uint64{3, 0, 0x1000}); got != actAllow {
		t.Errorf("futimens answers %#x", got)
	}
}

// TestReadBelowWrite: what is only to be read cannot be written, or nothing runs.
func TestReadBelowWrite(t *testing.T) {
	eachWay(t, func(t *testing.T, way string) {
		dir := folder(t)
		file := filepath.Join(dir, "sub", "file")
		if err := errors.Join(os.Mkdir(filepath.Dir(file), 0o777), os.WriteFile(file, []byte("x"), 0o666), os.Chmod(file, 0o666)); err != nil {
			t.Fatal(err)
		}
		o := Options{Args: []string{program, attackArg, "append", file}, Write: []string{dir},
			Read: append(libraries(), filepath.Dir(program), filepath.Dir(file))}
		result, err := runIn(t, way, o)
		if strings.Contains(way, "namespace") {
			if err != nil || result.Code != attackFailed {
				t.Errorf("%v, %v, want it to fail", result, err)
			}
			return
		}
		if !errors.Is(err, ErrUnavailable) || !strings.Contains(err.Error(), "keep them apart") {
			t.Errorf("%v, %v, want a refusal", result, err)
		}
	})
}
