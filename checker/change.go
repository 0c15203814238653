package checker

import "selffix/pipeline/policy"

// Change is what the rules judge: the patch as all readings agree on it, and each file before and after.
//
// After a fault of reading the rules still run, on what could be read, so that a report holds all findings. A file may then have
// a Path and nothing else; the verdict is "refuse" already.
type Change struct {
	Policy policy.Policy
	Patch  []byte
	Files  []*File // in the order of the patch
	// BaseHas reports whether the base tree holds a file or folder at this path, compared without case.
	BaseHas func(path string) bool
	// BaseNames returns every path of the base that is path but for case: none, path itself, or others.
	BaseNames func(path string) []string
	// BaseLeaf reports whether the base holds at this path, compared without case, something that is no folder.
	BaseLeaf func(path string) bool

	ahead *ahead // nil: every source file is read when a rule first asks
}

// File is one changed file. Base and Result are the exact blobs; rules that look at added lines look
// at lines of the result, never at the patch's own text.
type File struct {
	Path    string
	New     bool // the base has nothing at Path
	Deleted bool // the result has nothing at Path; never so in an accepted patch
	Base    []byte
	Result  []byte
	Added   []Line // lines of Result that are not in Base, by the patch
	Removed int    // lines of Base that are not in Result
	unread  bool   // there is more in Base or Result than is read of any patch's files

	source *sourceFacts // of a TypeScript file, read when a rule first asks
	style  *styleFacts  // of a style sheet
}

// Line is one line of a result, without its line ending.
type Line struct {
	Number int // from 1
	Text   string
}
