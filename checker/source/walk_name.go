package source

import (
	"strings"

	"github.com/tdewolff/parse/v2/js"
)

// free is the name of x, if x is a name that the file does not declare.
func (w *walker) free(x js.IExpr) string {
	v, ok := strip(x).(*js.Var)
	if !ok {
		return ""
	}
	v = root(v)
	name := string(v.Data)
	switch {
	case name == jsxCall || name == jsxFragment || w.imports[name]:
		return ""
	case v.Decl == js.NoDecl || w.doubt[name]:
		return name
	case w.form == folded && len(name) >= 4:
		// esbuild shortens every name that is bound where it is used. One that kept its length is free, whatever
		// the tree parser's scopes say. (Three letters would need 3,500 names in one scope.)
		return name
	}
	return ""
}

// judged is the name of x, if x is one of the four objects whose members are judged one by one, or window's member of that name.
func (w *walker) judged(x js.IExpr) string {
	name := w.free(x)
	if d, ok := strip(x).(*js.DotExpr); ok && w.free(d.X) == "window" {
		name = dotName(d)
	}
	switch name {
	case "window", "document", "navigator", "location":
		return name
	}
	return ""
}

// name notes a use of a name as a value.
func (w *walker) name(v *js.Var) {
	w.atName(v.Name())
	w.foreign(string(v.Name()))
	w.passed(v)
	if p := w.path(v); strings.HasPrefix(p, "process") {
		w.note(Given, "process "+p)
	}
	name := w.free(v)
	switch {
	case name == "":
	case w.judged(v) != "":
		w.note(Bare, name)
	case isTimer(name):
		w.note(Timer, name)
	default:
		w.note(Global, name)
	}
}

// opened notes const { a, b } = window as members. It reports false if this is something else.
func (w *walker) opened(b *js.BindingObject, from js.IExpr) bool {
	object := ""
	if from != nil {
		object = w.judged(from)
		if object == "" && w.path(from) == "document" {
			object = "document"
		}
	}
	if object == "" || b.Rest != nil {
		return false
	}
	for _, i := range b.List {
		name, ok := itemName(i)
		if !ok {
			return false
		}
		w.note(Member, object+"."+name)
		w.taken(name)
		if isTimer(name) {
			w.note(Timer, name)
		}
	}
	w.pattern(b)
	return true
}

func (w *walker) dot(x *js.DotExpr) {
	if private, ok := x.Y.(*js.Var); ok && strings.HasPrefix(string(private.Name()), "#") {
		w.expr(x.X)
		return
	}
	name := dotName(x)
	if object := w.judged(x.X); object != "" {
		w.atName([]byte(object))
		if isTimer(name) {
			w.note(Timer, name)
		}
		w.note(Member, object+"."+name)
		if object+"."+name == "window.document" {
			w.note(Bare, "document")
		}
	} else {
		w.partOf(x, name)
	}
	if l, ok := x.Y.(js.LiteralExpr); ok {
		w.at(l.Data)
	}
	w.foreign(name)
	w.note(Read, name)
	w.passed(x)
}

// partOf walks what a member is read of, and notes a member of the document or the environment that goes under another name.
func (w *walker) partOf(x *js.DotExpr, name string) {
	of := w.path(x.X)
	if d, ok := strip(x.X).(*js.DotExpr); ok && dotName(d) == "document" && name == "write" {
		of = "document"
	}
	switch {
	case of == "document":
		w.note(Member, "document."+name)
	case strings.HasPrefix(of, "process"):
		w.note(Given, "process "+of+"."+name)
		if _, ok := strip(x.X).(*js.Var); ok && w.free(x.X) == "" {
			return // the name is used through its member only
		}
	}
	w.expr(x.X)
}

func (w *walker) index(x *js.IndexExpr) {
	object := w.judged(x.X)
	if object == "" {
		w.expr(x.X)
		w.key(x.Y)
		w.indexPart(x.Y)
		return
	}
	w.atName([]byte(object))
	for _, s := range w.eval.of(x.Y).strings() {
		if strings.Contains(s, Hole) {
			w.note(Bare, object+"[]")
			continue
		}
		if isTimer(s) {
			w.note(Timer, s)
		}
		w.note(Member, object+"."+s)
		w.note(Index, s)
	}
	w.indexPart(x.Y)
}

// indexPart walks a key: a literal there is a name, not a text.
func (w *walker) indexPart(key js.IExpr) {
	if l, ok := strip(key).(*js.LiteralExpr); ok && l.TokenType == js.StringToken {
		return
	}
	w.expr(key)
}

// isLocation reports whether x is the address of the page.
func (w *walker) isLocation(x js.IExpr) bool {
	if w.judged(x) == "location" {
		return true
	}
	d, ok := strip(x).(*js.DotExpr)
	return ok && dotName(d) == "location" && (w.judged(d.X) != "" || w.path(d.X) == "document")
}

// target is what is assigned to: an object or array literal there is a pattern that reads.
func (w *walker) target(x js.IExpr) {
	switch y := strip(x).(type) {
	case *js.ObjectExpr:
		for _, p := range y.List {
			switch {
			case p.Spread || p.Name == nil:
			case p.Name.IsComputed():
				w.key(p.Name.Computed)
			default:
				w.at(p.Name.Literal.Data)
				w.note(Read, literalName(p.Name.Literal))
				w.taken(literalName(p.Name.Literal))
			}
			w.target(p.Value)
			w.expr(p.Init)
		}
	case *js.ArrayExpr:
		for _, e := range y.List {
			w.target(e.Value)
		}
	default:
		w.expr(x)
		if d, ok := y.(*js.DotExpr); ok {
			w.note(Write, dotName(d))
			w.members[dotName(d)] = true
		}
		if w.isLocation(y) {
			w.note(Bare, "location=")
		}
	}
}
