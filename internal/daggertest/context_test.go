package daggertest

import "testing"

func TestIncludes(t *testing.T) {
	m := Module{Source: ".dagger", Include: []string{"go.mod", "cmd", "testdata/app", "!cmd/**/testdata", "!**/*_test.go"}}
	for file, want := range map[string]bool{
		"go.mod": true, "go.sum": false, "dagger.json": true, ".dagger/main.go": true, ".daggerx/main.go": false, "cmd/a/b.go": true, "cmd/a/b_test.go": false,
		"cmd/testdata/x": false, "cmd/a/testdata/b/x": false, "testdata/app/x.ts": true, "testdata/other": false, "sub/go.mod": false, "b_test.go": false,
		".dagger/a_test.go": false,
	} {
		if got := m.Includes(file); got != want {
			t.Errorf("Includes(%q) = %v, want %v", file, got, want)
		}
	}
}

// What an engine is handed must be on disk in a clone: nothing that git ignores.
func TestModuleFile(t *testing.T) {
	m, err := ReadModule(repository)
	if err != nil {
		t.Fatal(err)
	}
	if m.Name != "self-fix" || m.Source != ".dagger" || m.EngineVersion != "v0.21.8" {
		t.Errorf("dagger.json says %+v", m)
	}
	for _, file := range []string{".env", "build/self-fix", ".github/workflows/x.yml", ".git/config", "README.md"} {
		if m.Includes(file) {
			t.Errorf("an engine is handed %s", file)
		}
	}
}
