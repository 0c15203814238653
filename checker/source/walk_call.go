package source

import (
	"strings"

	"github.com/tdewolff/parse/v2/js"
)

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
	case *js.IndexExpr:
		if name, ok := w.eval.of(f.Y).known(); ok && isTimer(name) && w.judged(f.X) != "" {
			w.timer(x, name)
			w.note(Member, w.judged(f.X)+"."+name)
			return
		}
	}
	w.elements(x)
	w.givenCall(x.X, &x.Args)
	w.assigned(x)
	w.callee = strip(x.X)
	w.expr(x.X)
	w.callee = nil
	if f, ok := strip(x.X).(*js.DotExpr); ok && probes[dotName(f)] {
		w.probe(x, f)
	} else if w.leavesDocument(x.X) {
		for _, a := range x.Args.List {
			w.followed(a.Value)
		}
	} else {
		w.args(x.Args.List)
	}
	w.joined(x)
}

// probes are methods that only look for a text.
var probes = map[string]bool{"startsWith": true, "endsWith": true, "includes": true, "indexOf": true, "split": true, "has": true}

// probe is a call of one of them: f of the file's own lists is asked for its texts, too.
func (w *walker) probe(x *js.CallExpr, f *js.DotExpr) {
	from := len(w.uses)
	for _, a := range x.Args.List {
		w.compared(a.Value)
	}
	for i, u := range w.uses[from:] {
		if u.Kind == Probe {
			w.probed[dotName(f)] = append(w.probed[dotName(f)], from+i)
		}
	}
	if v := w.eval.of(f.X); v.sort == list {
		for _, e := range v.list {
			w.addresses(e)
		}
	}
}

// assigned is Object.assign(x, { name: y }).
func (w *walker) assigned(x *js.CallExpr) {
	f, ok := strip(x.X).(*js.DotExpr)
	if !ok || dotName(f) != "assign" || len(x.Args.List) < 2 {
		return
	}
	if _, fresh := strip(x.Args.List[0].Value).(*js.ObjectExpr); fresh {
		return
	}
	for _, a := range x.Args.List[1:] {
		o, ok := strip(a.Value).(*js.ObjectExpr)
		if !ok {
			continue
		}
		for _, p := range o.List {
			for _, name := range w.propNames(p) {
				w.note(Write, name)
			}
		}
	}
}

// addresses notes the texts that look like those of people, and that a value is compared with under a name.
func (w *walker) addresses(v value) {
	if v.sort != text {
		return
	}
	for _, s := range v.texts {
		if strings.Contains(s, "@") {
			w.note(Probe, s)
		}
	}
}

// ownProbes takes back what was thought of methods that the file defines itself: what they do with a text is not known.
func (w *walker) ownProbes() {
	for name, uses := range w.probed {
		if !w.members[name] {
			continue
		}
		for _, i := range uses {
			w.uses[i].Kind = String
		}
	}
}

func (w *walker) dynamic(x *js.CallExpr) {
	name := Hole
	if len(x.Args.List) > 0 {
		if s, ok := w.eval.of(x.Args.List[0].Value).known(); ok {
			name = s
		}
	}
	w.note(DynamicImport, name)
	w.givenArgs("import", &x.Args)
	w.args(x.Args.List)
}
