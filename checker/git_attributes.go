package checker

import (
	"context"
	"fmt"
	"strings"

	"selffix/internal/scratch"
)

// byteAttributes are those that make a checkout or an archive write other bytes than the blob holds.
var byteAttributes = []string{"filter", "working-tree-encoding", "ident", "eol", "text", "crlf", "export-subst"}

// attribute is one attribute of one path.
type attribute struct{ path, name, value string }

// readAttributes asks git which attributes hold for paths in the private index. The scratch folder has no attributes of its own.
func readAttributes(ctx context.Context, f *scratch.Folder, paths []string) ([]attribute, error) {
	out, err := f.Run(ctx, scratch.Command{
		Args:  append([]string{"check-attr", "-z", "--cached", "--stdin"}, byteAttributes...),
		Stdin: []byte(strings.Join(paths, "\x00") + "\x00"),
		Limit: maxListing,
	})
	if err != nil {
		return nil, err
	}
	fields := strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
	if len(fields) != 3*len(paths)*len(byteAttributes) {
		return nil, fmt.Errorf("%w: %d attribute fields for %d paths", errListing, len(fields), len(paths))
	}
	var list []attribute
	for i := 0; i < len(fields); i += 3 {
		list = append(list, attribute{fields[i], fields[i+1], fields[i+2]})
	}
	return list, nil
}

// changesBytes reports whether an attribute makes the deployed bytes differ from the judged ones. "text" in any form only
// turns CRLF into LF when files are added, and "eol=lf" leaves a checkout alone, so both may stand.
func (a attribute) changesBytes() bool {
	switch a.value {
	case "unspecified", "unset":
		return false
	}
	switch a.name {
	case "text":
		return a.value != "set" && a.value != "auto"
	case "crlf":
		return a.value != "set" && a.value != "input"
	case "eol":
		return a.value != "lf"
	}
	return true
}
