package checker

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"selffix/internal/scratch"
)

// maxListing bounds what git lists: paths of the patch, each at most a few times.
const maxListing = 16 << 20

// gitReading is what git makes of the patch: what "apply" counts, and what the raw difference of the index says.
type gitReading struct {
	reading
	refused error // why git did not apply the patch; nil when it did
	counts  map[string]count
}

type count struct{ added, removed int }

// readBase fills the scratch folder's private index with the tree of a commit. git does not hash what it reads; a tree other than the one that openBase
// hashed shows as a difference in the end.
func readBase(ctx context.Context, f *scratch.Folder, commit string) error {
	if _, err := f.Run(ctx, scratch.Command{Args: []string{"read-tree", commit + "^{tree}"}}); err != nil {
		return baseError{err}
	}
	return nil
}

// readGit applies the patch to the private index and lists the difference to the base. A patch that git refuses, or
// dies of, is a fault of the patch; any other error is none of its fault and leaves no verdict.
func readGit(ctx context.Context, f *scratch.Folder, tree string, patch []byte) (gitReading, error) {
	numstat, err := f.Run(ctx, scratch.Command{
		Args:  []string{"apply", "--numstat", "-z", "--apply", "--cached", "--whitespace=nowarn", "-"},
		Stdin: patch,
		Limit: maxListing,
	})
	if errors.Is(err, scratch.ErrExit) || errors.Is(err, scratch.ErrSignal) {
		return gitReading{refused: err}, nil
	}
	if err != nil {
		return gitReading{}, err
	}
	raw, err := f.Run(ctx, scratch.Command{
		Args:  []string{"diff-index", "--cached", "--raw", "-z", "--no-renames", "--no-abbrev", "--ignore-submodules=none", tree},
		Limit: maxListing,
	})
	if err != nil {
		return gitReading{}, err
	}
	g := gitReading{}
	if g.counts, err = parseNumstat(string(numstat)); err != nil {
		return gitReading{}, err
	}
	if g.effects, err = parseRaw(string(raw)); err != nil {
		return gitReading{}, err
	}
	for path, e := range g.effects {
		e.added, e.removed = g.counts[path].added, g.counts[path].removed
		g.effects[path] = e
	}
	g.ok = true
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

// parseRaw reads "diff-index --raw -z --no-renames".
func parseRaw(out string) (map[string]effect, error) {
	effects := map[string]effect{}
	for out != "" {
		head, rest, ok1 := strings.Cut(out, "\x00")
		path, rest, ok2 := strings.Cut(rest, "\x00")
		f := strings.Split(head, " ")
		if !ok1 || !ok2 || len(f) != 5 || path == "" || len(f[3]) != 40 {
			return nil, fmt.Errorf("%w: raw %q", errListing, excerpt(head))
		}
		e := effect{mode: f[1], id: f[3]}
		switch f[4] {
		case "D":
			e = effect{deleted: true}
		case "A", "M", "T":
		default:
			return nil, fmt.Errorf("%w: status %q", errListing, excerpt(f[4]))
		}
		effects[path] = e
		out = rest
	}
	return effects, nil
}

// excerpt cuts untrusted text for a message.
func excerpt(s string) string {
	const most = 60
	if len(s) > most {
		return s[:most] + "…"
	}
	return s
}
