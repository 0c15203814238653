package local

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"selffix/pipeline"
)

// Packages lie inside the tree that uses them: one copy inside another, which the step may change and nobody else sees.
func TestCopyInsideACopy(t *testing.T) {
	tree, modules := t.TempDir(), t.TempDir()
	program := filepath.Join(modules, "a", "program")
	err := errors.Join(os.WriteFile(filepath.Join(tree, "a"), []byte("a"), 0o644), os.Mkdir(filepath.Dir(program), 0o755),
		os.WriteFile(program, []byte("program"), 0o755), os.Mkdir(filepath.Join(modules, ".bin"), 0o755),
		os.Symlink("../a/program", filepath.Join(modules, ".bin", "program")))
	if err != nil {
		t.Fatal(err)
	}
	s := step("nested")
	s.In = []pipeline.Input{
		{Ref: "in.tree", Path: pipeline.CheckoutDir, Access: pipeline.Copy},
		{Ref: "in.modules", Path: pipeline.CheckoutDir + "/node_modules", Access: pipeline.Copy},
	}
	out, o, err := interpreter(t, nil).Run(t.Context(), s, map[pipeline.Ref]string{"in.tree": tree, "in.modules": modules}, nil)
	if err != nil || o.Decision != pipeline.Continue {
		t.Fatalf("%+v, %v", o, err)
	}
	if mode, err := os.ReadFile(out["nested.file"]); err != nil || string(mode) != "-rwxr-xr-x" {
		t.Errorf("the program's mode is %s, %v", mode, err)
	}
	if text, err := os.ReadFile(program); err != nil || string(text) != "program" {
		t.Errorf("the packages were changed: %q, %v", text, err)
	}
	if _, err := os.Stat(filepath.Join(tree, "node_modules")); err == nil {
		t.Error("packages were put into the tree that was handed on")
	}
}
