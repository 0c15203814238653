package source

import (
	"math"
	"strconv"
	"strings"
	"unicode/utf16"

	"github.com/tdewolff/parse/v2/js"
)

// maxSteps bounds the work of one file. A file that needs more is not read with certainty.
const maxSteps = 4_000_000

// maxEval bounds how deep one value is followed.
const maxEval = 100

// evaluator works out what expressions are known to be. It runs no code: it knows strings, numbers, lists and
// the functions that put them together, and everything else is unknown.
type evaluator struct {
	vars  *bindings
	memo  map[js.IExpr]value
	names map[*js.Var]value
	env   []map[*js.Var]value // parameters of the functions that are being worked out
	depth int
	steps int
	// numbers are names that the file annotates as numbers. Types prove nothing, but a text in such a place needs a cast in the patch.
	numbers map[string]bool
	// annotated reports whether a parameter is annotated as a number, by its name where it is declared. nil: none is.
	annotated func(name []byte) bool
	fixed     map[js.IExpr]bool // what constant found out
	given     map[*js.Var]bool  // parameters of the functions that constant looks into
}

func newEvaluator(tree *js.AST, numbers map[string]bool) *evaluator {
	return &evaluator{vars: newBindings(tree), memo: map[js.IExpr]value{}, names: map[*js.Var]value{}, numbers: numbers, fixed: map[js.IExpr]bool{}, given: map[*js.Var]bool{}}
}

func (e *evaluator) exhausted() bool { return e.steps > maxSteps }

// of is the value of an expression.
func (e *evaluator) of(x js.IExpr) value {
	e.steps++
	if x == nil || e.depth > maxEval || e.steps > maxSteps {
		return value{}
	}
	if v, ok := e.memo[x]; ok && len(e.env) == 0 {
		return v
	}
	e.depth++
	v := e.compute(x)
	e.depth--
	if _, isVar := x.(*js.Var); !isVar && len(e.env) == 0 && e.depth < maxEval {
		e.memo[x] = v
	}
	return v
}

func (e *evaluator) compute(x js.IExpr) value {
	switch x := x.(type) {
	case *js.LiteralExpr:
		return literal(x)
	case *js.GroupExpr:
		return e.of(x.X)
	case *js.Var:
		return e.variable(x)
	case *js.TemplateExpr:
		return e.template(x)
	case *js.BinaryExpr:
		return e.binary(x)
	case *js.UnaryExpr:
		return e.unary(x)
	case *js.CondExpr:
		return either(e.of(x.X), e.of(x.Y))
	case *js.CommaExpr:
		return e.of(x.List[len(x.List)-1])
	case *js.ArrayExpr:
		return e.array(x)
	case *js.ObjectExpr:
		return e.object(x)
	case *js.ArrowFunc:
		return callableOf(functionOf(x.Params, x.Body))
	case *js.FuncDecl:
		return callableOf(functionOf(x.Params, x.Body))
	case *js.DotExpr:
		return e.dot(x)
	case *js.IndexExpr:
		return e.of(x.X).field(e.of(x.Y))
	case *js.MethodDecl:
		if x.Get {
			if f := functionOf(x.Params, x.Body); f != nil {
				return e.of(f.result)
			}
		}
		return value{}
	case *js.CallExpr:
		v := e.call(x)
		if v.sort == unknown && e.constant(x) {
			return built()
		}
		return v
	case *js.NewExpr:
		return e.construct(x)
	}
	return value{}
}

func callableOf(f *function) value {
	if f == nil {
		return value{}
	}
	return value{sort: callable, fn: f}
}

func literal(x *js.LiteralExpr) value {
	switch {
	case x.TokenType == js.StringToken:
		return textOf(unquote(x.Data))
	case js.IsNumeric(x.TokenType):
		s := strings.ReplaceAll(string(x.Data), "_", "")
		if f, err := strconv.ParseFloat(s, 64); err == nil {
			return numberOf(f)
		}
		if n, err := strconv.ParseInt(s, 0, 64); err == nil {
			return numberOf(float64(n))
		}
		return value{sort: numeric}
	case x.TokenType == js.RegExpToken:
		end := strings.LastIndexByte(string(x.Data), '/')
		if end < 1 {
			return value{}
		}
		fields := map[string]value{"source": textOf(string(x.Data[1:end])), "flags": textOf(string(x.Data[end+1:]))}
		return value{sort: object, fields: fields}
	case x.TokenType == js.NullToken || x.TokenType == js.TrueToken || x.TokenType == js.FalseToken:
		return word(string(x.Data))
	}
	return value{}
}

func (e *evaluator) template(x *js.TemplateExpr) value {
	if x.Tag != nil {
		if !isRaw(x.Tag) {
			return value{}
		}
	}
	out := textOf("")
	for _, p := range x.List {
		out = concat(concat(out, textOf(templatePart(p.Value))), e.of(p.Expr))
	}
	return concat(out, textOf(templatePart(x.Tail)))
}

func isRaw(tag js.IExpr) bool {
	d, ok := tag.(*js.DotExpr)
	return ok && dotName(d) == "raw"
}

