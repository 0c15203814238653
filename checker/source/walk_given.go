package source

import (
	"strings"

	"github.com/tdewolff/parse/v2/js"
)

// given notes what something dangerous is given, as code: that the use itself was there before excuses no other value.
func (w *walker) given(name string, values ...js.IExpr) {
	if w.form == folded {
		return
	}
	var b strings.Builder
	b.WriteString(name)
	for _, v := range values {
		b.WriteByte(' ')
		if v != nil {
			v.JS(&b)
		}
	}
	w.note(Given, b.String())
}

func (w *walker) givenArgs(name string, args *js.Args) {
	if args == nil {
		return
	}
	var values []js.IExpr
	for _, a := range args.List {
		values = append(values, a.Value)
	}
	w.given(name, values...)
}

// givenCall is a call, or a new, of something that runs what it is given.
func (w *walker) givenCall(f js.IExpr, args *js.Args) {
	switch name := w.free(f); name {
	case "eval", "Function", "require", "Worker", "SharedWorker":
		w.givenArgs(name, args)
	}
}

// givenMarkup is a property or prop that takes markup.
func (w *walker) givenMarkup(name string, v js.IExpr) {
	switch name {
	case "innerHTML", "outerHTML", "srcdoc", "srcDoc", "dangerouslySetInnerHTML", "__html":
		w.given(name, v)
	}
}

// loadingProps are what an element loads, and under which limits.
var loadingProps = []string{"src", "srcDoc", "sandbox", "allow", "type", "href", "data", "rel"}

// givenElement notes what a JSX element that loads something is given.
func (w *walker) givenElement(x *js.CallExpr, name string) {
	switch name {
	case "script", "style", "iframe", "object", "embed", "base", "link":
	default:
		return
	}
	if len(x.Args.List) < 2 {
		return
	}
	props := map[string]js.IExpr{}
	if o, ok := x.Args.List[1].Value.(*js.ObjectExpr); ok {
		for _, p := range o.List {
			switch {
			case p.Spread:
				w.given(name+" ...", p.Value)
			case p.Name != nil && !p.Name.IsComputed():
				props[literalName(p.Name.Literal)] = p.Value
			}
		}
	}
	for _, key := range loadingProps {
		w.given(name+" "+key, props[key]) // one that is missing counts as well: sandbox taken away
	}
	if name == "script" || name == "style" {
		for _, child := range x.Args.List[2:] {
			w.given(name+" text", child.Value)
		}
	}
}

// givenParts notes what a pattern opens of the environment's object.
func (w *walker) givenParts(e js.BindingElement) {
	b, ok := e.Binding.(*js.BindingObject)
	if !ok || e.Default == nil {
		return
	}
	from := w.path(e.Default)
	if !strings.HasPrefix(from, "process") {
		return
	}
	for _, i := range b.List {
		name, ok := itemName(i)
		if !ok {
			name = "*"
		}
		w.note(Given, "process "+from+"."+name)
	}
	if b.Rest != nil {
		w.note(Given, "process "+from+".*")
	}
}
