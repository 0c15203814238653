package checker

import (
	"flag"
	"fmt"
	"maps"
	"strings"
	"testing"
	"time"

	"selffix/internal/scratch"
	"selffix/internal/testrepo"
)

// The legs in "make test" run for a time; a number of executions takes its place for a long run:
//
//	go test ./checker -run TestReadingsAgree -timeout 0 -readings.executions 10000000
var (
	readingsExecutions = flag.Int("readings.executions", 0, "mutated patches to compare; 0 runs for -readings.time")
	readingsTime       = flag.Duration("readings.time", 10*time.Second, "how long each leg compares readings")
	readingsSeed       = flag.Uint64("readings.seed", 0, "seed of the mutations; 0 takes the clock")
)

// TestReadingsAgree wants that a patch which holds to the grammar is read by go-gitdiff as the same files with the same counts, and made into
// the same bytes.
func TestReadingsAgree(t *testing.T) {
	base, files := loadBase(t)
	seed := mutationSeed()
	m := newMutator(seed, corpusPatches(t), files)
	clean, applied := 0, 0
	run := newRun(*readingsExecutions)
	for run.next() {
		patch := m.next()
		result, err := compareInProcess(base, patch)
		if err != nil {
			t.Fatalf("-readings.seed %d, execution %d: %v\n%q", seed, run.done, err, patch)
		}
		clean += result.clean
		applied += result.applied
		if run.done%1_000_000 == 0 {
			t.Logf("%d patches so far, %d hold to the grammar, %d were applied by both readers", run.done, clean, applied)
		}
	}
	t.Logf("%d patches, %d hold to the grammar, %d were applied by both readers; seed %d", run.done, clean, applied, seed)
	if applied == 0 {
		t.Error("no patch was applied by both readers, so nothing was compared")
	}
}

// FuzzReadings is the same for Go's own fuzzer, which looks for new paths through the readers.
func FuzzReadings(f *testing.F) {
	base, _ := loadBase(f)
	for _, p := range corpusPatches(f) {
		f.Add(p)
	}
	f.Fuzz(func(t *testing.T, patch []byte) {
		if _, err := compareInProcess(base, patch); err != nil {
			t.Error(err)
		}
	})
}

// run counts executions up to a number, or for -readings.time.
type run struct {
	done, most int
	until      time.Time
}

func newRun(most int) *run { return &run{most: most, until: time.Now().Add(*readingsTime)} }

// next counts an execution, or says that there is none left.
func (r *run) next() bool {
	if r.most > 0 && r.done >= r.most || r.most == 0 && time.Now().After(r.until) {
		return false
	}
	r.done++
	return true
}

// mutationSeed is the seed of this run.
func mutationSeed() uint64 {
	if *readingsSeed != 0 {
		return *readingsSeed
	}
	return uint64(time.Now().UnixNano())
}

// compared counts what a patch came to.
type compared struct{ clean, applied int }

// compareInProcess is an error if the grammar accepts a patch that the two readers in this process read differently.
func compareInProcess(base *baseTree, patch []byte) (compared, error) {
	s := readGrammar(patch)
	ownEdits := s.edits()
	if !s.clean() {
		play(base, ownEdits) // must not panic on whatever was made of a faulty patch
		return compared{}, nil
	}
	edits, err := readGitdiff(patch)
	if err != nil {
		return compared{clean: 1}, fmt.Errorf("the grammar accepts what go-gitdiff cannot read: %w", err)
	}
	if err := sameEdits(ownEdits, edits); err != nil {
		return compared{clean: 1}, err
	}
	own, _, ownErr := play(base, ownEdits)
	diff, _, diffErr := play(base, edits)
	if ownErr != nil || diffErr != nil {
		return compared{clean: 1}, nil
	}
	return compared{clean: 1, applied: 1}, sameEffects(own, diff)
}

func sameEdits(a, b []edit) error {
	if len(a) != len(b) {
		return fmt.Errorf("%d files against %d", len(a), len(b))
	}
	for i := range a {
		x, y := a[i], b[i]
		if x.path != y.path || x.from != y.from || x.deleted != y.deleted || x.moved != y.moved || x.added != y.added || x.removed != y.removed {
			return fmt.Errorf("file %d is %+v against %+v", i, x, y)
		}
	}
	return nil
}

func sameEffects(a, b reading) error {
	if len(a.effects) != len(b.effects) {
		return fmt.Errorf("%d paths against %d", len(a.effects), len(b.effects))
	}
	for path, x := range a.effects {
		y, ok := b.effects[path]
		if !ok || x.id != y.id || x.deleted != y.deleted || x.added != y.added || x.removed != y.removed {
			return fmt.Errorf("%q: %d added, %d removed, %q against %d, %d, %q", path, x.added, x.removed, x.data, y.added, y.removed, y.data)
		}
	}
	return nil
}

// corpusPatches are the seeds: the corpus and every example of a reading rule.
func corpusPatches(t testing.TB) [][]byte {
	t.Helper()
	var list [][]byte
	for _, c := range corpus(t) {
		if len(c.patch) < 10_000 {
			list = append(list, c.patch)
		}
	}
	for _, r := range readingRules() {
		accepts, refuses, err := Examples(r)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range append(accepts, refuses...) {
			list = append(list, []byte(e.Patch))
		}
	}
	return list
}

// loadBase reads the whole base repository into memory, as a tree that needs no process, and its plain files by path.
func loadBase(t testing.TB) (*baseTree, map[string][]byte) {
	t.Helper()
	repo, err := scratch.Find(testrepo.Base(t))
	if err != nil {
		t.Fatal(err)
	}
	folder, err := scratch.Open(repo, scratch.Options{Parent: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer folder.Close()
	cat, err := folder.CatFile(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer cat.Close()
	base, err := openBase(cat, testrepo.BaseCommit)
	if err != nil {
		t.Fatal(err)
	}
	files := map[string][]byte{}
	loadTree(t, base, base.root, "", files)
	return &baseTree{root: base.root, trees: maps.Clone(base.trees), blobs: maps.Clone(base.blobs)}, files
}

func loadTree(t testing.TB, base *baseTree, id, prefix string, files map[string][]byte) {
	t.Helper()
	entries, err := base.tree(id)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if e.Mode == scratch.ModeTree {
			loadTree(t, base, e.ID, prefix+e.Name+"/", files)
			continue
		}
		data, err := base.blob(e.ID)
		if err != nil {
			t.Fatal(err)
		}
		if e.Mode == scratch.ModeFile && strings.HasSuffix(e.Name, ".ts") {
			files[prefix+e.Name] = data
		}
	}
}
