package source

import "github.com/tdewolff/parse/v2/js"

// makers are functions of the language that give back the same for the same arguments.
var makers = map[string]bool{
	"String": true, "Number": true, "Boolean": true, "BigInt": true, "parseInt": true, "parseFloat": true, "JSON": true, "atob": true, "btoa": true,
	"decodeURIComponent": true, "decodeURI": true, "unescape": true, "encodeURIComponent": true, "encodeURI": true, "escape": true,
	"Array": true, "URLSearchParams": true, "URL": true, "RegExp": true, "Uint8Array": true, "TextDecoder": true, "TextEncoder": true, "Map": true,
}

// constant reports whether an expression is made of nothing but what stands in the file: its value is fixed before the program
// runs, whether it can be worked out or not. Functions of several statements are not looked into.
func (e *evaluator) constant(x js.IExpr) bool {
	e.steps++
	if e.depth > maxEval || e.steps > maxSteps {
		return false
	}
	if known, ok := e.fixed[x]; ok {
		return known
	}
	if len(e.given) > 0 { // in a function, its parameters count as fixed
		e.depth++
		defer func() { e.depth-- }()
		return e.fixedExpr(x)
	}
	e.fixed[x] = false // what is made of itself
	e.depth++
	out := e.fixedExpr(x)
	e.depth--
	if e.depth < maxEval {
		e.fixed[x] = out
	}
	return out
}

func (e *evaluator) fixedExpr(x js.IExpr) bool {
	switch x := x.(type) {
	case *js.LiteralExpr:
		return x.TokenType != js.ThisToken && x.TokenType != js.SuperToken && x.TokenType != js.ImportToken
	case *js.GroupExpr:
		return e.constant(x.X)
	case *js.Var:
		return e.fixedName(x)
	case *js.TemplateExpr:
		for _, p := range x.List {
			if !e.constant(p.Expr) {
				return false
			}
		}
		return x.Tag == nil || isRaw(x.Tag)
	case *js.BinaryExpr:
		return e.constant(x.X) && e.constant(x.Y)
	case *js.UnaryExpr:
		return e.constant(x.X)
	case *js.CondExpr:
		return e.constant(x.Cond) && e.constant(x.X) && e.constant(x.Y)
	case *js.ArrayExpr:
		for _, el := range x.List {
			if el.Value != nil && !e.constant(el.Value) {
				return false
			}
		}
		return true
	case *js.ObjectExpr:
		for _, p := range x.List {
			if p.Name != nil && p.Name.IsComputed() || !e.constant(p.Value) {
				return false
			}
		}
		return true
	case *js.DotExpr:
		return e.constant(x.X)
	case *js.IndexExpr:
		return e.constant(x.X) && e.constant(x.Y)
	case *js.CallExpr:
		return e.constant(x.X) && e.fixedArgs(x.Args)
	case *js.NewExpr:
		return e.constant(x.X) && (x.Args == nil || e.fixedArgs(*x.Args))
	case *js.ArrowFunc:
		return e.fixedFunction(functionOf(x.Params, x.Body))
	case *js.FuncDecl:
		return e.fixedFunction(functionOf(x.Params, x.Body))
	}
	return false
}

func (e *evaluator) fixedArgs(args js.Args) bool {
	for _, a := range args.List {
		if !e.constant(a.Value) {
			return false
		}
	}
	return true
}

// fixedFunction reports whether f makes its result of nothing but its parameters and what stands in the file.
func (e *evaluator) fixedFunction(f *function) bool {
	if f == nil {
		return false
	}
	for _, p := range f.params {
		v, ok := p.Binding.(*js.Var)
		if !ok || v == nil || p.Default != nil {
			return false
		}
		if v = root(v); !e.given[v] {
			e.given[v] = true
			defer delete(e.given, v)
		}
	}
	return e.constant(f.result)
}

func (e *evaluator) fixedName(v *js.Var) bool {
	v = root(v)
	if e.given[v] {
		return true
	}
	if f := e.vars.fns[v]; f != nil {
		return e.fixedFunction(f)
	}
	b := e.vars.of[v]
	switch {
	case v.Decl == js.NoDecl:
		return makers[string(v.Data)] || string(v.Data) == "undefined"
	case b == nil || b.changed || len(b.fields) > 0 || v.Decl == js.ArgumentDecl || v.Decl == js.CatchDecl:
		return false
	}
	for _, o := range b.origins {
		if !e.constant(o.expr) {
			return false
		}
	}
	for _, g := range b.growth {
		if !e.constant(g.expr) {
			return false
		}
	}
	return true
}
