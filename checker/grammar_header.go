package checker

import (
	"bytes"
	"strings"

	"selffix/internal/lazyregexp"
)

// header is what the lines before the first hunk say.
type header struct {
	at         int
	oldP, newP string // of the "diff --git" line, without prefixes
	exact      bool   // the "diff --git" line has the one allowed form
	minus      string // of the --- line; devNull, or without prefix
	plus       string // of the +++ line
	hasMinus   bool
	hasPlus    bool
	newMode    string
	isNew      bool
	deleted    bool
	binary     bool
	op         bool // a line named an operation that has a rule of its own
	moveFrom   string
	moveTo     string
	copyFrom   string
	copyTo     string
	stage      int // of the fixed order: 0 first line, 1 new file mode, 2 index, 3 ---, 4 +++
}

// devNull stands for the absent side. No path reads so: paths have lost their prefix.
const devNull = "/dev/null"

var indexLine = lazyregexp.New(`^index ([0-9a-f]{4,40})\.\.([0-9a-f]{4,40})(?: ([0-7]{6}))?$`)

// modeForm is how git writes a mode.
var modeForm = lazyregexp.New(`^[0-7]{6}$`)

// header reads from "diff --git" up to the first hunk.
func (s *scan) header() *header {
	h := &header{at: s.pos}
	line := s.next()
	h.oldP, h.newP, h.exact = gitLineNames(line[len("diff --git "):])
	if hasControl(line) {
		h.exact = false
	}
	for s.pos < len(s.text) && !s.at("diff --git ") && !s.at("@@ ") && !h.binary {
		if h.hasPlus {
			break
		}
		s.headerLine(h)
	}
	return h
}

// headerLine reads one extended header line, or the --- or +++ line.
func (s *scan) headerLine(h *header) {
	at := s.pos
	line := string(s.next())
	word, value := splitHeader(line)
	switch word {
	case "new file mode ":
		s.order(h, at, 1)
		h.isNew = true
		s.mode(h, at, value)
	case "new mode ":
		s.mode(h, at, value)
		s.operation(h, idOpMode, at, "a line that changes a file's mode")
	case "old mode ":
		s.operation(h, idOpMode, at, "a line that changes a file's mode")
	case "deleted file mode ":
		h.deleted = true
		s.operation(h, idOpDelete, at, "a deleted file")
	case "rename from ", "rename old ":
		h.moveFrom = unquoteOr(value)
		s.operation(h, idOpRename, at, "a renamed file")
	case "rename to ", "rename new ":
		h.moveTo = unquoteOr(value)
		s.operation(h, idOpRename, at, "a renamed file")
	case "copy from ":
		h.copyFrom = unquoteOr(value)
		s.operation(h, idOpCopy, at, "a copied file")
	case "copy to ":
		h.copyTo = unquoteOr(value)
		s.operation(h, idOpCopy, at, "a copied file")
	case "index ":
		s.index(h, at, line)
	case binaryPatch:
		h.binary, h.op = true, true // the bytes gate has reported it
	case "Binary files ":
		h.binary = true
		s.operation(h, idOpBinary, at, "a binary file")
	case "--- ":
		s.order(h, at, 3)
		h.minus, h.hasMinus = s.side(at, value, "a/"), true
	case "+++ ":
		s.order(h, at, 4)
		h.plus, h.hasPlus = s.side(at, value, "b/"), true
	case "similarity index ":
		if h.op {
			return // part of a rename or copy, which is refused as such
		}
		if s.at("rename ") || s.at("copy ") {
			return
		}
		s.fault(idParseHeader, at, h.newP, "a similarity line without a rename or copy")
	default:
		s.fault(idParseHeader, at, h.newP, "want \"new file mode 100644\", an index line or \"--- \" in the header of a file")
	}
}

