package daggertest

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// standIn is a package that aliases each exported type and constant of the client package in the folder dir. What is generic it leaves
// out: no module names it.
func standIn(dir string) ([]byte, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return nil, err
	}
	var types, consts []string
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, fmt.Errorf("read the client: %w", err)
		}
		if f.Name.Name != "dagger" {
			continue // a program that makes the package
		}
		for _, d := range f.Decls {
			types, consts = exported(d, types, consts)
		}
	}
	if len(types) < 100 {
		return nil, fmt.Errorf("the client in %q has %d types; is it Dagger's?", dir, len(types))
	}
	var b bytes.Buffer
	b.WriteString("// Package dagger stands in for the client that an engine generates.\npackage dagger\n\nimport registry \"dagger.io/dagger\"\n\n")
	for word, names := range map[string][]string{"type": types, "const": consts} {
		slices.Sort(names)
		fmt.Fprintf(&b, "%s (\n", word)
		for _, n := range slices.Compact(names) {
			fmt.Fprintf(&b, "\t%s = registry.%s\n", n, n)
		}
		b.WriteString(")\n\n")
	}
	return format.Source(b.Bytes())
}

func exported(d ast.Decl, types, consts []string) (t, c []string) {
	g, ok := d.(*ast.GenDecl)
	if !ok {
		return types, consts
	}
	for _, s := range g.Specs {
		switch s := s.(type) {
		case *ast.TypeSpec:
			if s.Name.IsExported() && s.TypeParams == nil {
				types = append(types, s.Name.Name)
			}
		case *ast.ValueSpec:
			for _, n := range s.Names {
				if g.Tok == token.CONST && n.IsExported() {
					consts = append(consts, n.Name)
				}
			}
		}
	}
	return types, consts
}

// root is what stands in for the part of the generated code that lies in package main.
const root = `package main

import "selffix/dagger/internal/dagger"

var dag *dagger.Client

func main() {}
`

// Lay makes a scratch copy of the module of the repository at repository in the folder dir, with a stand-in for its client, which lies
// in the folder client. The tests in the folder tests come along.
func Lay(dir, repository, client, tests string) (module string, err error) {
	if err := CopyContext(dir, repository); err != nil {
		return "", err
	}
	m, err := ReadModule(repository)
	if err != nil {
		return "", err
	}
	module = filepath.Join(dir, m.Source)
	code, err := standIn(client)
	if err != nil {
		return "", err
	}
	at := filepath.Join(module, "internal", "dagger")
	if err := os.MkdirAll(at, 0o755); err != nil {
		return "", err
	}
	if err := os.WriteFile(filepath.Join(at, "dagger.gen.go"), code, 0o644); err != nil {
		return "", err
	}
	if err := os.WriteFile(filepath.Join(module, "dagger.gen.go"), []byte(root), 0o644); err != nil {
		return "", err
	}
	files, err := filepath.Glob(filepath.Join(tests, "*_test.go"))
	if err != nil || len(files) == 0 {
		return "", fmt.Errorf("no tests in %q: %v", tests, err)
	}
	for _, f := range files {
		if err := copyFile(filepath.Join(module, filepath.Base(f)), f); err != nil {
			return "", err
		}
	}
	return module, nil
}
