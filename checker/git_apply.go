package checker

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"

	"selffix/internal/scratch"
)

// maxListing bounds what git lists: paths of the patch, each at most a few times.
const maxListing = 16 << 20

// gitReading is what git makes of the patch: what "apply" counts, and what then is different in the index.
type gitReading struct {
	reading
	refused error // why git did not apply the patch; nil when it did
	counts  map[string]count
}

type count struct{ added, removed int }

// indexed is the private index before the patch, or why there is none.
type indexed struct {
	index scratch.Index
	err   error
}

// readBase fills the scratch folder's private index with the tree of a commit.
func readBase(ctx context.Context, f *scratch.Folder, commit string) indexed {
	if _, err := f.Run(ctx, scratch.Command{Args: []string{"read-tree", commit + "^{tree}"}}); err != nil {
		return indexed{err: baseError{err}}
	}
	index, err := f.Index()
	if err != nil {
		return indexed{err: baseError{err}}
	}
	return indexed{index: index}
}

// readGit applies the patch to the private index, which holds a tree, and lists what then is different in it. A patch that git refuses, dies
// of, or makes something of that is no list of files, is a fault of the patch; any other error is none of its fault and leaves no verdict. The index is read here rather than by
// "git diff-index": a process more takes as long as all that this one does.
func readGit(ctx context.Context, f *scratch.Folder, before scratch.Index, tree string, patch []byte) (gitReading, error) {
	if before.Tree != tree {
		return gitReading{}, baseError{fmt.Errorf("git read the tree %q into its index, want %q", before.Tree, tree)}
	}
	numstat, err := f.Run(ctx, scratch.Command{
		Args:  []string{"apply", "--numstat", "-z", "--apply", "--cached", "--whitespace=nowarn", "-"},
		Stdin: patch,
		Limit: maxListing,
	})
	if errors.Is(err, scratch.ErrExit) || errors.Is(err, scratch.ErrSignal) {
		return gitReading{refused: err}, f.Room() // a full disk makes git refuse what it would take
	}
	if err != nil {
		return gitReading{}, err
	}
	g := gitReading{reading: reading{ok: true, effects: map[string]effect{}}}
	if g.counts, err = parseNumstat(string(numstat)); err != nil {
		return gitReading{refused: err}, nil
	}
	after, err := f.Index()
	var disk *fs.PathError
	if errors.Is(err, scratch.ErrIndex) && !errors.As(err, &disk) {
		return gitReading{refused: err}, nil // it was readable before: "new file mode 040000" leaves a folder in it
	}
	if err != nil {
		return gitReading{}, err
	}
	for _, c := range before.Changes(after) {
		n := g.counts[c.Path]
		g.effects[c.Path] = effect{deleted: c.ID == "", mode: c.Mode, id: c.ID, added: n.added, removed: n.removed}
	}
	return g, nil
}

// errListing says that git listed something in a form that it does not have.
var errListing = errors.New("unreadable listing by git")

// parseNumstat reads "apply --numstat -z". A path that is listed more than once adds up.
func parseNumstat(out string) (map[string]count, error) {
	counts := map[string]count{}
	for out != "" {
		line, rest, ok := strings.Cut(out, "\x00")
		f := strings.SplitN(line, "\t", 3)
		if !ok || len(f) != 3 {
			return nil, fmt.Errorf("%w: numstat %q", errListing, excerpt(line))
		}
		if f[2] == "" { // a rename or copy: the names follow
			names := strings.SplitN(rest, "\x00", 3)
			if len(names) != 3 {
				return nil, fmt.Errorf("%w: numstat without names", errListing)
			}
			f[2], rest = names[1], names[2]
		}
		added, err1 := numstatNumber(f[0])
		removed, err2 := numstatNumber(f[1])
		if err := errors.Join(err1, err2); err != nil {
			return nil, fmt.Errorf("%w: numstat: %w", errListing, err)
		}
		c := counts[f[2]]
		counts[f[2]] = count{c.added + added, c.removed + removed}
		out = rest
	}
	return counts, nil
}

// numstatNumber reads a count; binary files have "-".
func numstatNumber(s string) (int, error) {
	if s == "-" {
		return 0, nil
	}
	return strconv.Atoi(s)
}

// excerpt cuts untrusted text for a message.
func excerpt(s string) string {
	const most = 60
	if len(s) > most {
		return s[:most] + "…"
	}
	return s
}
