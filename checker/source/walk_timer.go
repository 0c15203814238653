package source

import "github.com/tdewolff/parse/v2/js"

func isTimer(name string) bool {
	switch name {
	case "setTimeout", "setInterval", "setImmediate":
		return true
	}
	return false
}

// timer is setTimeout(f, …): text given to it is run.
func (w *walker) timer(x *js.CallExpr, name string) {
	w.atName([]byte(name))
	if len(x.Args.List) == 0 || !w.isFunction(x.Args.List[0].Value, 0) {
		w.note(Timer, name)
	}
	w.args(x.Args.List)
}

// maxOrigins bounds how far a name given to a timer is followed.
const maxOrigins = 8

// isFunction reports whether x stands for a function: one written in place, a name that is not a text, a method of
// this, or a bound function.
func (w *walker) isFunction(x js.IExpr, depth int) bool {
	if depth > maxOrigins {
		return false
	}
	switch y := strip(x).(type) {
	case *js.ArrowFunc, *js.FuncDecl:
		return true
	case *js.Var:
		return w.namesFunction(y, depth)
	case *js.DotExpr:
		return isThis(y.X) && w.memberIsFunction(dotName(y), depth)
	case *js.CallExpr:
		return w.isBound(y, depth)
	}
	return false
}

// namesFunction reports whether nothing that a name is given can be a text.
func (w *walker) namesFunction(v *js.Var, depth int) bool {
	if s := w.eval.of(v).sort; s != unknown && s != callable {
		return false
	}
	b := w.eval.vars.of[root(v)]
	if b == nil {
		return true
	}
	for _, o := range b.origins {
		if !w.givesFunction(o, depth+1) {
			return false
		}
	}
	return len(b.growth) == 0
}

// givesFunction reports whether a name that is given o is no text as far as is known: values come by names that are
// imported, passed on or taken from an object, and not by methods such as join and slice.
func (w *walker) givesFunction(o origin, depth int) bool {
	switch y := strip(o.expr).(type) {
	case *js.Var:
		return len(o.path) > 0 && w.judged(y) == "" || len(o.path) == 0 && w.isFunction(y, depth)
	case *js.DotExpr:
		return w.judged(y.X) == ""
	case *js.LiteralExpr:
		return y.TokenType == js.NullToken
	case *js.UnaryExpr:
		return y.Op == js.VoidToken // esbuild writes undefined so
	case *js.CondExpr:
		return w.givesFunction(origin{expr: y.X}, depth+1) && w.givesFunction(origin{expr: y.Y}, depth+1)
	case *js.BinaryExpr:
		switch y.Op {
		case js.OrToken, js.NullishToken, js.AndToken:
			return w.givesFunction(origin{expr: y.X}, depth+1) && w.givesFunction(origin{expr: y.Y}, depth+1)
		}
		return false
	case *js.CallExpr:
		if _, named := strip(y.X).(*js.Var); named && len(o.path) > 0 {
			return true // const { refetch } = useQuery()
		}
		return w.isBound(y, depth) || w.takesFunction(y, depth)
	case *js.IndexExpr:
		return len(o.path) > 0
	}
	return o.each || w.isFunction(o.expr, depth)
}

// takesFunction reports whether a call makes a function of another, as useCallback and debounce do, or takes one from a list.
func (w *walker) takesFunction(x *js.CallExpr, depth int) bool {
	if f, ok := strip(x.X).(*js.DotExpr); ok && (dotName(f) == "shift" || dotName(f) == "pop") {
		return w.eval.of(x).sort == unknown
	}
	return len(x.Args.List) > 0 && w.isFunction(x.Args.List[0].Value, depth+1)
}

// isBound reports whether x is f.bind(…) of a function.
func (w *walker) isBound(x *js.CallExpr, depth int) bool {
	f, ok := strip(x.X).(*js.DotExpr)
	if !ok || dotName(f) != "bind" {
		return false
	}
	if of, ok := strip(f.X).(*js.DotExpr); ok && !isThis(of.X) { // store.reset.bind(store)
		return w.eval.of(of).sort == unknown
	}
	return w.isFunction(f.X, depth+1)
}

// memberIsFunction reports whether no class of the file gives its member of that name something else.
func (w *walker) memberIsFunction(name string, depth int) bool {
	for _, m := range w.eval.vars.members[name] {
		if !m.method && !w.givesFunction(origin{expr: m.init}, depth+1) {
			return false
		}
	}
	return true
}
