package testuser

import (
	"os"
	"path/filepath"
	"testing"
)

// The run is that of a user without root's rights, with the folder that was named and a home to write to.
func TestAgain(t *testing.T) {
	from := t.TempDir()
	if err := os.WriteFile(filepath.Join(from, "tool"), []byte("#!/bin/sh\n"), 0o500); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("tool", filepath.Join(from, "link")); err != nil {
		t.Fatal(err)
	}
	Again{Tests: "^TestInTheRun$", Copy: map[string]string{from: ".cache/part"}, Getenv: os.Getenv}.Run(t)
}

func TestInTheRun(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("only in the run that TestAgain starts")
	}
	home := os.Getenv("HOME")
	info, err := os.Stat(filepath.Join(home, ".cache", "part", "link"))
	if err != nil || info.Mode().Perm() != 0o500 {
		t.Errorf("the copied file: %v, %v", info, err)
	}
	if err := os.WriteFile(filepath.Join(home, "mine"), nil, 0o600); err != nil {
		t.Error(err)
	}
	if err := os.WriteFile("/etc/self-fix-test", nil, 0o600); err == nil {
		os.Remove("/etc/self-fix-test")
		t.Error("wrote to /etc")
	}
}
