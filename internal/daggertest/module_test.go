package daggertest

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// repository is the root of this repository.
const repository = "../.."

// clientModule is the registry's client of the release that the module was made for.
const clientModule = "dagger.io/dagger@"

// client brings the registry's client and returns its folder.
func client(t *testing.T, version string) string {
	t.Helper()
	c := exec.Command("go", "mod", "download", "-json", clientModule+version)
	c.Dir = t.TempDir()
	out, err := c.Output()
	if err != nil {
		t.Fatalf("bring %s%s: %v\n%s", clientModule, version, err, out)
	}
	var got struct{ Dir string }
	if err := json.Unmarshal(out, &got); err != nil || got.Dir == "" {
		t.Fatalf("bring %s%s: %v\n%s", clientModule, version, err, out)
	}
	return got.Dir
}

func command(t *testing.T, dir, name string, args ...string) string {
	t.Helper()
	c := exec.Command(name, args...)
	c.Dir = dir
	c.Env = append(os.Environ(), "GOWORK=off")
	out, err := c.CombinedOutput()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
	return string(out)
}

// sources lists the files of this repository that the worker is built from.
func sources(t *testing.T, dir string) string {
	t.Helper()
	const form = `{{if .Module}}{{if eq .Module.Path "selffix"}}{{.ImportPath}} {{.GoFiles}} {{.EmbedFiles}}{{"\n"}}{{end}}{{end}}`
	return command(t, dir, "go", "list", "-deps", "-f", form, "./cmd/self-fix")
}

// The scratch copy holds exactly what an engine is handed. So that it has every file that the worker is built from proves that dagger.json
// names all of them, and that the module's tests pass proves each function's queries equal to the plan.
func TestModule(t *testing.T) {
	m, err := ReadModule(repository)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	module, err := Lay(dir, repository, client(t, m.EngineVersion), filepath.Join("testdata", "module"))
	if err != nil {
		t.Fatal(err)
	}
	if want, got := sources(t, repository), sources(t, dir); got != want || !strings.Contains(got, "selffix/pipeline/worker ") {
		t.Errorf("an engine is handed\n%s, the worker is built from\n%s", got, want)
	}
	// An engine makes go.mod fit for its own client; here it is made fit for the stand-in.
	command(t, module, "go", "mod", "edit", "-require="+clientModule+m.EngineVersion)
	command(t, module, "go", "mod", "tidy")
	command(t, module, "go", "vet", ".", "./internal/dagger")
	t.Log(command(t, module, "go", "test", "."))
}
