package worker

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"selffix/pipeline"
)

func TestMeasure(t *testing.T) {
	step := pipeline.Step{Out: []pipeline.Output{
		{Name: "patch", Path: "/out/fix.patch", MaxBytes: 10},
		{Name: "tree", Path: "/out/tree", Dir: true, MaxBytes: 10, MaxFiles: 2},
	}}
	write := func(name, content string) func(string) error {
		return func(dir string) error {
			p := filepath.Join(dir, name)
			return errors.Join(os.MkdirAll(filepath.Dir(p), 0o755), os.WriteFile(p, []byte(content), 0o644))
		}
	}
	for _, tt := range []struct {
		name string
		lay  []func(dir string) error
		good bool
	}{
		{"nothing", nil, true},
		{"what the plan says", []func(string) error{write("fix.patch", "0123456789"), write("tree/a/b", "01234"), write("tree/c", "56789"), write("outcome.json", "{}")}, true},
		{"a file beside the outputs", []func(string) error{write("other", strings.Repeat("x", 100))}, true},
		{"a file above its bytes", []func(string) error{write("fix.patch", "0123456789a")}, false},
		{"a folder above its bytes", []func(string) error{write("tree/a", "0123456789a")}, false},
		{"a folder above its files", []func(string) error{write("tree/a", ""), write("tree/b", ""), write("tree/c", "")}, false},
		{"a folder in place of a file", []func(string) error{write("fix.patch/a", "")}, false},
		{"a file in place of a folder", []func(string) error{write("tree", "")}, false},
		{"a link in place of a file", []func(string) error{func(d string) error { return os.Symlink("/etc/passwd", d+"/fix.patch") }}, false},
		{"a link in place of a folder", []func(string) error{func(d string) error { return os.Symlink("/etc", d+"/tree") }}, false},
		{"a pipe in place of a file", []func(string) error{func(d string) error { return unix.Mkfifo(d+"/fix.patch", 0o600) }}, false},
		{"a file with a second name", []func(string) error{write("fix.patch", ""), func(d string) error { return os.Link(d+"/fix.patch", d+"/second") }}, false},
		{"an outcome that is a link", []func(string) error{func(d string) error { return os.Symlink("/etc/passwd", d+"/outcome.json") }}, false},
		{"an outcome that is too long", []func(string) error{write("outcome.json", strings.Repeat(" ", pipeline.MaxOutcomeBytes+1))}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			for _, lay := range tt.lay {
				if err := lay(dir); err != nil {
					t.Fatal(err)
				}
			}
			err := work{step: step, at: paths{{Inside: "/out", Outside: dir, Write: true}}}.measure()
			if (err == nil) != tt.good || (err != nil && !errors.Is(err, ErrOutput)) {
				t.Errorf("measure() = %v, want good %v", err, tt.good)
			}
		})
	}
}

func TestOnlyALayoutWithoutMountsIsAContainer(t *testing.T) {
	if !(Layout{}).container() || !(Layout{Listen: "127.0.0.1:0"}).container() {
		t.Error("a layout without mounts is no container")
	}
	if (Layout{Mounts: []Mount{{Inside: "/in", Outside: "/x"}}}).container() || (Layout{NewRoot: "/x"}).container() {
		t.Error("a layout with mounts is a container")
	}
}
