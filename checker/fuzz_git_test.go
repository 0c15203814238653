package checker

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"selffix/internal/scratch"
	"selffix/internal/testrepo"
)

var gitExecutions = flag.Int("readings.git", 0, "mutated patches to compare with git; 0 runs for -readings.time")

// gitBatch is how many patches one git process applies, each to a copy of the base in a folder of its own.
const gitBatch = 100

// gitSample is how many patches lie between two that git will refuse by what is known of it. Each costs a process of its own.
const gitSample = 200

// TestReadingsAgreeWithGit wants that a patch which holds to the grammar, and which go-gitdiff applies, is read by git as the same files with the same
// counts and made into the same bytes and modes, or refused.
func TestReadingsAgreeWithGit(t *testing.T) {
	base, files := loadBase(t)
	seed := mutationSeed()
	m := newMutator(seed, corpusPatches(t), files)
	g := newGitLeg(t, base)
	run := newRun(*gitExecutions)
	tried, batches := 0, 0
	for run.next() {
		batch := []gitCase{}
		for len(batch) < gitBatch {
			tried++
			c, ok := newGitCase(t, base, m.next(), len(batch))
			switch {
			case ok && !c.open:
				batch = append(batch, c)
			case ok && tried%gitSample == 0:
				if err := g.compare(t, []gitCase{c}); err != nil {
					t.Fatalf("-readings.seed %d: %v", seed, err)
				}
				run.done++
			}
		}
		if err := g.compare(t, batch); err != nil {
			t.Fatalf("-readings.seed %d: %v", seed, err)
		}
		run.done += len(batch) - 1
		if batches++; batches%100 == 0 {
			t.Logf("%d patches so far, %d of them compared with git, %d of these refused by it, in %d processes", tried, run.done, g.refused, g.processes)
		}
	}
	t.Logf("%d patches, %d of them compared with git, %d of these refused by it, in %d processes; seed %d", tried, run.done, g.refused, g.processes, seed)
	if g.refused == run.done {
		t.Error("git applied no patch, so nothing was compared")
	}
}

// gitCase is a patch, moved into the folder that its place in the batch names, and the grammar's reading of it.
type gitCase struct {
	patch []byte
	moved []byte
	own   reading
	open  bool // a hunk has no context behind it before the end of the file: git wants it to match at the end
}

// newGitCase keeps a patch that both readers in this process accept.
func newGitCase(t *testing.T, base *baseTree, patch []byte, place int) (gitCase, bool) {
	t.Helper()
	result, err := compareInProcess(base, patch)
	if err != nil {
		t.Fatalf("%v\n%q", err, patch)
	}
	if result.applied == 0 {
		return gitCase{}, false
	}
	s := readGrammar(patch)
	own, _, _ := play(base, s.edits())
	c := gitCase{patch: patch, moved: s.move(place), own: own}
	for _, f := range s.files {
		before, _ := reading{}.before(base, f.from)
		for _, h := range f.hunks {
			last := h.lines[len(h.lines)-1]
			end := bytes.Count(before.data, []byte{'\n'})
			c.open = c.open || last.op != ' ' && h.oldPos+h.oldLen < end
		}
	}
	return c, true
}

// move writes the patch anew with every path below a folder. Only headers change.
func (s *scan) move(place int) []byte {
	var out []byte
	for i, f := range s.files {
		end := len(s.text)
		if i+1 < len(s.files) {
			end = s.files[i+1].at
		}
		first := f.hunks[0].at
		head := string(s.text[f.at:first])
		for _, side := range []string{"a/", "b/"} {
			head = strings.ReplaceAll(head, " "+side+f.path, fmt.Sprintf(" %sk%d/%s", side, place, f.path))
		}
		out = append(append(out, head...), s.text[first:end]...)
	}
	return out
}

// gitLeg is a scratch folder whose index holds the base once for every place in a batch.
type gitLeg struct {
	base               *baseTree
	folder             *scratch.Folder
	index              []byte
	before             scratch.Index
	tree               string
	refused, processes int
}

