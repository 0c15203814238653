package source

import (
	"slices"
	"strings"

	"github.com/tdewolff/parse/v2/js"
)

// key notes what a computed key may be. A plain name of unknown value notes nothing: object[id] is what most
// code does, and where the name's value is put together in the file, the evaluator says so with two holes.
func (w *walker) key(x js.IExpr) {
	for _, s := range w.shapes(x) {
		if strings.Contains(s, Hole) {
			w.note(Key, s)
			continue
		}
		w.note(Index, s)
	}
}

// shapes are the texts that a key may have, without those that are numbers or plain names.
func (w *walker) shapes(x js.IExpr) []string {
	switch y := strip(x).(type) {
	case *js.CondExpr:
		return append(w.shapes(y.X), w.shapes(y.Y)...)
	case *js.CommaExpr, *js.YieldExpr, *js.ObjectExpr, *js.FuncDecl, *js.ArrowFunc, *js.ClassDecl, *js.NewExpr:
		return []string{Hole}
	case *js.UnaryExpr:
		if y.Op == js.AwaitToken {
			return w.shapes(y.X)
		}
		return nil
	case *js.BinaryExpr:
		return w.sumShapes(y)
	case *js.TemplateExpr:
		return w.literalShapes(y)
	case *js.CallExpr:
		if w.plainCall(y) {
			return put(w.literalShapes(y))
		}
		return w.literalShapes(y)
	}
	return put(w.literalShapes(x))
}

// put are the texts that are known or put together: one hole alone is a value like any other.
func put(shapes []string) []string {
	return slices.DeleteFunc(slices.Clone(shapes), func(s string) bool { return s == Hole })
}

func (w *walker) sumShapes(x *js.BinaryExpr) []string {
	switch x.Op {
	case js.AddToken:
		return w.literalShapes(x)
	case js.OrToken, js.AndToken, js.NullishToken:
		return append(w.shapes(x.X), w.shapes(x.Y)...)
	case js.EqToken, js.OrEqToken, js.NullishEqToken, js.AndEqToken:
		return w.shapes(x.Y)
	case js.AddEqToken:
		return []string{Hole}
	}
	return nil // arithmetic and comparisons
}

// literalShapes are the texts of an expression. One hole alone, `${id}`, is a plain name.
func (w *walker) literalShapes(x js.IExpr) []string {
	v := w.eval.of(x)
	if v.isNumber() || v.sort == nothing {
		return nil
	}
	t, isTemplate := strip(x).(*js.TemplateExpr)
	if isTemplate && t.Tag == nil && len(v.strings()) == 1 && v.strings()[0] == Hole && len(t.List) == 1 {
		return w.shapes(t.List[0].Expr)
	}
	return v.strings()
}

// builders are functions that put texts together: a key that one of them gives back may be any name.
var builders = map[string]bool{
	"join": true, "concat": true, "replace": true, "replaceAll": true, "fromCharCode": true, "fromCodePoint": true, "raw": true,
	"atob": true, "btoa": true, "decodeURIComponent": true, "decodeURI": true, "unescape": true, "reduce": true, "reduceRight": true,
	"decode": true, "parse": true, "bind": true, "call": true, "apply": true, "repeat": true, "padStart": true, "padEnd": true,
}

// plainCall reports whether a call only picks or changes the form of something that the program was given: rows[keyOf(item)],
// labels[code.toLowerCase()].
func (w *walker) plainCall(c *js.CallExpr) bool {
	given := false
	switch f := strip(c.X).(type) {
	case *js.Var:
		if builders[string(f.Name())] {
			return false
		}
	case *js.DotExpr:
		if builders[dotName(f)] {
			return false
		}
		given = w.isGiven(f.X)
	default:
		return false
	}
	for _, a := range c.Args.List {
		v := w.eval.of(a.Value)
		if p, ok := strip(a.Value).(*js.Var); ok && root(p).Decl == js.ArgumentDecl {
			given = true
			continue
		}
		if v.sort == text {
			for _, s := range v.texts {
				if len(strings.Trim(s, Hole)) > 2 {
					return false
				}
			}
		}
		given = given || w.isGiven(a.Value)
	}
	return given
}

// isGiven reports whether a value may be any that the program was given.
func (w *walker) isGiven(x js.IExpr) bool {
	v := w.eval.of(x)
	return v.sort == unknown && !w.eval.constant(x) || v.sort == text && slices.Contains(v.texts, Hole)
}
