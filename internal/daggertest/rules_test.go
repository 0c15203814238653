package daggertest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// function is an exported method of the module's package: what an engine offers to callers.
type function struct {
	file     string
	receiver string
	decl     *ast.FuncDecl
	source   source
}

// source is one parsed file.
type source struct {
	*ast.File
	set *token.FileSet
}

// doc is the comment on the lines before an argument, which the parser leaves to whoever looks for it.
func (s source) doc(p *ast.Field) string {
	line := s.set.Position(p.Pos()).Line
	for _, c := range s.Comments {
		if s.set.Position(c.End()).Line == line-1 {
			return c.Text()
		}
	}
	return ""
}

func (f function) name() string { return f.receiver + "." + f.decl.Name.Name }

// moduleFiles parses the module's own files.
func moduleFiles(t *testing.T) map[string]source {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(repository, ".dagger", "*.go"))
	if err != nil || len(names) < 10 {
		t.Fatalf("%d files, %v", len(names), err)
	}
	files := map[string]source{}
	for _, name := range names {
		if filepath.Base(name) == "dagger.gen.go" {
			continue
		}
		set := token.NewFileSet()
		f, err := parser.ParseFile(set, name, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		files[filepath.Base(name)] = source{f, set}
	}
	return files
}

// offered are the objects that callers see.
func offered() []string { return []string{"SelfFix", "Repair", "Verdict"} }

func functions(t *testing.T) []function {
	t.Helper()
	var all []function
	for name, f := range moduleFiles(t) {
		for _, d := range f.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || fn.Recv == nil || !fn.Name.IsExported() {
				continue
			}
			if r := typeName(fn.Recv.List[0].Type); slices.Contains(offered(), r) {
				all = append(all, function{name, r, fn, f})
			}
		}
	}
	return all
}

func typeName(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return typeName(e.X)
	case *ast.SelectorExpr:
		return typeName(e.X) + "." + e.Sel.Name
	case *ast.Ident:
		return e.Name
	}
	return ""
}

// The functions that must be there, by the names that callers and workflows use.
func TestFunctionsAreTheContract(t *testing.T) {
	want := []string{
		"Repair.Check", "SelfFix.Agent", "SelfFix.Check", "SelfFix.Checkout", "SelfFix.Demo", "SelfFix.Doctor", "SelfFix.Evidence", "SelfFix.Fix", "SelfFix.Gate",
		"SelfFix.Push", "SelfFix.PushDryRun", "SelfFix.Recheck", "SelfFix.ReviewGate", "SelfFix.SecretsMap", "SelfFix.SelfTest", "SelfFix.WithSandbox",
		"Verdict.Json", "Verdict.Require",
	}
	var got []string
	for _, f := range functions(t) {
		got = append(got, f.name())
	}
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("functions %v, want %v", got, want)
	}
}

// An engine answers a function from its cache for a week unless its doc says otherwise. A verdict, a candidate or an effect of last week is
// none.
func TestNoFunctionIsCached(t *testing.T) {
	for _, f := range functions(t) {
		if !regexp.MustCompile(`(?m)^\+cache="never"$`).MatchString(f.decl.Doc.Text()) {
			t.Errorf("%s: %s has no +cache=\"never\"", f.file, f.name())
		}
	}
}

var shortForm = regexp.MustCompile(`\A[^\n]{10,110}\.\n`)

var named = regexp.MustCompile(`^[A-Za-z]+$`)

// What "dagger call --help" shows is the doc of each function and of each argument. Digits in names are mangled by the command line.
func TestFunctionsAndArgumentsAreDocumented(t *testing.T) {
	for _, f := range functions(t) {
		if doc := f.decl.Doc.Text(); !strings.HasPrefix(doc, f.decl.Name.Name+" ") || !shortForm.MatchString(doc) {
			t.Errorf("%s: %s: want a doc whose first line is a sentence that begins with its name: lists show that line alone", f.file, f.name())
		}
		if !named.MatchString(f.decl.Name.Name) {
			t.Errorf("%s: want a name of letters alone", f.name())
		}
		for _, p := range f.decl.Type.Params.List {
			for _, n := range p.Names {
				if typeName(p.Type) != "context.Context" && f.source.doc(p) == "" {
					t.Errorf("%s: the argument %s has no doc", f.name(), n.Name)
				}
				if !named.MatchString(n.Name) {
					t.Errorf("%s: the argument %s: want letters alone", f.name(), n.Name)
				}
			}
		}
	}
}

// A container that held a secret shows it to whoever runs the next program in it; and a container as an argument would be a program
// that somebody else chose. So no container crosses the module's border, in either direction, and no secret leaves.
func TestNoContainerCrosses(t *testing.T) {
	for _, f := range functions(t) {
		if f.decl.Type.Results != nil {
			for _, r := range f.decl.Type.Results.List {
				if name := typeName(r.Type); slices.Contains([]string{"dagger.Container", "dagger.Secret", "dagger.Service"}, name) {
					t.Errorf("%s returns a %s", f.name(), name)
				}
			}
		}
		for _, p := range f.decl.Type.Params.List {
			switch typeName(p.Type) {
			case "dagger.Container", "dagger.Socket", "dagger.CacheVolume":
				t.Errorf("%s takes a %s", f.name(), typeName(p.Type))
			case "dagger.Service":
				if f.name() != "SelfFix.WithSandbox" {
					t.Errorf("%s takes a service", f.name())
				}
			}
		}
	}
}

