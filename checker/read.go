package checker

import (
	"bytes"
	"errors"
	"fmt"

	"selffix/internal/scratch"
)

// edit is one file of a patch as one reader understands it.
type edit struct {
	path, from     string // from is "" for a new file
	mode           string // that the patch names for the result; "" when it names none
	deleted, moved bool
	added, removed int
	apply          func(src []byte) ([]byte, error)
}

// effect is what a reader makes of one path.
type effect struct {
	deleted        bool
	mode           string
	id             string // of the blob; "" when the reader could not make one
	data           []byte // nil when only the id is known
	added, removed int
}

// maxWork bounds the base files that one check reads, and the bytes that one reader goes through: a small patch can change one large file a
// thousand times over.
const maxWork = 64 << 20

// errTooMuch says that maxWork was reached. Other rules refuse such a patch: too many lines, too large a file, a file twice.
var errTooMuch = fmt.Errorf("more than %d bytes of files to read", maxWork)

// errTooLarge says that one file is too large to be read at all. The rule on the size of a file refuses it.
var errTooLarge = fmt.Errorf("%w: a file of more than %d", errTooMuch, maxBlobBytes)

// reading is what one reader makes of the patch.
type reading struct {
	ok      bool // the reader read the whole patch and applied it
	effects map[string]effect
}

// play carries out the edits of a reader in order, each on what the ones before it left. The error tells the path at which it stopped.
func play(base *baseTree, edits []edit) (reading, string, error) {
	r := reading{effects: map[string]effect{}}
	work := 0
	for _, e := range edits {
		n, err := r.play(base, e)
		if err != nil {
			return r, e.path, err
		}
		if work += n; work > maxWork {
			return r, e.path, errTooMuch
		}
	}
	r.ok = true
	return r, "", nil
}

// play carries out one edit and returns how many bytes it went through.
func (r reading) play(base *baseTree, e edit) (int, error) {
	var src effect
	if e.from != "" {
		var err error
		if src, err = r.before(base, e.from); err != nil {
			return 0, err
		}
	}
	out := effect{mode: e.mode, added: e.added, removed: e.removed}
	if old, ok := r.effects[e.path]; ok {
		out.added += old.added
		out.removed += old.removed
	}
	if e.deleted {
		out.deleted = true
		r.effects[e.path] = out
		return 0, nil
	}
	if out.mode == "" {
		out.mode = or(src.mode, scratch.ModeFile)
	}
	data, err := e.apply(src.data)
	if err != nil {
		return 0, err
	}
	out.data = data
	out.id = blobID(out.mode, data)
	if e.moved && e.from != e.path {
		r.effects[e.from] = effect{deleted: true}
	}
	r.effects[e.path] = out
	return len(src.data) + len(data), nil
}

// before is the state of a path that an edit starts from.
func (r reading) before(base *baseTree, path string) (effect, error) {
	if e, ok := r.effects[path]; ok {
		if e.deleted {
			return effect{}, errors.New("the file is gone before this change")
		}
		return e, nil
	}
	entry, ok, err := base.lookup(path)
	if err != nil {
		return effect{}, err
	}
	if !ok || entry.Mode == scratch.ModeTree {
		return effect{}, errors.New("the base has no such file")
	}
	data, err := base.content(entry)
	return effect{mode: entry.Mode, id: entry.ID, data: data}, err
}

// gitlinkText is how a patch writes the commit that a submodule stands at.
const gitlinkText = "Subproject commit "

// blobID is the id that the index holds for a content under a mode.
func blobID(mode string, data []byte) string {
	if mode == scratch.ModeGitlink {
		return string(bytes.TrimSuffix(bytes.TrimPrefix(data, []byte(gitlinkText)), []byte{'\n'}))
	}
	return scratch.HashObject("blob", data)
}

// edits is the grammar's own reading.
func (s *scan) edits() []edit {
	var list []edit
	for _, f := range s.files {
		e := edit{path: f.path, from: f.from, mode: f.mode, deleted: f.deleted, moved: f.moved}
		for _, h := range f.hunks {
			e.added += h.added
			e.removed += h.removed
		}
		e.apply = f.apply
		list = append(list, e)
	}
	return list
}

// errBinary says that the grammar does not read the contents of binary patches, which are refused.
var errBinary = errors.New("the content of a binary patch is not read")

// apply makes the new content, strictly: every old line stands exactly where the hunk says.
func (f *textFile) apply(src []byte) ([]byte, error) {
	if f.binary {
		return nil, errBinary
	}
	lines := bytes.SplitAfter(src, []byte{'\n'})
	if len(lines[len(lines)-1]) == 0 {
		lines = lines[:len(lines)-1]
	}
	out := make([]byte, 0, len(src))
	at := 0
	for _, h := range f.hunks {
		if h.oldPos < at || h.oldPos > len(lines) {
			return nil, fmt.Errorf("a hunk begins behind line %d of a file of %d lines", h.oldPos, len(lines))
		}
		if h.oldLen == h.removed && h.oldLen < len(lines) {
			return nil, errors.New("a hunk without context in a file that has other lines")
		}
		for ; at < h.oldPos; at++ {
			out = append(out, lines[at]...)
		}
		for _, l := range h.lines {
			if l.op != '+' {
				if at >= len(lines) || !bytes.Equal(lines[at], l.text) {
					return nil, fmt.Errorf("line %d of the file is not the line that the patch shows", at+1)
				}
				at++
			}
			if l.op != '-' {
				out = append(out, l.text...)
			}
		}
		if at < len(lines) && len(h.lines) > 0 && h.lines[len(h.lines)-1].op != ' ' {
			return nil, fmt.Errorf("a hunk without context at its end stops at line %d of %d: git looks for it at the end of the file", at, len(lines))
		}
	}
	for ; at < len(lines); at++ {
		out = append(out, lines[at]...)
	}
	return out, nil
}
