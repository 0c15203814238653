package checker

import (
	"bytes"
	"errors"
	"maps"
	"slices"
	"strings"

	"selffix/internal/scratch"
)

// files lists every file that any reader sees, in the order of the patch, with base and result as far as they are known.
func (c *check) files(r readings) ([]*File, error) {
	byPath := map[string]*File{}
	var list []*File
	add := func(path string) *File {
		if byPath[path] == nil {
			byPath[path] = &File{Path: path}
			list = append(list, byPath[path])
		}
		return byPath[path]
	}
	for _, t := range r.text.files {
		if t.path == "" {
			continue // no name could be read, which is a finding already
		}
		f := add(t.path)
		f.addText(t)
		if t.moved {
			add(t.from)
		}
	}
	truth := r.truth()
	for _, effects := range []map[string]effect{truth.effects, r.diff.effects} {
		for _, path := range slices.Sorted(maps.Keys(effects)) {
			add(path)
		}
	}
	for _, f := range list {
		if err := c.fill(f, truth); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// addText takes over which lines the patch adds and removes; their text is filled in from the result.
func (f *File) addText(t *textFile) {
	for _, h := range t.hunks {
		number := h.newPos
		for _, l := range h.lines {
			if l.op != '-' {
				number++
			}
			switch l.op {
			case '+':
				f.Added = append(f.Added, Line{Number: number, Text: lineText(l.text)})
			case '-':
				f.Removed++
			}
		}
	}
}

// fill reads base and result of a file. Added lines become the result's own: a marker in the middle of a hunk joins two lines of the
// patch into one that no line of the patch shows.
func (c *check) fill(f *File, truth reading) error {
	entry, ok, err := c.base.lookup(f.Path)
	if err != nil {
		return err
	}
	f.New = !ok
	if ok && entry.Mode != scratch.ModeTree && entry.Mode != scratch.ModeGitlink {
		f.Base, err = c.base.blob(entry.ID)
		if errors.Is(err, errTooMuch) {
			c.tooMuch, f.unread = true, true
			return nil
		}
		if err != nil {
			return err
		}
	}
	e, ok := truth.effects[f.Path]
	if !ok {
		return nil
	}
	f.Deleted = e.deleted
	if e.deleted {
		return nil
	}
	if f.Result, err = c.data(e); errors.Is(err, errTooMuch) {
		c.tooMuch, f.unread = true, true
		return nil
	}
	if err != nil {
		return err
	}
	lines := bytes.SplitAfter(f.Result, []byte{'\n'})
	if len(f.Added) == 0 && e.added > 0 {
		f.Added = unknownLines(f.Base, lines)
	}
	for i := range f.Added {
		if n := f.Added[i].Number; n >= 1 && n <= len(lines) {
			f.Added[i].Text = lineText(lines[n-1])
		}
	}
	return nil
}

// unknownLines are the lines of a result that the base does not hold, for a file whose hunks only git could read.
func unknownLines(base []byte, lines [][]byte) []Line {
	known := map[string]bool{}
	for l := range bytes.Lines(base) {
		known[lineText(l)] = true
	}
	var list []Line
	for i, l := range lines {
		if text := lineText(l); text != "" && !known[text] {
			list = append(list, Line{Number: i + 1, Text: text})
		}
	}
	return list
}

// lineText is a line without its line ending.
func lineText(l []byte) string {
	return strings.TrimSuffix(strings.TrimSuffix(string(l), "\n"), "\r")
}
