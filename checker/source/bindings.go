package source

import (
	"slices"

	"github.com/tdewolff/parse/v2/js"
)

// binding is where the values of a variable come from.
type binding struct {
	origins []origin
	growth  []growth
	fields  map[string][]js.IExpr // what v.name is assigned
	added   []js.IExpr            // what is put into it as a list: v.push(x), v[i] = x
	changed bool                  // it is changed in place: sorted, cut, filled
}

// origin is an expression whose value, or a part of it, a variable is given.
type origin struct {
	expr js.IExpr
	path []value // fields to follow from it: numbers and texts
	each bool    // an element of it: for (x of expr)
}

// growth is an assignment x += expr, with the loop around it.
type growth struct {
	expr js.IExpr
	loop *loop
}

// loop is a loop that may be run over known values. The zero value is one whose turns are not known.
type loop struct {
	of   *js.ForOfStmt
	step *js.ForStmt
}

// function is a function whose value is one expression.
type function struct {
	params []js.BindingElement
	result js.IExpr
}

// bindings are the variables of a file. It implements js.IVisitor.
type bindings struct {
	of    map[*js.Var]*binding
	fns   map[*js.Var]*function
	loops []loop
	// indexes are second parameters of functions given to map, forEach and their kind, with what the method is called on.
	indexes map[*js.Var]js.IExpr
	members map[string][]member // of the classes of the file
	direct  map[*js.Var]bool    // parameters that are no part of a pattern
	// doubt holds the names of functions that are declared in a block: the parser lets them out of it, strict code does not.
	doubt  map[string]bool
	bodies map[*js.BlockStmt]bool // of functions and of the file: what is declared there is no doubt
}

func newBindings(tree *js.AST) *bindings {
	b := &bindings{of: map[*js.Var]*binding{}, fns: map[*js.Var]*function{}, indexes: map[*js.Var]js.IExpr{}, members: map[string][]member{}, direct: map[*js.Var]bool{}, doubt: map[string]bool{}, bodies: map[*js.BlockStmt]bool{}}
	js.Walk(b, tree)
	return b
}

// Enter notes what a node gives to variables.
func (b *bindings) Enter(n js.INode) js.IVisitor {
	switch n := n.(type) {
	case *js.AST:
		b.bodies[&n.BlockStmt] = true
	case *js.MethodDecl:
		b.bodies[&n.Body] = true
		b.params(n.Params)
	case *js.ArrowFunc:
		b.bodies[&n.Body] = true
		b.params(n.Params)
	case *js.ClassDecl:
		b.class(n)
	case *js.UnaryExpr:
		b.count(n)
	case *js.BlockStmt:
		if !b.bodies[n] {
			b.blockFunctions(n.List)
		}
	case *js.SwitchStmt:
		for _, c := range n.List {
			b.blockFunctions(c.List)
		}
	case *js.ForOfStmt:
		b.loops = append(b.loops, loop{of: n})
		if d, ok := n.Init.(*js.VarDecl); ok && len(d.List) == 1 {
			b.bind(d.List[0].Binding, origin{expr: n.Value, each: true})
		}
	case *js.ForStmt:
		b.loops = append(b.loops, loop{step: n})
	case *js.WhileStmt, *js.DoWhileStmt, *js.ForInStmt:
		b.loops = append(b.loops, loop{})
	case *js.VarDecl:
		for _, e := range n.List {
			if e.Default != nil {
				b.bind(e.Binding, origin{expr: e.Default})
			}
		}
	case *js.FuncDecl:
		b.bodies[&n.Body] = true
		b.params(n.Params)
		if n.Name != nil {
			b.fns[root(n.Name)] = functionOf(n.Params, n.Body)
		}
	case *js.BinaryExpr:
		b.assign(n)
	case *js.CallExpr:
		b.given(n)
		b.change(n)
	}
	return b
}

func (b *bindings) blockFunctions(list []js.IStmt) {
	for _, s := range list {
		if f, ok := s.(*js.FuncDecl); ok && f.Name != nil {
			b.doubt[string(f.Name.Name())] = true
		}
	}
}

// Exit ends a loop.
func (b *bindings) Exit(n js.INode) {
	switch n.(type) {
	case *js.ForOfStmt, *js.ForStmt, *js.WhileStmt, *js.DoWhileStmt, *js.ForInStmt:
		b.loops = b.loops[:len(b.loops)-1]
	}
}

func (b *bindings) assign(n *js.BinaryExpr) {
	v, ok := n.X.(*js.Var)
	if !ok {
		b.write(n)
		return
	}
	switch n.Op {
	case js.EqToken, js.OrEqToken, js.NullishEqToken, js.AndEqToken:
		b.bind(v, origin{expr: n.Y})
	case js.AddEqToken:
		g := growth{expr: n.Y}
		if len(b.loops) > 0 {
			g.loop = &b.loops[len(b.loops)-1]
			copied := *g.loop
			g.loop = &copied
		}
		of := b.at(v)
		of.growth = append(of.growth, g)
	}
}

func (b *bindings) at(v *js.Var) *binding {
	v = root(v)
	if b.of[v] == nil {
		b.of[v] = &binding{}
	}
	return b.of[v]
}

// bind gives o to the names of a pattern.
func (b *bindings) bind(to js.IBinding, o origin) {
	switch to := to.(type) {
	case *js.Var:
		of := b.at(to)
		of.origins = append(of.origins, o)
	case *js.BindingArray:
		for i, e := range to.List {
			b.bind(e.Binding, o.at(numberOf(float64(i))))
			b.fallback(e)
		}
	case *js.BindingObject:
		for _, item := range to.List {
			if name, ok := itemName(item); ok {
				b.bind(item.Value.Binding, o.at(textOf(name)))
			}
			b.fallback(item.Value)
		}
	}
}

func (b *bindings) fallback(e js.BindingElement) {
	if e.Default != nil {
		b.bind(e.Binding, origin{expr: e.Default})
	}
}

func (o origin) at(key value) origin {
	return origin{expr: o.expr, path: append(slices.Clone(o.path), key), each: o.each}
}

// itemName is the name that an item of an object pattern reads.
func itemName(item js.BindingObjectItem) (string, bool) {
	if item.Key == nil || !item.Key.IsSet() {
		v, ok := item.Value.Binding.(*js.Var)
		if !ok {
			return "", false
		}
		return string(v.Name()), true
	}
	if item.Key.IsComputed() {
		return "", false
	}
	return literalName(item.Key.Literal), true
}

// literalName is the property that a literal names.
func literalName(l js.LiteralExpr) string {
	if l.TokenType == js.StringToken {
		return unquote(l.Data)
	}
	return string(l.Data)
}

// functionOf is the function, if all it does is to give back one expression.
func functionOf(p js.Params, body js.BlockStmt) *function {
	if len(body.List) != 1 || p.Rest != nil {
		return nil
	}
	r, ok := body.List[0].(*js.ReturnStmt)
	if !ok || r.Value == nil {
		return nil
	}
	return &function{params: p.List, result: r.Value}
}

// root follows the links that the parser leaves where two variables turned out to be one.
func root(v *js.Var) *js.Var {
	for v.Link != nil {
		v = v.Link
	}
	return v
}