// No argument has a default, which a caller could take for a decision, but for the two that are given only where a policy asks for them,
// and the stand-ins.
func TestOptionalArguments(t *testing.T) {
	want := []string{"Repair.Check packages", "SelfFix.Fix packages", "SelfFix.ReviewGate appKey", "SelfFix.WithSandbox bot", "SelfFix.WithSandbox github", "SelfFix.WithSandbox model"}
	var got []string
	for _, f := range functions(t) {
		for _, p := range f.decl.Type.Params.List {
			doc := f.source.doc(p)
			if strings.Contains(doc, "+default") {
				t.Errorf("%s: %s has a default", f.name(), p.Names[0].Name)
			}
			if strings.Contains(doc, "+optional") {
				got = append(got, f.name()+" "+p.Names[0].Name)
			}
		}
	}
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("optional: %v, want %v", got, want)
	}
}

// State between calls is private: what an exposed step left is reached through a check alone, and whether a verdict allows is its own to say.
func TestStateIsPrivate(t *testing.T) {
	public := []string{"Verdict.Decision", "Verdict.Reason", "Verdict.Rule"}
	var got []string
	for _, f := range moduleFiles(t) {
		ast.Inspect(f.File, func(n ast.Node) bool {
			s, ok := n.(*ast.TypeSpec)
			if !ok || !slices.Contains(offered(), s.Name.Name) {
				return true
			}
			for _, field := range s.Type.(*ast.StructType).Fields.List {
				private := strings.Contains(field.Doc.Text(), "+private")
				for _, name := range field.Names {
					if !private {
						got = append(got, s.Name.Name+"."+name.Name)
					}
				}
			}
			return true
		})
	}
	slices.Sort(got)
	if !slices.Equal(got, public) {
		t.Errorf("public fields %v, want %v", got, public)
	}
}

// Each of these hands a program, a secret or a cache to somebody, or runs git of a hostile repository in the engine itself.
func TestWhatTheModuleNeverUses(t *testing.T) {
	never := []string{
		"InsecureRootCapabilities", "ExperimentalPrivilegedNesting", "CacheVolume", "WithMountedCache", "DockerBuild", "Git", "Plaintext", "Terminal",
		"WithRegistryAuth", "Publish", "WithUnixSocket", "Host", "Http", "HTTP", "WithPatch", "WithPatchFile", "AsPatch", "Changes", "Llm", "LLM", "Export",
	}
	for name, f := range moduleFiles(t) {
		ast.Inspect(f.File, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.SelectorExpr:
				if slices.Contains(never, n.Sel.Name) {
					t.Errorf("%s uses %s", name, n.Sel.Name)
				}
			case *ast.KeyValueExpr:
				if k, ok := n.Key.(*ast.Ident); ok && slices.Contains(never, k.Name) {
					t.Errorf("%s uses %s", name, k.Name)
				}
			}
			return true
		})
	}
}

// Programs run in four places: the step, the worker's build, a command, and the demo's stand-ins. A fifth would be one that no rule of these tests looks at.
func TestWhereProgramsRun(t *testing.T) {
	got := map[string]int{}
	for name, f := range moduleFiles(t) {
		ast.Inspect(f.File, func(n ast.Node) bool {
			if s, ok := n.(*ast.SelectorExpr); ok && (s.Sel.Name == "WithExec" || s.Sel.Name == "AsService") {
				got[name+" "+s.Sel.Name]++
			}
			return true
		})
	}
	want := map[string]int{"interpreter.go WithExec": 1, "service.go AsService": 1, "worker.go WithExec": 2, "command.go WithExec": 1, "demo.go WithExec": 2, "demo.go AsService": 1}
	for k, n := range got {
		if want[k] != n {
			t.Errorf("%s: %d times, want %d", k, n, want[k])
		}
	}
	if len(got) != len(want) {
		t.Errorf("programs run in %v, want %v", got, want)
	}
}

// The check that "dagger check" runs takes nothing: one that wants an argument is left out without a word.
func TestChecks(t *testing.T) {
	var got []string
	for _, f := range functions(t) {
		if regexp.MustCompile(`(?m)^\+check$`).MatchString(f.decl.Doc.Text()) {
			got = append(got, f.name())
			for _, p := range f.decl.Type.Params.List {
				if typeName(p.Type) != "context.Context" {
					t.Errorf("%s takes %s", f.name(), p.Names[0].Name)
				}
			}
		}
	}
	if !slices.Equal(got, []string{"SelfFix.SelfTest"}) {
		t.Errorf("checks %v", got)
	}
}
