package checker

import (
	"bytes"
	"errors"
	"fmt"
	"os"

	"github.com/bluekeyes/go-gitdiff/gitdiff"

	"selffix/internal/scratch"
)

// errNoFiles says that go-gitdiff found no file in a patch; it does so without an error of its own.
var errNoFiles = errors.New("no file change")

// readGitdiff is go-gitdiff's reading of a patch.
func readGitdiff(patch []byte) (edits []edit, err error) {
	defer func() {
		if p := recover(); p != nil {
			edits, err = nil, fmt.Errorf("panic: %v", p) // go-gitdiff had panics on malformed input (its issues 28 and 29)
		}
	}()
	files, _, err := gitdiff.Parse(bytes.NewReader(patch))
	if err != nil {
		return nil, err
	}
	if len(files) == 0 {
		return nil, errNoFiles
	}
	for _, f := range files {
		edits = append(edits, gitdiffEdit(f))
	}
	return edits, nil
}

// gitdiffEdit takes over one file as go-gitdiff read it.
func gitdiffEdit(f *gitdiff.File) edit {
	e := edit{path: f.NewName, from: f.OldName, deleted: f.IsDelete, moved: f.IsRename, mode: gitdiffMode(f.NewMode)}
	if f.IsNew {
		e.from = ""
	}
	if f.IsDelete {
		e.path = f.OldName
	}
	for _, h := range f.TextFragments {
		e.added += int(h.LinesAdded)
		e.removed += int(h.LinesDeleted)
	}
	e.apply = func(src []byte) (out []byte, err error) {
		defer func() {
			if p := recover(); p != nil {
				out, err = nil, fmt.Errorf("panic: %v", p)
			}
		}()
		var b bytes.Buffer
		err = gitdiff.Apply(&b, bytes.NewReader(src), f)
		return b.Bytes(), err
	}
	return e
}

// gitdiffMode writes a mode as git does; "" when the patch named none.
func gitdiffMode(m os.FileMode) string {
	switch {
	case m == 0:
		return ""
	case m&0o170000 == 0o160000:
		return scratch.ModeGitlink
	case m&0o170000 == 0o120000:
		return scratch.ModeLink
	case m&0o111 != 0:
		return scratch.ModeExec
	}
	return scratch.ModeFile
}
