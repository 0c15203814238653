package checker

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"selffix/internal/scratch"
)

// askedAttributes are those that make a checkout or an archive write other bytes than the blob holds, and those by which git and GitHub do not show
// a change: "binary" is git's macro for -diff, linguist-generated collapses the file in a pull request.
var askedAttributes = []string{
	"filter", "working-tree-encoding", "ident", "eol", "text", "crlf", "export-subst",
	"diff", "binary", "linguist-generated", "linguist-vendored",
}

// attribute is one attribute of one path.
type attribute struct{ path, name, value string }

// Whether patterns are compared with a path in regard of its case: a checkout does as the system does that it lies on.
const (
	caseSensitive = "core.ignoreCase=false"
	ignoringCase  = "core.ignoreCase=true"
)

// readAttributes asks git which attributes hold for paths in the private index. The scratch folder has no attributes of its own.
func readAttributes(ctx context.Context, f *scratch.Folder, letters string, paths []string) ([]attribute, error) {
	out, err := f.Run(ctx, scratch.Command{
		Args:  append([]string{"-c", letters, "check-attr", "-z", "--cached", "--stdin"}, askedAttributes...),
		Stdin: []byte(strings.Join(paths, "\x00") + "\x00"),
		Limit: maxListing,
	})
	if err != nil {
		return nil, err
	}
	fields := strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
	if len(fields) != 3*len(paths)*len(askedAttributes) {
		return nil, fmt.Errorf("%w: %d attribute fields for %d paths", errListing, len(fields), len(paths))
	}
	var list []attribute
	for i := 0; i < len(fields); i += 3 {
		list = append(list, attribute{fields[i], fields[i+1], fields[i+2]})
	}
	return list, nil
}

// fault says what is wrong with an attribute of a changed file, "" for nothing. "text" in any form only turns CRLF into LF when files are added,
// and "eol=lf" leaves a checkout alone, so both may stand; so may a driver that says how a difference is shown, such as diff=css.
func (a attribute) fault() string {
	harmless := []string{"unspecified", "unset"}
	effect := "makes a checkout hold other bytes than were judged"
	switch a.name {
	case "text":
		harmless = append(harmless, "set", "auto")
	case "crlf":
		harmless = append(harmless, "set", "input")
	case "eol":
		harmless = append(harmless, "lf")
	case "diff":
		effect = "hides the change from those who review it"
		if a.value != "unset" {
			return ""
		}
		harmless = nil
	case "binary", "linguist-generated", "linguist-vendored":
		effect = "hides the change from those who review it"
		harmless = append(harmless, "false")
	}
	if slices.Contains(harmless, a.value) {
		return ""
	}
	return fmt.Sprintf("the attribute %s=%q %s", a.name, excerpt(a.value), effect)
}

// maxAttributeLine is the length of a line, in bytes, from which git ignores it, though not every version does.
const maxAttributeLine = 2048

// attributesFault says what in the text of a .gitattributes file is read in more than one way, "" for nothing. A checkout skips a byte order mark
// that "check-attr --cached" takes for part of the first pattern, and ends at a NUL where the other one goes on.
func attributesFault(text []byte) string {
	switch {
	case bytes.IndexByte(text, 0) >= 0:
		return "the file holds a NUL byte, behind which git reads on in a checkout only"
	case bytes.HasPrefix(text, []byte("\uFEFF")):
		return "the file begins with a byte order mark, which git skips in a checkout only"
	case !utf8.Valid(text):
		return "the file is not UTF-8"
	}
	for line := range bytes.Lines(text) {
		if len(line) >= maxAttributeLine {
			return fmt.Sprintf("the file has a line of %d bytes or more, which some versions of git skip", maxAttributeLine)
		}
	}
	return ""
}

// attributes refuses attributes that make the deployed bytes differ from the judged ones or that hide the change, and files of attributes that are
// not read alike everywhere.
func (c *check) attributes(ctx context.Context, files []*File) error {
	asked, texts := map[string]bool{}, map[string]string{}
	for _, f := range files {
		if !insideTree(f.Path) {
			continue
		}
		for at := f.Path; at != ""; {
			at = folderOf(at)
			has, err := c.attributesIn(at, texts)
			if err != nil {
				return err
			}
			asked[f.Path] = asked[f.Path] || has
		}
	}
	maps.DeleteFunc(asked, func(_ string, has bool) bool { return !has })
	if len(asked) == 0 {
		return nil
	}
	paths := slices.Sorted(maps.Keys(asked))
	ways := []string{caseSensitive}
	if all := strings.Join(append(slices.Collect(maps.Values(texts)), paths...), ""); strings.ToLower(all) != all {
		ways = append(ways, ignoringCase)
	}
	for _, letters := range ways {
		list, err := readAttributes(ctx, c.folder, letters, paths)
		if err != nil {
			return err
		}
		for _, a := range list {
			if message := a.fault(); message != "" {
				c.report(idTreeAttributes, a.path, message)
			}
		}
	}
	return nil
}

// attributesIn judges what a folder of the base has of .gitattributes, in any case, and reports whether there is one. Texts are kept by path.
func (c *check) attributesIn(folder string, texts map[string]string) (bool, error) {
	want := strings.TrimPrefix(folder+"/.gitattributes", "/")
	names, err := c.base.names(want)
	if err != nil {
		return false, err
	}
	for _, name := range names {
		if _, known := texts[name]; known {
			continue
		}
		entry, _, err := c.base.lookup(name)
		if err != nil {
			return false, err
		}
		texts[name] = ""
		if name != want || entry.Mode != scratch.ModeFile && entry.Mode != scratch.ModeExec {
			c.report(idTreeAttributes, name, "want .gitattributes in this spelling and as a plain file: some systems read this one, others do not")
			continue
		}
		text, err := c.base.blob(entry.ID)
		if errors.Is(err, errTooMuch) {
			c.report(idTreeAttributes, name, "the file is too large to be read")
			continue
		}
		if err != nil {
			return false, err
		}
		if message := attributesFault(text); message != "" {
			c.report(idTreeAttributes, name, message)
		}
		texts[name] = string(text)
	}
	return len(names) > 0, nil
}

// insideTree reports whether a path can be one of a tree: git gives no answer about others, and they are refused as paths.
func insideTree(path string) bool {
	for part := range strings.SplitSeq(path, "/") {
		if part == "" || part == "." || part == ".." || strings.ContainsRune(part, 0) {
			return false
		}
	}
	return true
}
