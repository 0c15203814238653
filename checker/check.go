package checker

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"selffix/internal/scratch"
	"selffix/pipeline/policy"
)

// Why there is no verdict. Everything that is wrong with the patch itself is a finding instead.
var (
	ErrPolicy    = errors.New("unusable policy")
	ErrBase      = errors.New("unusable base")
	ErrUndecided = errors.New("could not decide")
)

// maxPatchBytes bounds what is read at all, whatever the policy says. A longer patch is judged by its size alone.
const maxPatchBytes = 4 << 20

// idSizeBytes is the rule that refuses a patch above the policy's bytes, whatever is in it.
const idSizeBytes RuleID = "SF-SIZE-002"

// Input is what a check needs. It reads nothing else: no environment, no configuration, no clock.
type Input struct {
	Repo   string        // a work tree, a folder in one, or a bare repository: only objects and refs are read
	Base   string        // the commit that the patch applies to: an id, a branch, a tag or HEAD, with ~ and ^ steps
	Policy policy.Policy // as policy.Parse returns it
	Patch  []byte
	// Objects is an object folder that receives the blobs and trees which an accepted patch makes; "" for none.
	Objects string
	Scratch scratch.Options
}

// Check judges a patch by all rules. An error means that there is no verdict: the repository, the base or the policy cannot be
// used, git is not there, or the context ended. The report of an error is empty.
func Check(ctx context.Context, in Input) (Report, error) { return CheckRules(ctx, in, Rules()) }

// CheckRules judges a patch by some of the rules. A rule of reading that is left out is not only silent: the patch is then read the way that
// comes nearest to git's. It exists for tests, which turn each rule off, and for reports on a repository's history.
func CheckRules(ctx context.Context, in Input, rules []Rule) (Report, error) {
	if in.Policy.Version != 1 {
		return Report{}, fmt.Errorf("%w: version %d, want 1", ErrPolicy, in.Policy.Version)
	}
	repo, err := scratch.Find(in.Repo)
	if err != nil {
		return Report{}, err
	}
	name, err := repo.Resolve(in.Base)
	if err != nil {
		return Report{}, fmt.Errorf("%w: %w", ErrBase, err)
	}
	return checkAt(ctx, in, rules, repo, name)
}

// checkAt makes the scratch folder and the processes of one check, and takes all of them away again.
func checkAt(ctx context.Context, in Input, rules []Rule, repo scratch.Repository, commit string) (report Report, err error) {
	folder, err := scratch.Open(repo, in.Scratch)
	if err != nil {
		return Report{}, err
	}
	defer func() {
		if closeErr := folder.Close(); closeErr != nil {
			report, err = Report{}, errors.Join(err, closeErr)
		}
	}()
	ctx, stop := context.WithCancel(ctx)
	c := &check{in: in, rules: rules, on: map[RuleID]Rule{}, folder: folder, indexed: make(chan indexed, 1)}
	go func() { c.indexed <- readBase(ctx, folder, commit); close(c.indexed) }() // git fills its index while the base is opened here
	defer func() { stop(); <-c.indexed }()
	cat, err := folder.CatFile(ctx)
	if err != nil {
		return Report{}, err
	}
	defer func() {
		if closeErr := cat.Close(); closeErr != nil {
			report, err = Report{}, errors.Join(err, closeErr)
		}
	}()
	if c.base, err = openBase(cat, commit); err != nil {
		return Report{}, fmt.Errorf("%w: %q: %w", ErrBase, excerpt(in.Base), err)
	}
	for _, r := range rules {
		c.on[r.ID] = r
	}
	return c.run(ctx)
}

// check is one check under way.
type check struct {
	in       Input
	rules    []Rule
	on       map[RuleID]Rule
	folder   *scratch.Folder
	base     *baseTree
	indexed  chan indexed
	ahead    ahead
	tooMuch  bool  // some base file was left unread
	holdsErr error // the first error of Change.BaseNames, which has none of its own
	findings []Finding
}

func (c *check) run(ctx context.Context) (Report, error) {
	change := &Change{Policy: c.in.Policy, Patch: c.in.Patch, BaseHas: c.baseHas, BaseNames: c.baseNames, BaseLeaf: c.baseLeaf, ahead: &c.ahead}
	var effects map[string]effect
	if !c.tooLong() {
		defer c.ahead.wait()
		r, err := c.read(ctx)
		if err != nil {
			return Report{}, err
		}
		if change.Files, err = c.files(r); err != nil {
			return Report{}, err
		}
		if err := c.attributes(ctx, change.Files); err != nil {
			return Report{}, err
		}
		effects = r.truth().effects
	}
	for _, r := range c.rules {
		if r.Check != nil {
			c.findings = append(c.findings, runRule(r, change)...)
		}
	}
	if c.holdsErr != nil {
		return Report{}, c.holdsErr
	}
	if err := ctx.Err(); err != nil {
		return Report{}, err
	}
	if findings := sorted(c.findings); len(findings) > 0 {
		return Report{Verdict: Refuse, Findings: findings}, nil
	}
	return c.accept(effects)
}

