package checker

import (
	"embed"
	"errors"
	"fmt"
	"path"
	"strconv"
	"strings"

	"golang.org/x/tools/txtar"
)

//go:embed rule_*.txtar
var exampleFiles embed.FS

// ErrExample marks an example file that cannot be read.
var ErrExample = errors.New("bad example file")

// Examples reads the examples of a rule from the file beside it. The sections of that file are
//
//	accept/NAME.patch, refuse/NAME.patch     a patch as it stands
//	accept/NAME.quoted, refuse/NAME.quoted   a patch as a Go string literal, for bytes that no text file holds
//	accept/NAME.ts, .tsx, .css (and refuse/) the text of a new file packages/core/src/example.EXT
//	accept/NAME*N.ts (and the like)          the same, with the text N times
//	accept/NAME/PATH (and refuse/)           the text of a new file PATH
//	base/PATH                                a file of the base, for all examples of the rule
//
// Every example applies to the small base repository of testdata/patches, under the seed's policy.
func Examples(r Rule) (accepts, refuses []Example, err error) {
	text, err := exampleFiles.ReadFile(r.File + ".txtar")
	if err != nil {
		return nil, nil, fmt.Errorf("%w: rule %s: %w", ErrExample, r.ID, err)
	}
	archive := txtar.Parse(text)
	base := map[string]string{}
	for _, f := range archive.Files {
		if p, ok := strings.CutPrefix(f.Name, "base/"); ok {
			base[p] = string(f.Data)
		}
	}
	for _, f := range archive.Files {
		kind, name, _ := strings.Cut(f.Name, "/")
		if kind == "base" {
			continue
		}
		e := Example{Base: base}
		if e.Name, e.Patch, err = examplePatch(name, string(f.Data)); err != nil {
			return nil, nil, fmt.Errorf("%w: rule %s: section %s: %w", ErrExample, r.ID, f.Name, err)
		}
		switch kind {
		case "accept":
			accepts = append(accepts, e)
		case "refuse":
			refuses = append(refuses, e)
		default:
			return nil, nil, fmt.Errorf("%w: rule %s: section %s: want accept/, refuse/ or base/", ErrExample, r.ID, f.Name)
		}
	}
	return accepts, refuses, nil
}

// examplePatch turns one section into a named patch.
func examplePatch(name, data string) (string, string, error) {
	if short, p, ok := strings.Cut(name, "/"); ok {
		return short, newFilePatch(p, data), nil
	}
	ext := path.Ext(name)
	short := strings.TrimSuffix(name, ext)
	switch ext {
	case ".patch":
		return short, data, nil
	case ".quoted":
		text, err := strconv.Unquote(strings.TrimSpace(data))
		return short, text, err
	case ".ts", ".tsx", ".css":
		short, data, err := repeated(short, data)
		if err != nil {
			return "", "", err
		}
		return short, newFilePatch("packages/core/src/example"+ext, data), nil
	}
	return "", "", fmt.Errorf("unknown ending %q", ext)
}

// repeated takes the count off a name such as "long*200" and repeats the text, so that examples of size stay small.
func repeated(name, data string) (string, string, error) {
	short, count, ok := strings.Cut(name, "*")
	if !ok {
		return name, data, nil
	}
	n, err := strconv.Atoi(count)
	if err != nil || n < 1 || n > 1000 {
		return "", "", fmt.Errorf("want a count from 1 to 1000 after the star, got %q", count)
	}
	return short, strings.Repeat(data, n), nil
}

// newFilePatch is the patch that adds a file, as git writes it.
func newFilePatch(p, data string) string {
	var b strings.Builder
	tab := ""
	if strings.Contains(p, " ") {
		tab = "\t" // git ends such names so in the ---/+++ lines
	}
	lines := strings.SplitAfter(strings.TrimSuffix(data, "\n")+"\n", "\n")
	lines = lines[:len(lines)-1]
	count := ""
	if len(lines) != 1 {
		count = fmt.Sprintf(",%d", len(lines))
	}
	fmt.Fprintf(&b, "diff --git a/%[1]s b/%[1]s\nnew file mode 100644\n--- /dev/null\n+++ b/%[1]s%[2]s\n@@ -0,0 +1%[3]s @@\n", p, tab, count)
	for _, l := range lines {
		b.WriteString("+" + l)
	}
	return b.String()
}