func (e *evaluator) binary(x *js.BinaryExpr) value {
	switch x.Op {
	case js.EqToken:
		return e.of(x.Y)
	case js.OrToken, js.NullishToken, js.AndToken:
		return either(e.of(x.X), e.of(x.Y))
	case js.AddToken:
		return add(e.of(x.X), e.of(x.Y))
	case js.EqEqToken, js.EqEqEqToken:
		return compared(e.of(x.X), e.of(x.Y), true)
	case js.NotEqToken, js.NotEqEqToken:
		return compared(e.of(x.X), e.of(x.Y), false)
	case js.LtToken:
		return ordered(e.of(x.X), e.of(x.Y), func(o int) bool { return o < 0 })
	case js.LtEqToken:
		return ordered(e.of(x.X), e.of(x.Y), func(o int) bool { return o <= 0 })
	case js.GtToken:
		return ordered(e.of(x.X), e.of(x.Y), func(o int) bool { return o > 0 })
	case js.GtEqToken:
		return ordered(e.of(x.X), e.of(x.Y), func(o int) bool { return o >= 0 })
	case js.SubToken, js.MulToken, js.DivToken, js.ModToken, js.ExpToken, js.BitXorToken, js.BitOrToken, js.BitAndToken,
		js.LtLtToken, js.GtGtToken, js.GtGtGtToken:
		return arithmetic(x.Op, e.of(x.X), e.of(x.Y))
	}
	return value{}
}

func arithmetic(op js.TokenType, x, y value) value {
	if x.sort != number || y.sort != number {
		return value{sort: numeric}
	}
	a, b := x.number, y.number
	if math.Abs(a) > 1<<31 || math.Abs(b) > 1<<31 {
		return value{sort: numeric}
	}
	switch op {
	case js.SubToken:
		return numberOf(a - b)
	case js.MulToken:
		return numberOf(a * b)
	case js.DivToken:
		return numberOf(a / b)
	case js.ModToken:
		return numberOf(math.Mod(a, b))
	case js.BitXorToken:
		return numberOf(float64(int64(a) ^ int64(b)))
	case js.BitOrToken:
		return numberOf(float64(int64(a) | int64(b)))
	case js.BitAndToken:
		return numberOf(float64(int64(a) & int64(b)))
	}
	return value{sort: numeric}
}

func (e *evaluator) unary(x *js.UnaryExpr) value {
	switch x.Op {
	case js.NegToken:
		if v := e.of(x.X); v.sort == number {
			return numberOf(-v.number)
		}
		return value{sort: numeric}
	case js.PosToken, js.BitNotToken, js.PreIncrToken, js.PreDecrToken, js.PostIncrToken, js.PostDecrToken:
		return value{sort: numeric}
	case js.AwaitToken:
		return e.of(x.X)
	}
	return value{}
}

func (e *evaluator) array(x *js.ArrayExpr) value {
	var l []value
	some := false // only some elements are known
	for _, el := range x.List {
		v := e.of(el.Value)
		if !el.Spread {
			l = append(l, v)
			continue
		}
		parts, ok := elements(v)
		if !ok {
			parts, some = []value{one(v.list)}, true
		}
		l = append(l, parts...)
	}
	if some {
		return bagOf(l)
	}
	return listOf(l)
}

// elements are what iterating over v gives.
func elements(v value) ([]value, bool) {
	if v.sort == list {
		return v.list, true
	}
	if s, ok := v.known(); ok && v.sort == text {
		var l []value
		for _, r := range s {
			l = append(l, textOf(string(r)))
		}
		return l, true
	}
	return nil, false
}

func (e *evaluator) object(x *js.ObjectExpr) value {
	var keys []string
	fields := map[string]value{}
	open := false
	set := func(name string, v value) {
		if _, ok := fields[name]; !ok {
			keys = append(keys, name)
		}
		fields[name] = v
	}
	for _, p := range x.List {
		v := e.of(p.Value)
		switch {
		case p.Spread:
			for _, k := range v.keys {
				set(k, v.fields[k])
			}
			open = open || v.sort != object || v.open
		case p.Name == nil:
			if name, ok := p.Value.(*js.Var); ok {
				set(string(name.Name()), v)
			}
			if m, ok := p.Value.(*js.MethodDecl); ok && !m.Name.IsComputed() {
				set(literalName(m.Name.Literal), v)
			}
		case p.Name.IsComputed():
			name, ok := e.of(p.Name.Computed).known()
			if ok {
				set(name, v)
			}
			open = open || !ok
		default:
			set(literalName(p.Name.Literal), v)
		}
	}
	out := objectOf(keys, fields)
	out.open = open
	return out
}

func (e *evaluator) dot(x *js.DotExpr) value {
	name := dotName(x)
	if name == "name" { // the name of a function is a text as well
		if v, ok := strip(x.X).(*js.Var); ok && e.vars.fns[root(v)] != nil {
			return textOf(string(v.Name()))
		}
	}
	of := e.of(x.X)
	if name == "length" && of.sort == list {
		return numberOf(float64(len(of.list)))
	}
	if s, ok := of.known(); ok && name == "length" && of.sort == text {
		return numberOf(float64(len(utf16.Encode([]rune(s)))))
	}
	if v := of.field(textOf(name)); v.sort != unknown || of.sort != unknown && of.sort != text || name == "length" {
		return v
	}
	if _, made := strip(x.X).(*js.CallExpr); made && e.constant(x) {
		return built()
	}
	return value{}
}

// dotName is the name after the dot.
func dotName(x *js.DotExpr) string {
	switch y := x.Y.(type) {
	case js.LiteralExpr:
		return string(y.Data)
	case *js.LiteralExpr:
		return string(y.Data)
	case *js.Var:
		return string(y.Name())
	}
	return ""
}

// strip takes parentheses off.
func strip(x js.IExpr) js.IExpr {
	for {
		g, ok := x.(*js.GroupExpr)
		if !ok {
			return x
		}
		x = g.X
	}
}
