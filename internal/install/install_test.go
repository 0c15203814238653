package install

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"selffix/internal/ghfake"
	"selffix/pipeline/policy"
)

func options() Options {
	return Options{Maintainer: Account{"octo", 7}, Bot: Bot{Account: Account{"bot[bot]", 8}, Context: "Bot"}, Branch: "main",
		PreviewEnvironment: "Preview", PreviewSuffix: ".vercel.app", ReviewAppID: 9}
}

func TestExplore(t *testing.T) {
	tree := func(names ...string) fstest.MapFS {
		m := fstest.MapFS{}
		for _, n := range names {
			m[n] = &fstest.MapFile{}
		}
		return m
	}
	tests := []struct {
		name string
		fs   fstest.MapFS
		want Tree
	}{
		{"packages", tree("packages/web/src/lib/env.ts", "packages/web/src/lib/groups.ts", "packages/web/src/app/page.tsx", "packages/web/src/app/a.css", "packages/web/src/db/schema.ts",
			"packages/core/src/format.ts", "packages/core/src/env.test.ts", "packages/docs/README.md", "packages/web/src/node_modules/x/auth.ts", "src/auth.ts"),
			Tree{Roots: []string{"packages/core/src", "packages/web/src"}, Extensions: []string{".css", ".ts", ".tsx"}, Apps: []string{"packages/web/src/app"},
				Modules: []string{"packages/web/src/lib/env.ts"}, Folders: []string{"packages/web/src/db"}, Perhaps: []string{"packages/web/src/db/schema.ts", "packages/web/src/lib/groups.ts"}}},
		{"src", tree("src/index.ts", "src/pages/index.tsx"),
			Tree{Roots: []string{"src"}, Extensions: []string{".ts", ".tsx"}, Apps: []string{"src/pages"}, Modules: []string{"src/lib/env.ts"}, Folders: []string{"src/db"}, Assumed: true}},
		{"app alone", tree("app/page.tsx", "package.json"),
			Tree{Roots: []string{"app"}, Extensions: []string{".tsx"}, Apps: []string{"app"}, Modules: []string{"app/lib/env.ts"}, Folders: []string{"app/db"}, Assumed: true}},
		{"a name that no policy may hold", tree("src/index.ts", "src/auth\n/auth.ts", "src/$x/env.ts"),
			Tree{Roots: []string{"src"}, Extensions: []string{".ts"}, Apps: []string{"src/app", "src/pages"}, Modules: []string{"src/lib/env.ts"}, Folders: []string{"src/db"}, Assumed: true}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := Explore(tt.fs)
			if err != nil || fmt.Sprint(got) != fmt.Sprint(tt.want) {
				t.Errorf("got %+v, error %v\nwant %+v", got, err, tt.want)
			}
		})
	}
	if _, err := Explore(tree("README.md")); !errors.Is(err, ErrTree) {
		t.Errorf("no sources: %v", err)
	}
}

// What init writes is a valid policy that does nothing yet, with what was said and found.
func TestWrittenPolicy(t *testing.T) {
	repo := fstest.MapFS{"src/lib/env.ts": {}, "src/lib/validate.ts": {}}
	plan, err := Prepare(repo, options())
	if err != nil {
		t.Fatal(err)
	}
	text := string(plan.files[PolicyPath])
	p, err := policy.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	if p.Enabled || p.Sandbox || p.Maintainer.ID != 7 || p.Bot.ID != 8 || p.Review.AppID != 9 || p.Review.AcceptBranchWriters || !slices.Equal(p.Paths.Roots, []string{"src"}) {
		t.Errorf("policy %+v", p)
	}
	if !strings.Contains(text, `# perhaps: - "src/lib/validate.ts"`) {
		t.Errorf("no candidate in a comment:\n%s", text)
	}
	o := options()
	o.ReviewAppID, o.Branch = 0, "trunk"
	if plan, err = Prepare(repo, o); err != nil || !plan.Policy.Review.AcceptBranchWriters || !slices.Equal(plan.Policy.Branches.Never, []string{"trunk", "main"}) {
		t.Errorf("error %v, policy %+v", err, plan.Policy)
	}
}

