package source

import "github.com/tdewolff/parse/v2/js"

// member is a member of a class: what a field is given, or the function of a method.
type member struct {
	init   js.IExpr
	method bool // a method that is no getter
}

// params gives parameters their defaults.
func (b *bindings) params(p js.Params) {
	for _, e := range p.List {
		if v, ok := e.Binding.(*js.Var); ok && v != nil {
			b.direct[root(v)] = true
		}
		b.fallback(e)
		b.fallbacks(e.Binding)
	}
	b.fallbacks(p.Rest)
}

// fallbacks gives the names in a pattern their defaults.
func (b *bindings) fallbacks(to js.IBinding) {
	switch to := to.(type) {
	case *js.BindingArray:
		for _, e := range to.List {
			b.fallback(e)
			b.fallbacks(e.Binding)
		}
	case *js.BindingObject:
		for _, item := range to.List {
			b.fallback(item.Value)
			b.fallbacks(item.Value.Binding)
		}
	}
}

// given notes what map, forEach and their kind give to a function written in place: an element, and a number.
func (b *bindings) given(n *js.CallExpr) {
	f, ok := strip(n.X).(*js.DotExpr)
	if !ok || len(n.Args.List) == 0 {
		return
	}
	switch dotName(f) {
	case "map", "forEach", "filter", "some", "every", "find", "findIndex", "findLast", "flatMap":
	default:
		return
	}
	var params js.Params
	switch g := strip(n.Args.List[0].Value).(type) {
	case *js.ArrowFunc:
		params = g.Params
	case *js.FuncDecl:
		params = g.Params
	}
	if len(params.List) > 0 {
		b.bind(params.List[0].Binding, origin{expr: f.X, each: true})
	}
	if len(params.List) > 1 {
		if v, ok := params.List[1].Binding.(*js.Var); ok {
			b.indexes[root(v)] = f.X
		}
	}
}

// change notes a call that changes a list, a map or a set in place.
func (b *bindings) change(n *js.CallExpr) {
	f, ok := strip(n.X).(*js.DotExpr)
	if !ok {
		return
	}
	v, ok := strip(f.X).(*js.Var)
	if !ok {
		return
	}
	switch dotName(f) {
	case "push", "unshift", "fill", "add", "splice", "set", "append":
		for _, a := range n.Args.List {
			b.at(v).added = append(b.at(v).added, a.Value)
		}
	case "sort", "reverse", "copyWithin", "pop", "shift", "delete":
	default:
		return
	}
	b.at(v).changed = true
}

// write notes v.name = x and v[i] = x.
func (b *bindings) write(n *js.BinaryExpr) {
	switch n.Op {
	case js.EqToken, js.OrEqToken, js.NullishEqToken, js.AndEqToken, js.AddEqToken:
	default:
		return
	}
	switch x := strip(n.X).(type) {
	case *js.DotExpr:
		if isThis(x.X) {
			b.members[dotName(x)] = append(b.members[dotName(x)], member{init: n.Y})
			return
		}
		if v, ok := strip(x.X).(*js.Var); ok {
			of := b.at(v)
			if of.fields == nil {
				of.fields = map[string][]js.IExpr{}
			}
			given := n.Y
			if n.Op == js.AddEqToken {
				given = n // its value is not known
			}
			of.fields[dotName(x)] = append(of.fields[dotName(x)], given)
		}
	case *js.IndexExpr:
		if v, ok := strip(x.X).(*js.Var); ok {
			b.at(v).added = append(b.at(v).added, n.Y)
			b.at(v).changed = true
		}
	}
}

// count notes i++: the variable is some number.
func (b *bindings) count(n *js.UnaryExpr) {
	switch n.Op {
	case js.PreIncrToken, js.PreDecrToken, js.PostIncrToken, js.PostDecrToken:
		if v, ok := strip(n.X).(*js.Var); ok {
			b.bind(v, origin{expr: n})
		}
	}
}

// class notes the members of a class.
func (b *bindings) class(c *js.ClassDecl) {
	for _, e := range c.List {
		switch {
		case e.Method != nil && e.Method.Get:
			var got js.IExpr = e.Method
			if f := functionOf(e.Method.Params, e.Method.Body); f != nil {
				got = f.result
			}
			name := literalName(e.Method.Name.Literal)
			b.members[name] = append(b.members[name], member{init: got})
		case e.Method != nil:
			name := literalName(e.Method.Name.Literal)
			b.members[name] = append(b.members[name], member{method: true})
		case e.StaticBlock == nil && e.Init != nil:
			name := literalName(e.Name.Literal)
			b.members[name] = append(b.members[name], member{init: e.Init})
		}
	}
}

func isThis(x js.IExpr) bool {
	l, ok := strip(x).(*js.LiteralExpr)
	return ok && l.TokenType == js.ThisToken
}
