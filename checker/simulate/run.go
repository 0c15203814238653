package simulate

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"selffix/checker"
	"selffix/internal/scratch"
	"selffix/pipeline/policy"
)

// ErrHistory says that the history could not be read.
var ErrHistory = errors.New("cannot read the history")

// The bounds of a simulation.
const (
	MaxCommits   = 10_000
	maxDiffBytes = 64 << 20 // of one commit; a longer one is counted as undecided
)

// Input is what Run needs.
type Input struct {
	Repo   string
	Last   int // commits to judge, from 1 to MaxCommits
	Policy policy.Policy
	// Progress is called after each commit with the number judged and the number to judge; it may be nil.
	Progress func(done, all int)
}

// Run judges the last commits of HEAD's first-parent history, merges and roots left out.
func Run(ctx context.Context, in Input) (Summary, error) {
	if in.Last < 1 || in.Last > MaxCommits {
		return Summary{}, fmt.Errorf("%w: want 1 to %d commits, got %d", ErrHistory, MaxCommits, in.Last)
	}
	repo, err := scratch.Find(in.Repo)
	if err != nil {
		return Summary{}, fmt.Errorf("%w: %w", ErrHistory, err)
	}
	head, err := repo.Resolve("HEAD")
	if err != nil {
		return Summary{}, fmt.Errorf("%w: %w", ErrHistory, err)
	}
	folder, err := scratch.Open(repo, scratch.Options{})
	if err != nil {
		return Summary{}, fmt.Errorf("%w: %w", ErrHistory, err)
	}
	defer folder.Close()
	pairs, err := commits(ctx, folder, head, in.Last)
	if err != nil {
		return Summary{}, err
	}
	s := Summary{Commits: []Commit{}}
	tallies := map[checker.RuleID]*Tally{}
	for i, p := range pairs {
		r, err := judge(ctx, folder, in, p)
		if err != nil {
			return Summary{}, err
		}
		s.add(p.commit, r, tallies)
		if in.Progress != nil {
			in.Progress(i+1, len(pairs))
		}
	}
	s.close(tallies)
	return s, nil
}

type pair struct{ parent, commit string }

// commits lists commits with their only parent, newest first.
func commits(ctx context.Context, f *scratch.Folder, head string, last int) ([]pair, error) {
	out, err := f.Run(ctx, scratch.Command{Args: []string{
		"rev-list", "--first-parent", "--max-parents=1", "--min-parents=1", "--parents", fmt.Sprintf("--max-count=%d", last), head, "--",
	}, Limit: int64(MaxCommits * 100)})
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrHistory, err)
	}
	var pairs []pair
	for line := range strings.Lines(string(out)) {
		ids := strings.Fields(line)
		if len(ids) != 2 {
			return nil, fmt.Errorf("%w: git lists %d ids for a commit with one parent", ErrHistory, len(ids))
		}
		pairs = append(pairs, pair{commit: ids[0], parent: ids[1]})
	}
	return pairs, nil
}

// judge checks one commit's difference to its parent, written as self-fix writes a robot's patch.
func judge(ctx context.Context, f *scratch.Folder, in Input, p pair) (checker.Report, error) {
	patch, err := f.Run(ctx, scratch.Command{Args: []string{
		"diff-tree", "-p", "--full-index", "--no-renames", "--no-ext-diff", "--no-textconv", "--no-color",
		"--src-prefix=a/", "--dst-prefix=b/", p.parent, p.commit, "--",
	}, Limit: maxDiffBytes})
	if errors.Is(err, scratch.ErrOutput) {
		return checker.Report{Verdict: checker.Undecided}, nil
	}
	if err != nil {
		return checker.Report{}, fmt.Errorf("%w: commit %s: %w", ErrHistory, p.commit, err)
	}
	r, err := checker.Check(ctx, checker.Input{Repo: in.Repo, Base: p.parent, Policy: in.Policy, Patch: patch})
	if ctx.Err() != nil {
		return checker.Report{}, ctx.Err()
	}
	if err != nil {
		return checker.Report{Verdict: checker.Undecided}, nil
	}
	return r, nil
}