func newGitLeg(t *testing.T, base *baseTree) *gitLeg {
	t.Helper()
	repo, err := scratch.Find(testrepo.Base(t))
	if err != nil {
		t.Fatal(err)
	}
	folder, err := scratch.Open(repo, scratch.Options{Parent: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { folder.Close() })
	var entries []scratch.TreeEntry
	for i := range gitBatch {
		entries = append(entries, scratch.TreeEntry{Mode: scratch.ModeTree, Name: fmt.Sprintf("k%d", i), ID: base.root})
	}
	slices.SortFunc(entries, scratch.CompareEntries)
	data, err := scratch.FormatTree(entries)
	if err != nil {
		t.Fatal(err)
	}
	tree, err := scratch.WriteLoose(folder.Objects(), "tree", data)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := folder.Run(t.Context(), scratch.Command{Args: []string{"read-tree", tree}}); err != nil {
		t.Fatal(err)
	}
	index, err := os.ReadFile(folder.Path("index"))
	if err != nil {
		t.Fatal(err)
	}
	before, err := folder.Index()
	if err != nil {
		t.Fatal(err)
	}
	return &gitLeg{base: base, folder: folder, index: index, before: before, tree: tree}
}

// namedBy is the place in a batch of the patch that git's error names, or -1.
func namedBy(batch []gitCase, err error) int {
	var exit *scratch.ExitError
	if !errors.As(err, &exit) {
		return -1
	}
	m := placeInError.FindString(exit.Text)
	return slices.IndexFunc(batch, func(c gitCase) bool { return m != "" && bytes.HasPrefix(c.moved, []byte("diff --git a/"+m)) })
}

var placeInError = regexp.MustCompile(`k[0-9]+/`)

// compare lets git apply a batch, without the patch that its error names where it refuses one of it.
func (g *gitLeg) compare(t *testing.T, batch []gitCase) error {
	t.Helper()
	if err := os.WriteFile(g.folder.Path("index"), g.index, 0o600); err != nil {
		return err
	}
	args := []string{"apply", "--numstat", "-z", "--apply", "--cached", "--whitespace=nowarn"}
	for i, c := range batch {
		p := g.folder.Path(fmt.Sprintf("tmp/%d", i))
		if err := os.WriteFile(p, c.moved, 0o600); err != nil {
			return err
		}
		args = append(args, p)
	}
	g.processes++
	numstat, err := g.folder.Run(t.Context(), scratch.Command{Args: args, Limit: maxListing})
	if errors.Is(err, scratch.ErrExit) {
		if len(batch) == 1 {
			g.refused++
			return nil
		}
		i := namedBy(batch, err)
		if i < 0 {
			return errors.Join(g.compare(t, batch[:len(batch)/2]), g.compare(t, batch[len(batch)/2:]))
		}
		rest := slices.Delete(slices.Clone(batch), i, i+1)
		return errors.Join(g.compare(t, batch[i:i+1]), g.compare(t, rest))
	}
	if err != nil {
		return fmt.Errorf("%w\n%q", err, batch[0].patch)
	}
	g.processes++
	raw, err := g.folder.Run(t.Context(), scratch.Command{
		Args: []string{"diff-index", "--cached", "--raw", "-z", "--no-renames", "--no-abbrev", g.tree}, Limit: maxListing,
	})
	if err != nil {
		return err
	}
	after, err := g.folder.Index()
	if err != nil {
		return err
	}
	listed, err := parseRaw(string(raw))
	if err != nil {
		return err
	}
	if err := sameAsListed(g.before, after, listed); err != nil {
		return err
	}
	return sameAsGit(g.base, batch, string(numstat), listed)
}

// sameAsGit compares what git lists with the grammar's readings.
func sameAsGit(base *baseTree, batch []gitCase, numstat string, effects map[string]effect) error {
	counts, err := parseNumstat(numstat)
	if err != nil {
		return err
	}
	for _, c := range batch {
		place, _, _ := strings.Cut(strings.TrimPrefix(string(c.moved), "diff --git a/"), "/")
		for path, want := range c.own.effects {
			key := place + "/" + path
			got, ok := effects[key]
			n, counted := counts[key]
			delete(effects, key)
			delete(counts, key)
			if !counted || n != (count{want.added, want.removed}) {
				return fmt.Errorf("git counts %+v in %q, want %d and %d\n%q", n, path, want.added, want.removed, c.patch)
			}
			if before, _, err := base.lookup(path); err == nil && !ok && before.ID == want.id {
				continue // the edit leaves the file as it was: the raw difference does not list it, and the checker refuses that
			}
			if got.id != want.id || got.mode != want.mode {
				return fmt.Errorf("git makes %s %s of %q, want %s %s\n%q", got.mode, got.id, path, want.mode, want.id, c.patch)
			}
		}
	}
	if len(effects) > 0 || len(counts) > 0 {
		return fmt.Errorf("git changes %v and counts %v beside what the grammar reads", effects, counts)
	}
	return nil
}
