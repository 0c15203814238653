package source

import (
	"bytes"
	"reflect"

	"github.com/tdewolff/parse/v2/js"
)

// walker goes through one normal form in the order of its text and notes the facts.
type walker struct {
	code    []byte
	form    form
	eval    *evaluator
	imports map[string]bool   // local names of imports: the parser does not declare them
	doubt   map[string]bool   // names of functions declared in blocks: the parser lets them out of the block, strict code does not
	origin  map[string]string // of imports, by local name: "module name"
	members map[string]bool   // names of members that the file defines
	probed  map[string][]int  // uses that are only compared with, by the method that compares
	callee  js.IExpr          // what is called where it stands, or only asked for: not passed on
	anyTag  bool              // an element is made whose tag is not known
	uses    []place
	offset  int // where in code the walk is
	named   int // where the last name was found
	class   int // how many classes are around
}

func newWalker(code []byte, f form, tree *js.AST, numbers map[string]bool) *walker {
	w := &walker{code: code, form: f, eval: newEvaluator(tree, numbers), imports: map[string]bool{}, origin: map[string]string{}, members: map[string]bool{}, probed: map[string][]int{}, named: -1}
	w.doubt = w.eval.vars.doubt
	for _, s := range tree.List {
		if i, ok := s.(*js.ImportStmt); ok {
			for _, a := range i.List {
				w.imports[string(a.Binding)] = true
				name := a.Name
				if name == nil {
					name = a.Binding
				}
				w.origin[string(a.Binding)] = unquote(i.Module) + " " + exportName(name)
			}
			w.imports[string(i.Default)] = true
			w.origin[string(i.Default)] = unquote(i.Module) + " default"
		}
	}
	return w
}

func (w *walker) program(tree *js.AST) {
	w.prologue(tree.List)
	w.statements(tree.List)
	w.ownProbes()
	w.possibleTags()
	if w.eval.exhausted() {
		w.note(Syntax, "too much to work out")
	}
}

func (w *walker) count() (map[Fact]int, []Fact) {
	n := map[Fact]int{}
	var distinct []Fact
	for _, u := range w.uses {
		if n[u.Fact] == 0 {
			distinct = append(distinct, u.Fact)
		}
		n[u.Fact]++
	}
	return n, distinct
}

// onlyPlain are the kinds that folding would change: it inlines, renames and drops.
var onlyPlain = [...]bool{Key: true, Import: true, Name: true, Directive: true, Export: true, This: true, Timer: true, Foreign: true, Text: true, Probe: true, Child: true, Pattern: true, Prologue: true, Given: true}

func (w *walker) note(k Kind, name string) {
	if w.form == folded && int(k) < len(onlyPlain) && onlyPlain[k] {
		return
	}
	w.uses = append(w.uses, place{Fact{k, name}, w.offset})
}

// at moves to a part of the code that the parser handed out.
func (w *walker) at(part []byte) {
	if len(part) == 0 {
		return
	}
	// The tree has no positions, but its texts are slices of the code. Only the distance is used.
	d := reflect.ValueOf(part).Pointer() - reflect.ValueOf(w.code).Pointer()
	if d < uintptr(len(w.code)) {
		w.offset = int(d)
	}
}

// nameWindow is how far ahead a name is looked for: all its uses share one node, which knows the place of the first only.
const nameWindow = 512

func (w *walker) atName(name []byte) {
	end := min(len(w.code), w.offset+nameWindow)
	from := w.offset
	if from == w.named { // the use before this one
		from++
	}
	for from < end {
		i := bytes.Index(w.code[from:end], name)
		if i < 0 {
			return
		}
		at := from + i
		after := at + len(name)
		if (at == 0 || !wordByte(w.code[at-1])) && (after >= len(w.code) || !wordByte(w.code[after])) {
			w.offset, w.named = at, at
			return
		}
		from = at + 1
	}
}

// foreign notes an identifier with letters outside ASCII: they can look like others.
func (w *walker) foreign(name string) {
	for i := range len(name) {
		if name[i] >= 0x80 {
			w.note(Foreign, name)
			return
		}
	}
}
