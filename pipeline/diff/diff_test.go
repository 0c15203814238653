package diff

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"selffix/internal/scratch"
	"selffix/internal/testrepo"
	"selffix/pipeline/tree"
)

var baseLinks = map[string]string{"packages/core/src/alias.ts": "split.ts", "packages/web/src/shared": "../../core/src"}

// sides are the base's files twice: as an agent was given them and as it leaves them.
func sides(t *testing.T) (repo string, o Options) {
	t.Helper()
	repo = testrepo.Base(t)
	o = Options{
		Before: filepath.Join(t.TempDir(), "before"), After: filepath.Join(t.TempDir(), "after"), Copy: t.TempDir(), Scratch: t.TempDir(),
		Links: baseLinks, Limits: tree.DefaultLimits(), Bytes: 1 << 20, Changes: 100,
	}
	for _, d := range []string{o.Before, o.After} {
		if err := os.Mkdir(d, 0o755); err != nil {
			t.Fatal(err)
		}
		testrepo.Git(t, repo, "--work-tree="+d, "checkout", "-q", "-f", testrepo.BaseCommit, "--", ".")
	}
	return repo, o
}

func edit(t *testing.T, dir, name, old, new string) {
	t.Helper()
	p := filepath.Join(dir, name)
	text, err := os.ReadFile(p)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(text), old) {
		t.Fatalf("%s does not hold %q", name, old)
	}
	put(t, dir, name, strings.Replace(string(text), old, new, 1))
}

func put(t *testing.T, dir, name, text string) {
	t.Helper()
	p := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(p, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// The patch, applied by git to the base, makes exactly the tree of the safe copy.
func TestPatchAppliesToTheSameTree(t *testing.T) {
	repo, o := sides(t)
	edit(t, o.After, "packages/core/src/money.ts", "Math.round(value)", "Math.round(value + 0.5)")
	edit(t, o.After, "packages/core/src/windows.ts", "one: 1", "one: 11")
	edit(t, o.After, "packages/web/src/components/share panel.tsx", "Copy this link", "Copy it")
	edit(t, o.After, "packages/core/src/no-eol.ts", "last = 3;", "last = 4;\n")
	put(t, o.After, "packages/core/src/new.ts", "export const n = 1;\n")
	r, err := Make(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Count(string(r.Patch), "diff --git a/"); got != 5 || len(r.Changed) != 5 {
		t.Errorf("%d files in the patch, %d changed, want 5:\n%s", got, len(r.Changed), r.Patch)
	}
	file := filepath.Join(t.TempDir(), "fix.patch")
	if err := os.WriteFile(file, r.Patch, 0o644); err != nil {
		t.Fatal(err)
	}
	testrepo.Git(t, repo, "read-tree", testrepo.BaseCommit)
	testrepo.Git(t, repo, "apply", "--cached", "--whitespace=nowarn", file)
	if tree := strings.TrimSpace(testrepo.Git(t, repo, "write-tree")); tree != r.After.Tree {
		t.Errorf("the patch makes %s, the copy is %s", tree, r.After.Tree)
	}
	// The copy holds files; its links are those of the tree that was copied.
	for at, target := range o.Links {
		if err := os.Symlink(target, filepath.Join(o.Copy, at)); err != nil {
			t.Fatal(err)
		}
	}
	list, err := tree.List(o.Copy, o.Links, o.Limits)
	if err != nil {
		t.Fatal(err)
	}
	if list.Inventory() != r.After.Inventory || r.Before.Inventory == r.After.Inventory {
		t.Errorf("inventory %+v, the copy has %+v", r.After.Inventory, list.Inventory())
	}
}

// What an agent leaves beside its edits is in the patch for the checker to refuse, never lost.
func TestPatchShowsEveryKindOfChange(t *testing.T) {
	tests := map[string]struct {
		make func(t *testing.T, dir string)
		want string
	}{
		"deletion":     {func(t *testing.T, d string) { rm(t, d, "packages/core/src/tool.ts") }, "deleted file mode 100755"},
		"mode":         {func(t *testing.T, d string) { chmod(t, d, "packages/core/src/money.ts") }, "new mode 100755"},
		"binary":       {func(t *testing.T, d string) { put(t, d, "packages/core/src/b.ts", "a\x00b") }, "Binary files"},
		"git folder":   {func(t *testing.T, d string) { put(t, d, ".git/config", "[core]\n") }, "b/.git/config"},
		"workflow":     {func(t *testing.T, d string) { put(t, d, ".github/workflows/x.yml", "on: push\n") }, "b/.github/workflows/x.yml"},
		"ignored file": {func(t *testing.T, d string) { put(t, d, "node_modules/x.ts", "1\n") }, "b/node_modules/x.ts"},
		"attributes": {func(t *testing.T, d string) {
			put(t, d, ".gitattributes", "*.ts -diff\n")
			edit(t, d, "packages/core/src/money.ts", "100", "10")
		}, "-  return value % 100 === 0;"},
		"link that went": {func(t *testing.T, d string) { rm(t, d, "packages/core/src/alias.ts") }, "deleted file mode 120000"},
		"link replaced": {func(t *testing.T, d string) {
			rm(t, d, "packages/core/src/alias.ts")
			put(t, d, "packages/core/src/alias.ts", "x\n")
		}, "deleted file mode 120000"},
		"quoted name": {func(t *testing.T, d string) { put(t, d, "packages/core/src/\t.ts", "x\n") }, `"b/packages/core/src/\t.ts"`},
	}
	_, given := sides(t)
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			o := given
			o.After, o.Copy = t.TempDir(), t.TempDir()
			if _, err := tree.Copy(o.After, o.Before, o.Links, o.Limits); err != nil {
				t.Fatal(err)
			}
			tt.make(t, o.After)
			r, err := Make(t.Context(), o)
			if err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(string(r.Patch), tt.want) {
				t.Errorf("no %q in\n%s", tt.want, r.Patch)
			}
		})
	}
}

