package source

import (
	"strings"

	"github.com/tdewolff/parse/v2/js"
)

// expr notes the facts of an expression.
func (w *walker) expr(x js.IExpr) {
	switch x := x.(type) {
	case nil:
	case *js.Var:
		w.name(x)
	case *js.LiteralExpr:
		w.literal(x)
	case *js.GroupExpr:
		w.expr(x.X)
	case *js.ArrayExpr:
		for _, e := range x.List {
			w.expr(e.Value)
		}
	case *js.ObjectExpr:
		w.object(x)
	case *js.TemplateExpr:
		w.template(x, String)
	case *js.DotExpr:
		w.dot(x)
	case *js.IndexExpr:
		w.index(x)
	case *js.CallExpr:
		w.call(x)
	case *js.NewExpr:
		w.givenCall(x.X, x.Args)
		w.expr(x.X)
		if x.Args != nil {
			w.args(x.Args.List)
		}
	case *js.UnaryExpr:
		w.unary(x)
	case *js.BinaryExpr:
		w.binary(x)
	case *js.CondExpr:
		w.followed(x.Cond)
		w.expr(x.X)
		w.expr(x.Y)
	case *js.YieldExpr:
		w.expr(x.X)
	case *js.CommaExpr:
		for _, e := range x.List {
			w.expr(e)
		}
	case *js.ImportMetaExpr:
		w.note(Meta, "import.meta")
	case *js.NewTargetExpr:
		w.note(Syntax, "new.target")
	case *js.VarDecl:
		w.declaration(x)
	default:
		w.definition(x)
	}
}

// definition is a function or a class.
func (w *walker) definition(x js.IExpr) {
	switch x := x.(type) {
	case *js.ArrowFunc:
		w.params(x.Params)
		w.body(&x.Body)
	case *js.FuncDecl:
		if x.Name != nil {
			w.pattern(x.Name)
		}
		w.params(x.Params)
		w.body(&x.Body)
	case *js.MethodDecl:
		w.params(x.Params)
		w.body(&x.Body)
	case *js.ClassDecl:
		w.classes(x)
	}
}

func (w *walker) classes(c *js.ClassDecl) {
	if c.Name != nil {
		w.pattern(c.Name)
	}
	w.expr(c.Extends)
	w.class++
	defer func() { w.class-- }()
	for _, e := range c.List {
		switch {
		case e.StaticBlock != nil:
			w.block(e.StaticBlock)
		case e.Method != nil:
			w.memberName(e.Method.Name)
			w.expr(e.Method)
		default:
			w.memberName(e.Field.Name)
			w.expr(e.Init)
		}
	}
}

// memberName notes a class member. A constructor is a part of the language, not a way to another object: the word
// itself is judged in the text.
func (w *walker) memberName(n js.ClassElementName) {
	if n.Private != nil || string(n.Literal.Data) == "constructor" {
		return
	}
	w.property(n.PropertyName)
}

// property notes the name of something that is defined.
func (w *walker) property(n js.PropertyName) {
	if n.IsComputed() {
		for _, s := range w.eval.of(n.Computed).strings() {
			switch {
			case !strings.Contains(s, Hole):
				w.note(Index, s)
			case strings.Trim(s, Hole) != "":
				w.note(Key, s)
			}
		}
		w.expr(n.Computed)
		return
	}
	w.at(n.Literal.Data)
	name := literalName(n.Literal)
	if n.Literal.TokenType != js.StringToken {
		w.foreign(name)
	}
	w.note(Define, name)
	w.members[name] = true
}

func (w *walker) object(x *js.ObjectExpr) {
	for _, p := range x.List {
		if p.Spread {
			w.expr(p.Value)
			continue
		}
		switch v := p.Value.(type) {
		case *js.MethodDecl:
			w.property(v.Name.PropertyName)
		default:
			if p.Name != nil {
				w.property(*p.Name)
			} else if name, ok := p.Value.(*js.Var); ok {
				w.note(Define, string(name.Name()))
				w.members[string(name.Name())] = true
			}
			for _, name := range w.propNames(p) {
				w.handler(name, p.Value)
				w.tagProp(name, p.Value)
				w.givenMarkup(name, p.Value)
			}
		}
		w.expr(p.Value)
		w.expr(p.Init)
	}
}

