package checker

import (
	"fmt"
	"strings"
	"testing"

	"selffix/internal/scratch"
)

// parseRaw reads "diff-index --raw -z --no-renames": git's own listing of what the checker reads from the index itself.
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

// sameAsListed compares the changes that an index shows with git's own listing of them.
func sameAsListed(before, after scratch.Index, listed map[string]effect) error {
	changes := before.Changes(after)
	for _, c := range changes {
		want, ok := listed[c.Path]
		if got := (effect{deleted: c.ID == "", mode: c.Mode, id: c.ID}); !ok || got.deleted != want.deleted || got.mode != want.mode || got.id != want.id {
			return fmt.Errorf("the index has %+v, git lists %+v (%v)", c, want, ok)
		}
	}
	if len(changes) != len(listed) {
		return fmt.Errorf("the index has %d changes, git lists %d", len(changes), len(listed))
	}
	return nil
}

// TestIndexOfAnotherTree holds the reading by git to the tree that was hashed.
func TestIndexOfAnotherTree(t *testing.T) {
	if _, err := readGit(t.Context(), nil, scratch.Index{Tree: strings.Repeat("a", 40)}, strings.Repeat("b", 40), nil); err == nil {
		t.Error("git may read another tree than the one that the checker reads")
	}
	if _, err := readGit(t.Context(), nil, scratch.Index{}, strings.Repeat("b", 40), nil); err == nil {
		t.Error("git may read a tree that nobody knows")
	}
}