// tooLong says that the patch is judged by its size alone. The rule on its size refuses it; reading it would take time for nothing.
func (c *check) tooLong() bool {
	n := len(c.in.Patch)
	_, on := c.on[idSizeBytes]
	return n > maxPatchBytes || on && n > c.in.Policy.Limits.PatchBytes
}

// runRule runs one rule. A parser that gives up in the middle of a hostile file refuses it.
func runRule(r Rule, change *Change) (found []Finding) {
	defer func() {
		if p := recover(); p != nil {
			found = []Finding{r.at("", 0, 0, "the rule could not be carried through: a parser broke down over the change")}
		}
	}()
	return r.Check(change)
}

// baseHas is Change.BaseHas.
func (c *check) baseHas(path string) bool { return len(c.baseNames(path)) > 0 }

// baseNames is Change.BaseNames.
func (c *check) baseNames(path string) []string {
	names, err := c.base.names(path)
	if err != nil && c.holdsErr == nil {
		c.holdsErr = err
	}
	return names
}

// baseLeaf is Change.BaseLeaf.
func (c *check) baseLeaf(path string) bool {
	for _, name := range c.baseNames(path) {
		e, ok, err := c.base.lookup(name)
		if err != nil && c.holdsErr == nil {
			c.holdsErr = err
		}
		if ok && e.Mode != scratch.ModeTree {
			return true
		}
	}
	return false
}

// report adds a finding of a rule of reading, if the rule is on.
func (c *check) report(id RuleID, path, message string) {
	r, ok := c.on[id]
	if !ok {
		return
	}
	c.findings = append(c.findings, r.at(path, 0, 0, message))
}

// accept makes the report of a patch without findings: what git, or the first reader that could, made of it.
func (c *check) accept(effects map[string]effect) (Report, error) {
	if effects == nil || c.tooMuch {
		return Report{}, fmt.Errorf("%w: no reader made a result of the patch, and no rule refused it", ErrUndecided)
	}
	tree, made, err := c.base.result(effects)
	if err != nil {
		return Report{}, fmt.Errorf("%w: write the result tree: %w", ErrUndecided, err)
	}
	report := Report{Verdict: Accept, Findings: []Finding{}, BaseTree: c.base.root, ResultTree: tree}
	for path, e := range effects {
		before, _, err := c.base.lookup(path)
		if err != nil {
			return Report{}, err
		}
		report.Changed = append(report.Changed, ChangedFile{Path: path, Before: before.ID, After: e.id})
	}
	slices.SortFunc(report.Changed, func(a, b ChangedFile) int { return strings.Compare(a.Path, b.Path) })
	if c.in.Objects == "" {
		return report, nil
	}
	return report, c.write(effects, made)
}

// write puts the new blobs and trees into the caller's object folder, blobs first, so that no tree lacks what it names.
func (c *check) write(effects map[string]effect, trees map[string][]byte) error {
	for _, e := range effects {
		if e.deleted || e.mode == scratch.ModeGitlink {
			continue
		}
		data, err := c.data(e)
		if err != nil {
			return err
		}
		if _, err := scratch.WriteLoose(c.in.Objects, "blob", data); err != nil {
			return err
		}
	}
	for _, data := range trees {
		if _, err := scratch.WriteLoose(c.in.Objects, "tree", data); err != nil {
			return err
		}
	}
	return nil
}

// data is the content that an effect leaves.
func (c *check) data(e effect) ([]byte, error) {
	if e.data != nil || e.id == "" {
		return e.data, nil
	}
	return c.base.content(scratch.TreeEntry{Mode: e.mode, ID: e.id})
}

// sorted orders findings by file, line, column and rule, and drops repeats.
func sorted(found []Finding) []Finding {
	slices.SortStableFunc(found, func(a, b Finding) int {
		return firstNonZero(
			strings.Compare(a.File, b.File), a.Line-b.Line, a.Column-b.Column,
			strings.Compare(string(a.Rule), string(b.Rule)), strings.Compare(a.Message, b.Message),
		)
	})
	return slices.Compact(found)
}

func firstNonZero(values ...int) int {
	for _, v := range values {
		if v != 0 {
			return v
		}
	}
	return 0
}