// splitHeader cuts a header line into the words that name it and the rest.
func splitHeader(line string) (word, value string) {
	for _, w := range []string{
		"new file mode ", "new mode ", "old mode ", "deleted file mode ", "rename from ", "rename to ", "rename old ", "rename new ",
		"copy from ", "copy to ", "index ", binaryPatch, "Binary files ", "--- ", "+++ ", "similarity index ",
	} {
		if rest, ok := strings.CutPrefix(line, w); ok {
			return w, rest
		}
	}
	return "", line
}

// order holds the header lines to their fixed order, each once: git takes the last of two, other readers the first.
func (s *scan) order(h *header, at, stage int) {
	if stage <= h.stage {
		s.fault(idParseHeader, at, h.newP, "a header line out of its order, or there twice")
	}
	h.stage = max(h.stage, stage)
}

// mode judges the mode that a line gives to the result.
func (s *scan) mode(h *header, at int, mode string) {
	if h.newMode == "" || modeRule(mode) != "" {
		h.newMode = mode
	}
	if !modeForm.MatchString(mode) {
		s.fault(idGitVersions, at, h.newP, "a mode that is not six octal digits: git 2.39 reads \"0\" as a plain file, later versions as a submodule")
	}
	if rule := modeRule(mode); rule != "" {
		s.operation(h, rule, at, "want mode 100644")
	}
}

// modeRule is the rule that a mode other than 100644 breaks.
func modeRule(mode string) RuleID {
	switch mode {
	case "100644":
		return ""
	case "120000":
		return idOpSymlink
	case "160000":
		return idOpGitlink
	}
	return idOpMode
}

// operation reports a line of an operation that is never allowed.
func (s *scan) operation(h *header, rule RuleID, at int, message string) {
	h.op = true
	s.fault(rule, at, h.newP, message)
}

// index judges an index line. Its mode must not lie: git only warns about it.
func (s *scan) index(h *header, at int, line string) {
	s.order(h, at, 2)
	m := indexLine.FindStringSubmatch(line)
	if m == nil {
		s.fault(idParseHeader, at, h.newP, "want \"index X..X\" with two hexadecimal ids and at most the mode 100644")
		return
	}
	oldID, newID, mode := m[1], m[2], m[3]
	switch {
	case mode != "" && modeRule(mode) != "":
		s.operation(h, modeRule(mode), at, "want mode 100644 in the index line")
	case h.op: // refused already; its index line has forms of its own
	case h.isNew && (!zeroID(oldID) || zeroID(newID) || mode != ""):
		s.fault(idParseHeader, at, h.newP, "want \"index 0000000..X\" without a mode in a new file")
	case !h.isNew && (zeroID(oldID) || zeroID(newID) || mode == ""):
		s.fault(idParseHeader, at, h.newP, "want \"index X..X 100644\" in the change of a file, and no id of zeros")
	}
}

// zeroID reports an id that stands for no file.
func zeroID(id string) bool { return strings.Trim(id, "0") == "" }

// side reads the name of a --- or +++ line.
func (s *scan) side(at int, value, prefix string) string {
	if value == devNull {
		return devNull
	}
	name, tab := strings.CutSuffix(value, "\t")
	p, ok := strings.CutPrefix(name, prefix)
	if ok && p != "" && !strings.HasPrefix(p, "/") && !hasControl([]byte(p)) && tab == strings.Contains(p, " ") {
		return p
	}
	s.fault(idParseHeader, at, "", "want "+prefix+" and the name unquoted, with a TAB behind it if and only if it holds a blank, or /dev/null")
	name, _, _ = strings.Cut(name, "\t")
	return stripFirst(unquoteOr(name))
}