func TestPrepareRefuses(t *testing.T) {
	tests := map[string]func(*Options){
		"no maintainer id":           func(o *Options) { o.Maintainer.ID = 0 },
		"a login with a line end":    func(o *Options) { o.Maintainer.Login = "octo\nid: 1" },
		"the bot as maintainer":      func(o *Options) { o.Maintainer.ID = o.Bot.ID },
		"an expression as context":   func(o *Options) { o.Bot.Context = "${{ github.token }}" },
		"a branch with a space":      func(o *Options) { o.Branch = "a b" },
		"production as previews":     func(o *Options) { o.PreviewEnvironment = "production" },
		"a short hash":               func(o *Options) { o.Pins.CLI = "abc" },
		"a module by branch":         func(o *Options) { o.Pins.Module = "github.com/octo/self-fix@main" },
		"a version that is a branch": func(o *Options) { o.Pins.Version = "latest" },
		"an engine with its scheme":  func(o *Options) { o.Pins.Engine = "sha256:" + strings.Repeat("a", 64) },
	}
	for name, edit := range tests {
		o := options()
		edit(&o)
		if _, err := Prepare(fstest.MapFS{"src/a.ts": {}}, o); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	broken := fstest.MapFS{"src/a.ts": {}, PolicyPath: {Data: []byte("version: 2\n")}}
	if _, err := Prepare(broken, options()); !errors.Is(err, ErrOptions) {
		t.Errorf("a policy that is there and broken: %v", err)
	}
}

func TestWriteNeverOverwritesWithoutSaying(t *testing.T) {
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "src"), 0o755); err != nil {
		t.Fatal(err)
	}
	prepare := func() Plan {
		t.Helper()
		plan, err := Prepare(os.DirFS(dir), options())
		if err != nil {
			t.Fatal(err)
		}
		return plan
	}
	changes, err := prepare().Write(dir, Keep)
	if err != nil || len(changes) != 10 {
		t.Fatalf("error %v, changes %v", err, changes)
	}
	for _, c := range changes {
		if c.Done != "written" {
			t.Errorf("%+v", c)
		}
	}
	if changes, err = prepare().Write(dir, Keep); err != nil || slices.ContainsFunc(changes, func(c Change) bool { return c.Done != "same" }) {
		t.Errorf("a second time: error %v, changes %v", err, changes)
	}
	loop, pins := filepath.Join(dir, WorkflowsDir, "self-fix.yml"), filepath.Join(dir, PinsPath)
	mine := strings.Replace(read(t, pins), "dagger_cli_sha256="+daggerCLI, "dagger_cli_sha256="+strings.Repeat("a", 64), 1)
	write(t, pins, mine)
	write(t, loop, "mine")
	if err := os.Remove(filepath.Join(dir, WorkflowsDir, "review-gate.yml")); err != nil {
		t.Fatal(err)
	}
	if _, err := prepare().Write(dir, Keep); !errors.Is(err, ErrExists) || !strings.Contains(err.Error(), "self-fix.yml") {
		t.Errorf("error %v", err)
	}
	if _, err := os.Stat(filepath.Join(dir, WorkflowsDir, "review-gate.yml")); err == nil || read(t, loop) != "mine" {
		t.Error("something was written before the refusal")
	}
	plan := prepare()
	if changes, err = plan.Write(dir, Replace); err != nil || !slices.Contains(changes, Change{WorkflowsDir + "/self-fix.yml", "replaced"}) || !slices.Contains(changes, Change{PinsPath, "kept"}) {
		t.Errorf("error %v, changes %v", err, changes)
	}
	if read(t, loop) == "mine" || read(t, pins) != mine {
		t.Error("the workflow was not replaced, or the pins were")
	}
	if m := plan.Pins.Missing(); len(m) != 1 || !strings.HasPrefix(m[0], "module:") {
		t.Errorf("missing %q", m)
	}
}

