package daggertest

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// kebab is how the command line calls a name of Go's.
func kebab(name string) string {
	return strings.ToLower(regexp.MustCompile(`([a-z])([A-Z])`).ReplaceAllString(name, "$1-$2"))
}

// Every function has its line in the README, with every argument that it demands and none that it does not have.
func TestReadmeCallsEachFunction(t *testing.T) {
	data, err := os.ReadFile(filepath.Join(repository, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	lines := map[string][]string{}
	for _, line := range strings.Split(string(data), "\n") {
		line, _, _ = strings.Cut(line, " #")
		words := strings.Fields(line)
		if len(words) < 3 || words[0] != "dagger" || words[1] != "call" {
			continue
		}
		words = words[2:]
		if words[0] == "-m" {
			words = words[2:]
		}
		lines[words[0]] = words[1:]
	}
	for _, f := range functions(t) {
		if f.receiver != "SelfFix" || f.decl.Name.Name == "WithSandbox" {
			continue
		}
		name := kebab(f.decl.Name.Name)
		words, ok := lines[name]
		if !ok {
			t.Errorf("the README does not call %s", name)
			continue
		}
		known := []string{"--output"}
		for _, p := range f.decl.Type.Params.List {
			for _, n := range p.Names {
				flag := "--" + kebab(n.Name)
				known = append(known, flag)
				if typeName(p.Type) != "context.Context" && !strings.Contains(f.source.doc(p), "+optional") && !slices.Contains(words, flag) {
					t.Errorf("the README's line of %s lacks %s", name, flag)
				}
			}
		}
		for _, w := range words {
			if strings.HasPrefix(w, "--") && !slices.Contains(known, w) {
				t.Errorf("the README calls %s with %s, which it does not have", name, w)
			}
		}
	}
}