// file decides what the header means.
func (h *header) file(s *scan) *textFile {
	f := &textFile{at: h.at, binary: h.binary, mode: h.newMode, path: h.newP, from: h.oldP}
	if !h.exact && h.moveFrom == "" && h.copyFrom == "" {
		s.gitLine(h)
	}
	switch {
	case h.moveFrom != "" || h.moveTo != "":
		f.from, f.path, f.moved = or(h.moveFrom, h.oldP), or(h.moveTo, h.newP), true
	case h.copyFrom != "" || h.copyTo != "":
		f.from, f.path = or(h.copyFrom, h.oldP), or(h.copyTo, h.newP)
	case h.deleted || h.hasPlus && h.plus == devNull:
		h.delete(s, f)
	case h.isNew || h.hasMinus && h.minus == devNull:
		h.create(s, f)
	case h.hasMinus && h.hasPlus:
		h.edit(s, f)
	}
	if !h.named() && !h.op {
		s.fault(idParseHeader, s.pos, f.path, "want a --- and a +++ line in the header of a file")
	}
	return f
}

// named reports whether the header has both name lines.
func (h *header) named() bool { return h.hasMinus && h.hasPlus }

// gitLine reports a first line that is not of the one form, unless the two names say that the file moved, which has a rule of its own.
func (s *scan) gitLine(h *header) {
	if h.named() && h.minus != h.plus && h.minus != devNull && h.plus != devNull {
		return
	}
	s.fault(idParseHeader, h.at, h.newP, "want \"diff --git a/P b/P\" with one unquoted name P")
}

func (h *header) delete(s *scan, f *textFile) {
	f.deleted = true
	f.path = h.oldP
	if h.hasMinus && h.minus != devNull {
		f.path = h.minus
	}
	f.from = f.path
	if !h.deleted {
		s.fault(idOpDelete, h.at, f.path, "a deleted file")
	}
}

func (h *header) create(s *scan, f *textFile) {
	f.from = ""
	if h.hasPlus {
		f.path = h.plus
	}
	if !h.isNew || h.hasMinus && h.minus != devNull {
		s.fault(idParseHeader, h.at, f.path, "want \"new file mode 100644\" and \"--- /dev/null\" together or neither")
	}
	if h.exact && f.path != h.newP {
		s.fault(idParseHeader, h.at, f.path, "want the name of the +++ line in the \"diff --git\" line")
	}
}

func (h *header) edit(s *scan, f *textFile) {
	f.from, f.path = h.minus, h.plus
	if h.minus != h.plus {
		f.moved = true
		s.fault(idOpImplicitRename, h.at, f.path, "the --- and +++ lines name two files: git deletes the first and overwrites the second")
		return
	}
	if h.exact && f.path != h.newP {
		s.fault(idParseHeader, h.at, f.path, "want the name of the --- and +++ lines in the \"diff --git\" line")
	}
}

// gitLineNames reads the two names of a "diff --git" line. exact says that they have the one allowed form.
func gitLineNames(rest []byte) (oldP, newP string, exact bool) {
	line := string(rest)
	if n := len(line); n >= 7 && n%2 == 1 {
		a, b := line[:n/2], line[n/2+1:]
		if line[n/2] == ' ' && strings.HasPrefix(a, "a/") && strings.HasPrefix(b, "b/") && a[2:] == b[2:] && a[2] != '/' && !strings.HasPrefix(a, "\"") {
			return a[2:], b[2:], true
		}
	}
	if strings.HasPrefix(line, "\"") {
		a, tail, ok := unquoteC(line)
		if b := strings.TrimPrefix(tail, " "); ok {
			return stripFirst(a), stripFirst(unquoteOr(b)), false
		}
	}
	if i := strings.Index(line, " b/"); i >= 0 {
		return stripFirst(line[:i]), line[i+3:], false
	}
	a, b, _ := strings.Cut(line, " ")
	return stripFirst(a), stripFirst(unquoteOr(b)), false
}

// stripFirst takes the first folder off a name, as -p1 does.
func stripFirst(name string) string {
	if name == devNull {
		return name
	}
	_, rest, ok := strings.Cut(name, "/")
	if !ok {
		return name
	}
	return rest
}

// hasControl reports a control character. git ends a name at a CR in its middle and edits another file.
func hasControl(line []byte) bool {
	return bytes.ContainsFunc(line, func(r rune) bool { return r < 0x20 || r == 0x7f })
}

func or(a, b string) string {
	if a == "" {
		return b
	}
	return a
}