// The known hashes are of one release: with another version, or where a person named one, they are not put beside it.
func TestKnownHashesAreOfOneRelease(t *testing.T) {
	other := strings.Repeat("a", 64)
	for name, c := range map[string]struct{ given, want Pins }{
		"nothing said":     {Pins{}, Pins{"", daggerCLI, daggerEngine, ""}},
		"this release":     {Pins{Version: DaggerVersion}, Pins{DaggerVersion, daggerCLI, daggerEngine, ""}},
		"another release":  {Pins{Version: "v0.21.9"}, Pins{Version: "v0.21.9"}},
		"one named":        {Pins{CLI: other}, Pins{"", other, daggerEngine, ""}},
		"named of another": {Pins{Version: "v0.21.9", Engine: other}, Pins{Version: "v0.21.9", Engine: other}},
	} {
		if got := c.given.withBuiltIn(); got != c.want {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
	}
}

func TestWriteFollowsNoLink(t *testing.T) {
	for _, link := range []string{".github", ".github/workflows", PinsPath} {
		dir, elsewhere := t.TempDir(), t.TempDir()
		write(t, filepath.Join(dir, "src", "a.ts"), "")
		plan, err := Prepare(os.DirFS(dir), options())
		if err != nil {
			t.Fatal(err)
		}
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, link)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(elsewhere, filepath.Join(dir, link)); err != nil {
			t.Fatal(err)
		}
		if _, err := plan.Write(dir, Replace); !errors.Is(err, ErrOptions) {
			t.Errorf("%s: error %v", link, err)
		}
		if left, err := os.ReadDir(elsewhere); err != nil || len(left) > 0 {
			t.Errorf("%s: wrote %v elsewhere, error %v", link, left, err)
		}
	}
}

func read(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestReadPins(t *testing.T) {
	full := "dagger_version=v0.21.8\n# x\n\ndagger_cli_sha256=" + strings.Repeat("a", 64) + "\ndagger_engine_sha256=" + strings.Repeat("b", 64) + "\nmodule=github.com/o/r@" + strings.Repeat("c", 40) + "\n"
	if p, err := ReadPins([]byte(full)); err != nil || len(p.Missing()) > 0 {
		t.Errorf("error %v, missing %q", err, p.Missing())
	}
	for _, odd := range []string{"", full + full, full + "x=y\n", full + "echo odd\n", strings.Replace(full, "v0.21.8", "", 1), strings.Replace(full, "aaa", "$(id)", 1)} {
		if _, err := ReadPins([]byte(odd)); !errors.Is(err, ErrOptions) {
			t.Errorf("%q: error %v", odd, err)
		}
	}
}

func TestLookup(t *testing.T) {
	sc, err := ghfake.NewScene(t.Context(), ghfake.Options{Dir: t.TempDir()}, ghfake.SceneOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer sc.Server.Close()
	a, err := Lookup(t.Context(), http.DefaultClient, sc.Server.URL, "Maintainer", ghfake.ReadToken)
	if err != nil || a != (Account{"maintainer", 1001}) {
		t.Errorf("got %+v, error %v", a, err)
	}
	for _, login := range []string{"nobody", "testsprite[bot]", "", "../repos/maintainer/app"} {
		if a, err := Lookup(t.Context(), http.DefaultClient, sc.Server.URL, login, ghfake.ReadToken); !errors.Is(err, ErrLookup) {
			t.Errorf("%q: got %+v, error %v", login, a, err)
		}
	}
}

func TestLookupRefusesOddAnswers(t *testing.T) {
	for name, answer := range map[string]string{
		"another account": `{"login":"other","id":5,"type":"User"}`, "no id": `{"login":"octo","type":"User"}`, "an id twice": `{"login":"octo","id":5,"id":6,"type":"User"}`,
		"a list": `[]`, "nothing": ``, "an organisation": `{"login":"octo","id":5,"type":"Organization"}`, "a negative id": `{"login":"octo","id":-5,"type":"User"}`,
	} {
		srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get("Authorization") != "" {
				t.Error("a token where there is none")
			}
			_, _ = w.Write([]byte(answer)) // the client's end is what is tried
		}))
		if a, err := Lookup(t.Context(), http.DefaultClient, srv.URL, "octo", ""); !errors.Is(err, ErrLookup) {
			t.Errorf("%s: got %+v, error %v", name, a, err)
		}
		srv.Close()
	}
	moved := httptest.NewServer(http.RedirectHandler("/elsewhere", http.StatusMovedPermanently))
	defer moved.Close()
	if _, err := Lookup(t.Context(), http.DefaultClient, moved.URL, "octo", "sandbox-x"); !errors.Is(err, ErrLookup) {
		t.Errorf("a redirect: %v", err)
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Lookup(gone, http.DefaultClient, moved.URL, "octo", ""); !errors.Is(err, ErrLookup) {
		t.Errorf("cancelled: %v", err)
	}
}
