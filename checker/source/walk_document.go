package source

import (
	"strings"

	"github.com/tdewolff/parse/v2/js"
)

// followed walks a value that is only asked for, or that goes where its path is known: const root = box ?? document. Anywhere else
// the document itself is a value under a name that nothing follows.
func (w *walker) followed(x js.IExpr) {
	switch y := strip(x).(type) {
	case *js.CondExpr:
		w.followed(y.Cond)
		w.followed(y.X)
		w.followed(y.Y)
		return
	case *js.BinaryExpr:
		if y.Op == js.OrToken || y.Op == js.NullishToken || y.Op == js.AndToken {
			w.followed(y.X)
			w.followed(y.Y)
			return
		}
	}
	if x != nil && w.judged(x) == "document" {
		w.atName([]byte("document"))
		return
	}
	w.expr(x)
}

// leavesDocument reports whether a call may be given the document: one of another module, as createPortal and fireEvent.keyDown, or a
// method that looks at it. React keeps what it is given (useRef, useMemo), and so may the file's own functions.
func (w *walker) leavesDocument(f js.IExpr) bool {
	switch y := strip(f).(type) {
	case *js.Var:
		origin := w.originOf(y)
		return origin != "" && !strings.HasPrefix(origin, "react ")
	case *js.DotExpr:
		switch dotName(y) {
		case "observe", "contains":
			return !w.members[dotName(y)]
		}
		v, ok := strip(y.X).(*js.Var)
		return ok && w.leavesDocument(v)
	}
	return false
}

// maxPath bounds how far the origin of a name is followed.
const maxPath = 8

// path is how x is reached from the environment's object or the document: "process.env.REGION", "document.body"; "" for anything else.
func (w *walker) path(x js.IExpr) string { return w.pathOf(x, maxPath) }

func (w *walker) pathOf(x js.IExpr, depth int) string {
	if depth == 0 {
		return ""
	}
	switch y := strip(x).(type) {
	case *js.Var:
		if name := w.free(y); name == "process" || name == "document" {
			return name
		}
		if of := w.eval.vars.of[root(y)]; of != nil {
			for _, o := range of.origins {
				if p := w.pathOf(o.expr, depth-1); p != "" && !o.each {
					return p + dotted(o.path)
				}
			}
		}
	case *js.DotExpr:
		if dotName(y) == "ownerDocument" || w.free(y.X) == "window" && dotName(y) == "document" {
			return "document"
		}
		if p := w.pathOf(y.X, depth-1); p != "" {
			return p + "." + dotName(y)
		}
	case *js.BinaryExpr:
		if y.Op == js.OrToken || y.Op == js.NullishToken || y.Op == js.AndToken {
			if p := w.pathOf(y.X, depth-1); p != "" {
				return p
			}
			return w.pathOf(y.Y, depth-1)
		}
	case *js.CondExpr:
		if p := w.pathOf(y.X, depth-1); p != "" {
			return p
		}
		return w.pathOf(y.Y, depth-1)
	}
	return ""
}

func dotted(path []value) string {
	var b strings.Builder
	for _, key := range path {
		b.WriteByte('.')
		b.WriteString(key.strings()[0])
	}
	return b.String()
}
