package verify

import (
	"context"
	"errors"
	"fmt"

	"selffix/internal/scratch"
	"selffix/pipeline/checkout"
	"selffix/pipeline/tree"
)

// LockName is the lockfile that packages are installed from, at the root of the repository.
const LockName = "package-lock.json"

// PackageLimits bound the package files of a default branch.
func PackageLimits() tree.Limits {
	return tree.Limits{Entries: 20_000, Depth: 64, NameBytes: 255, FileBytes: 16 << 20, Bytes: 32 << 20}
}

// TreeInput says which tree is written, and where.
type TreeInput struct {
	Objects  string // object folder in which the judged tree lies
	Tree     string // id of the judged tree: the tested one plus the accepted patch
	Packages string // folder with the default branch's package files, each at its path
	Dst      string // an empty folder
	Scratch  string
}

// Tree compares the package files of the judged tree with the default branch's, and writes the tree's files byte for byte. It is
// whole: what scrubbing took from the agent's sight is there again, as it will be in the pushed commit. Its links are
// returned and not made.
func Tree(ctx context.Context, in TreeInput) ([]checkout.Link, error) {
	branch, err := tree.List(in.Packages, nil, PackageLimits())
	if err != nil {
		return nil, fmt.Errorf("the default branch's package files: %w: %w", ErrPackages, err)
	}
	judged, err := list(ctx, in)
	if err != nil {
		return nil, err
	}
	if err := Compare(judged, branch); err != nil {
		return nil, err
	}
	t, err := checkout.Write(ctx, scratch.Repository{Objects: in.Objects}, in.Tree, in.Dst, checkout.Options{Scratch: in.Scratch, Limits: tree.DefaultLimits()}, nil)
	return t.Links, err
}

// ErrPackages marks package files of the default branch that cannot be read or installed.
var ErrPackages = errors.New("the project's packages cannot be had")

func list(ctx context.Context, in TreeInput) (tree.Listing, error) {
	f, err := scratch.Open(scratch.Repository{Objects: in.Objects}, scratch.Options{Parent: in.Scratch})
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return tree.FromGit(ctx, f, in.Tree)
}

// Packages writes the package files of a commit of the default branch into dst, an empty folder: what a caller that has a
// repository hands to a run.
func Packages(ctx context.Context, repo scratch.Repository, commit, dst, scratchDir string) error {
	limits := tree.DefaultLimits()
	limits.Bytes = PackageLimits().Bytes
	_, err := checkout.Write(ctx, repo, commit, dst, checkout.Options{Scratch: scratchDir, Limits: limits}, PackageFile)
	return err
}
