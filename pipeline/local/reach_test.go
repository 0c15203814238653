package local

import (
	"os"
	"path/filepath"
	"testing"
)

// A closed folder, as /root is, is made again where steps of other users get to; what is open is used where it lies.
func TestReach(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root's steps run as other users")
	}
	run, err := newRunDir(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(run.path, 0o711); err != nil {
		t.Fatal(err)
	}
	i := &Interpreter{run: run}
	defer func() {
		if err := i.Close(); err != nil {
			t.Error(err)
		}
	}()
	base, err := os.MkdirTemp("/var/tmp", "self-fix-reach-")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(base)
	tools := filepath.Join(base, "closed", "tools")
	if err := os.MkdirAll(filepath.Join(tools, "bin"), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, mode := range map[string]os.FileMode{"program": 0o755, "bin/private": 0o600} {
		if err := os.WriteFile(filepath.Join(tools, name), []byte(name), mode); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("../program", filepath.Join(tools, "bin", "link")); err != nil {
		t.Fatal(err)
	}
	for _, d := range []string{base, filepath.Dir(tools)} {
		if err := os.Chmod(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := i.reach(tools); err != nil || got != tools {
		t.Fatalf("what is open: %q, %v", got, err)
	}
	if err := os.Chmod(filepath.Dir(tools), 0o700); err != nil {
		t.Fatal(err)
	}
	got, err := i.reach(tools)
	if err != nil || got == tools {
		t.Fatalf("what is closed: %q, %v", got, err)
	}
	if again, err := i.reach(tools); err != nil || again != got {
		t.Errorf("once more: %q, %v, want %q", again, err, got)
	}
	for name, mode := range map[string]os.FileMode{"program": 0o755, "bin/private": 0o644, "bin/link": 0o755} {
		info, err := os.Stat(filepath.Join(got, name))
		if err != nil || info.Mode().Perm() != mode {
			t.Errorf("%s: %v, %v, want %v", name, info, err, mode)
		}
	}
	if info, err := os.Stat(filepath.Join(tools, "bin", "private")); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the original was opened: %v, %v", info, err)
	}
	i.ownRoot = true
	if got, err := i.reach(tools); err != nil || got != tools {
		t.Errorf("with a root of its own: %q, %v", got, err)
	}
}