func rm(t *testing.T, dir, name string) {
	t.Helper()
	if err := os.Remove(filepath.Join(dir, name)); err != nil {
		t.Fatal(err)
	}
}

func chmod(t *testing.T, dir, name string) {
	t.Helper()
	if err := os.Chmod(filepath.Join(dir, name), 0o755); err != nil {
		t.Fatal(err)
	}
}

func TestMakeRefuses(t *testing.T) {
	_, o := sides(t)
	if _, err := Make(t.Context(), o); !errors.Is(err, ErrNoChange) {
		t.Errorf("no change: %v", err)
	}
	flipped := o
	flipped.Copy = t.TempDir()
	text, err := os.ReadFile(filepath.Join(o.Before, "packages/core/src/windows.ts"))
	if err != nil {
		t.Fatal(err)
	}
	put(t, o.After, "packages/core/src/windows.ts", strings.ReplaceAll(string(text), "\r\n", "\n"))
	if _, err := Make(t.Context(), flipped); !errors.Is(err, ErrNoChange) {
		t.Errorf("only a flip: %v", err)
	}
	edit(t, o.After, "packages/core/src/money.ts", "100", "10")
	for name, change := range map[string]func(*Options){
		"large":     func(o *Options) { o.Bytes = 100 },
		"no limit":  func(o *Options) { o.Changes = 0 },
		"many":      func(o *Options) { put(t, o.After, "a", "1"); o.Changes = 1 },
		"new links": func(o *Options) { o.Links = nil },
		"fifo": func(o *Options) {
			if err := syscall.Mkfifo(filepath.Join(o.After, "fifo"), 0o644); err != nil {
				t.Fatal(err)
			}
		},
	} {
		o := o
		o.Copy = t.TempDir()
		change(&o)
		want := ErrTooLarge
		switch name {
		case "new links":
			want = tree.ErrLink
		case "fifo":
			want = tree.ErrSpecial
		}
		if _, err := Make(t.Context(), o); !errors.Is(err, want) {
			t.Errorf("%s: error %v, want %v", name, err, want)
		}
		_ = os.Remove(filepath.Join(o.After, "fifo")) // only one case makes it, and maps have no order
	}
}

// Git's answer to a blob that is listed and then gone is an error, never an empty side.
func TestWriteBlobNoticesAChange(t *testing.T) {
	f, err := scratch.Open(scratch.Repository{}, scratch.Options{Parent: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	dir := t.TempDir()
	put(t, dir, "a", "now")
	e := tree.Entry{Path: "a", Mode: scratch.ModeFile, ID: scratch.HashObject("blob", []byte("listed"))}
	if err := writeBlob(f, dir, e); !errors.Is(err, tree.ErrSpecial) {
		t.Errorf("error %v, want ErrSpecial", err)
	}
}