// propNames are the names that a property may have, as far as they are known.
func (w *walker) propNames(p js.Property) []string {
	switch name, shorthand := p.Value.(*js.Var); {
	case p.Name != nil && p.Name.IsComputed():
		return w.eval.of(p.Name.Computed).strings()
	case p.Name != nil:
		return []string{literalName(p.Name.Literal)}
	case shorthand:
		return []string{string(name.Name())}
	}
	return nil
}

func (w *walker) literal(x *js.LiteralExpr) {
	w.at(x.Data)
	switch {
	case x.TokenType == js.StringToken:
		w.note(String, unquote(x.Data))
	case x.TokenType == js.RegExpToken:
		w.note(Pattern, patternText(string(x.Data)))
	case x.TokenType == js.ThisToken && w.class == 0:
		w.note(This, "this")
	}
}

// template notes the text of a template as each of kinds, and its parts alone where the whole is too long to be joined.
func (w *walker) template(x *js.TemplateExpr, kinds ...Kind) {
	note := func(s string) {
		for _, k := range kinds {
			w.note(k, s)
		}
	}
	if x.Tag != nil {
		w.expr(x.Tag)
	}
	w.at(x.Tail)
	if len(x.List) > 0 {
		w.at(x.List[0].Value)
	}
	whole := textOf("")
	for _, p := range x.List {
		whole = concat(concat(whole, textOf(templatePart(p.Value))), w.eval.of(p.Expr))
	}
	joined := concat(whole, textOf(templatePart(x.Tail))).strings()
	for _, s := range joined {
		note(s)
	}
	alone := len(joined) == 1 && joined[0] == Hole
	for _, p := range x.List {
		if alone {
			w.at(p.Value)
			note(templatePart(p.Value))
		}
		w.expr(p.Expr)
	}
	if alone {
		w.at(x.Tail)
		note(templatePart(x.Tail))
	}
}

func (w *walker) unary(x *js.UnaryExpr) {
	if x.Op == js.TypeofToken {
		if _, ok := strip(x.X).(*js.Var); ok {
			return // asking whether a name exists does not use it
		}
		w.callee = strip(x.X)
	}
	if x.Op == js.NotToken {
		w.followed(x.X)
		return
	}
	w.expr(x.X)
	w.callee = nil
}

func (w *walker) binary(x *js.BinaryExpr) {
	switch x.Op {
	case js.AddToken:
		w.sum(x, true)
	case js.EqEqToken, js.EqEqEqToken, js.NotEqToken, js.NotEqEqToken:
		w.compared(x.X)
		w.compared(x.Y)
	case js.InToken:
		w.expr(x.X)
		if w.judged(x.Y) == "" {
			w.expr(x.Y)
		}
	case js.EqToken, js.OrEqToken, js.NullishEqToken, js.AndEqToken, js.AddEqToken:
		w.target(x.X)
		if d, ok := strip(x.X).(*js.DotExpr); ok {
			w.givenMarkup(dotName(d), x.Y)
		}
		if _, ok := strip(x.X).(*js.Var); ok {
			w.followed(x.Y)
			return
		}
		w.expr(x.Y)
	case js.AndToken:
		w.followed(x.X)
		w.expr(x.Y)
	default:
		w.expr(x.X)
		w.expr(x.Y)
	}
}

// sum notes the text of a whole chain of "+" once, and its parts.
func (w *walker) sum(x *js.BinaryExpr, top bool) {
	if left, ok := strip(x.X).(*js.BinaryExpr); ok && left.Op == js.AddToken {
		w.sum(left, false)
	} else {
		w.expr(x.X)
	}
	from := w.offset
	w.expr(x.Y)
	if !top {
		return
	}
	after := w.offset
	w.offset = from
	w.joined(x)
	w.offset = after
}

// joined notes the texts that an expression is worked out to be.
func (w *walker) joined(x js.IExpr) {
	v := w.eval.of(x)
	if v.sort != text {
		return
	}
	for _, s := range v.texts {
		if s != Hole {
			w.note(String, s)
		}
	}
}

// compared is an operand that another value is compared with.
func (w *walker) compared(x js.IExpr) {
	switch y := strip(x).(type) {
	case *js.LiteralExpr:
		if y.TokenType == js.StringToken {
			w.at(y.Data)
			w.note(Probe, unquote(y.Data))
			return
		}
	case *js.Var:
		if w.judged(y) != "" {
			return
		}
		w.addresses(w.eval.of(y))
	}
	w.expr(x)
}
