package tree

import (
	"bytes"
	"context"
	"fmt"
	"strconv"
	"strings"

	"selffix/internal/scratch"
)

// maxListing bounds what git may print for one tree.
const maxListing = 64 << 20

// FromGit lists a tree object with the sizes of its blobs. A submodule is refused.
func FromGit(ctx context.Context, f *scratch.Folder, id string) (Listing, error) {
	out, err := f.Run(ctx, scratch.Command{Args: []string{"ls-tree", "-r", "-l", "-z", "--full-tree", id}, Limit: maxListing})
	if err != nil {
		return nil, fmt.Errorf("list tree %s: %w", id, err)
	}
	var list Listing
	for line := range bytes.SplitSeq(bytes.TrimSuffix(out, []byte{0}), []byte{0}) {
		if len(line) == 0 {
			continue // the empty tree
		}
		head, name, ok := strings.Cut(string(line), "\t")
		parts := strings.Fields(head)
		if !ok || len(parts) != 4 || parts[1] != "blob" {
			return nil, fmt.Errorf("list tree %s: %w: an entry that is no file", id, ErrSpecial)
		}
		size, err := strconv.ParseInt(parts[3], 10, 64)
		if err != nil {
			return nil, fmt.Errorf("list tree %s: %w: a file without a size", id, ErrSpecial)
		}
		list = append(list, Entry{Path: name, Mode: parts[0], ID: parts[2], Size: size})
	}
	list.Sort()
	return list, nil
}
