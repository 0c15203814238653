package source

import "github.com/tdewolff/parse/v2/js"

func isTimer(name string) bool {
	switch name {
	case "setTimeout", "setInterval", "setImmediate":
		return true
	}
	return false
}

func (w *walker) args(list []js.Arg) {
	for _, a := range list {
		w.expr(a.Value)
	}
}

func (w *walker) call(x *js.CallExpr) {
	switch f := strip(x.X).(type) {
	case *js.LiteralExpr:
		if f.TokenType == js.ImportToken {
			w.dynamic(x)
			return
		}
	case *js.Var:
		name := string(f.Name())
		if name == jsxCall {
			w.jsx(x)
			return
		}
		if isTimer(name) && w.free(f) != "" {
			w.timer(x, name)
			return
		}
	case *js.DotExpr:
		if name := dotName(f); isTimer(name) && w.judged(f.X) != "" {
			w.timer(x, name)
			return
		}
	}
	w.elements(x)
	w.expr(x.X)
	if f, ok := strip(x.X).(*js.DotExpr); ok && probes[dotName(f)] {
		for _, a := range x.Args.List {
			w.compared(a.Value)
		}
	} else {
		w.args(x.Args.List)
	}
	w.joined(x)
}

// probes are methods that only look for a text.
var probes = map[string]bool{"startsWith": true, "endsWith": true, "includes": true, "indexOf": true, "split": true, "has": true}

func (w *walker) dynamic(x *js.CallExpr) {
	name := Hole
	if len(x.Args.List) > 0 {
		if s, ok := w.eval.of(x.Args.List[0].Value).known(); ok {
			name = s
		}
	}
	w.note(DynamicImport, name)
	w.args(x.Args.List)
}

// timer is setTimeout(f, …): text given to it is run.
func (w *walker) timer(x *js.CallExpr, name string) {
	w.atName([]byte(name))
	if len(x.Args.List) == 0 || !w.isFunction(x.Args.List[0].Value) {
		w.note(Timer, name)
	}
	w.args(x.Args.List)
}

// isFunction reports whether x stands for a function: one written in place, a name that is not a text, a method of
// this, or a bound function.
func (w *walker) isFunction(x js.IExpr) bool {
	switch y := strip(x).(type) {
	case *js.ArrowFunc, *js.FuncDecl:
		return true
	case *js.Var:
		v := w.eval.of(y)
		return v.sort == unknown || v.sort == callable
	case *js.DotExpr:
		l, ok := strip(y.X).(*js.LiteralExpr)
		return ok && l.TokenType == js.ThisToken
	case *js.CallExpr:
		f, ok := strip(y.X).(*js.DotExpr)
		return ok && dotName(f) == "bind"
	}
	return false
}

// jsx is <Tag a={b}>children</Tag>.
func (w *walker) jsx(x *js.CallExpr) {
	for i, a := range x.Args.List {
		switch y := a.Value.(type) {
		case *js.LiteralExpr:
			w.at(y.Data)
			switch {
			case y.TokenType == js.StringToken && i == 0:
				w.note(Element, unquote(y.Data))
				continue
			case y.TokenType == js.StringToken && i > 1:
				w.note(Text, unquote(y.Data))
				continue
			}
		case *js.TemplateExpr:
			if i > 1 && y.Tag == nil {
				w.template(y, Text)
				continue
			}
		case *js.Var:
			if i == 0 {
				w.made(y, false)
			}
		}
		w.expr(a.Value)
	}
}

// made notes the element that x names.
func (w *walker) made(x js.IExpr, mustBeKnown bool) {
	switch y := strip(x).(type) {
	case *js.LiteralExpr:
		w.at(y.Data)
	case *js.Var:
		w.atName(y.Name())
	}
	v := w.eval.of(x)
	if v.sort != text {
		if mustBeKnown {
			w.note(Element, Hole)
		}
		return
	}
	for _, s := range v.texts {
		if s != Hole || mustBeKnown { // a component that is chosen: const Tag = link ? Link : "p"
			w.note(Element, s)
		}
	}
}

// elements notes what calls such as createElement make, under whatever name: tag first, then an object or null.
func (w *walker) elements(x *js.CallExpr) {
	args := x.Args.List
	if len(args) == 0 {
		return
	}
	if f, ok := strip(x.X).(*js.DotExpr); ok {
		switch dotName(f) {
		case "createElement":
			w.made(args[0].Value, w.judged(f.X) == "document")
			return
		case "createElementNS":
			w.made(args[min(1, len(args)-1)].Value, true)
			return
		case "setAttribute", "toggleAttribute", "createAttribute":
			w.attribute(args[0].Value)
			return
		case "setAttributeNS":
			w.attribute(args[min(1, len(args)-1)].Value)
			return
		}
	}
	if len(args) > 1 {
		switch y := strip(args[1].Value).(type) {
		case *js.ObjectExpr:
			w.made(args[0].Value, false)
		case *js.LiteralExpr:
			if y.TokenType == js.NullToken {
				w.made(args[0].Value, false)
			}
		}
	}
}

func (w *walker) attribute(x js.IExpr) {
	for _, s := range w.eval.of(x).strings() {
		w.note(Attribute, s)
	}
}
