package source

import (
	"maps"
	"slices"

	"github.com/tdewolff/parse/v2/js"
)

// maxTurns bounds the turns of a loop that is worked out.
const maxTurns = 1024

// variable is the value of a name: what it was given, in any order, and what was added to it.
func (e *evaluator) variable(v *js.Var) value {
	v = root(v)
	for i := len(e.env) - 1; i >= 0; i-- {
		if known, ok := e.env[i][v]; ok {
			return known
		}
	}
	if f := e.vars.fns[v]; f != nil {
		return value{sort: callable, fn: f}
	}
	if known, ok := e.names[v]; ok {
		return known
	}
	b := e.vars.of[v]
	argument := v.Decl == js.ArgumentDecl
	if of, ok := e.vars.indexes[v]; ok && e.of(of).sort != object || argument && e.isNumber(v) {
		return value{sort: numeric}
	}
	if b == nil {
		return value{}
	}
	e.names[v] = value{} // a name that is made of itself
	env := e.env
	e.env = nil
	out := e.bound(b, argument)
	e.env = env
	e.names[v] = out
	return out
}

// isNumber reports whether a parameter is annotated as a number: where it stands, or by its name if it comes out of a pattern, whose
// annotation stands elsewhere.
func (e *evaluator) isNumber(v *js.Var) bool {
	if !e.numbers[string(v.Data)] {
		return false
	}
	return !e.vars.direct[v] || e.annotated != nil && e.annotated(v.Data)
}

func (e *evaluator) bound(b *binding, open bool) value {
	var out value
	for i, o := range b.origins {
		v := e.origin(o)
		if i > 0 {
			v = either(out, v)
		}
		out = v
	}
	switch {
	case !open || len(b.origins) == 0:
	case out.isNumber(): // its default says what it is
		out = value{sort: numeric}
	default:
		out = either(out, value{})
	}
	out = e.changed(out, b)
	for _, g := range b.growth {
		out = e.grow(out, g)
	}
	return out
}

// changed is a list or an object after it was changed in place, in any order.
func (e *evaluator) changed(v value, b *binding) value {
	if b.changed && (v.sort == list || v.sort == bag) {
		l := slices.Clone(v.list)
		for _, x := range b.added {
			l = append(l, e.of(x))
		}
		v = bagOf(l)
	}
	if b.changed && v.sort == object {
		return value{}
	}
	if v.sort != object || len(b.fields) == 0 {
		return v
	}
	keys, fields := slices.Clone(v.keys), maps.Clone(v.fields)
	for name, given := range b.fields {
		for _, x := range given {
			now := e.of(x)
			if before, ok := fields[name]; ok {
				now = either(before, now)
			} else {
				keys = append(keys, name)
			}
			fields[name] = now
		}
	}
	out := objectOf(keys, fields)
	out.open = true
	return out
}

func (e *evaluator) origin(o origin) value {
	v := e.of(o.expr)
	if o.each {
		l, ok := elements(v)
		if !ok {
			l = v.list
		}
		v = one(l)
	}
	for _, key := range o.path {
		v = v.field(key)
	}
	return v
}

// grow adds to v what one += adds, once for each turn of the loop around it.
func (e *evaluator) grow(v value, g growth) value {
	if g.loop == nil {
		return add(v, e.of(g.expr))
	}
	name, turns := e.turns(g.loop)
	if name == nil { // any number of times
		if v = add(v, e.of(g.expr)); v.isNumber() {
			return value{sort: numeric}
		}
		return concat(v, built())
	}
	for _, t := range turns {
		e.env = append(e.env, map[*js.Var]value{root(name): t})
		v = add(v, e.of(g.expr))
		e.env = e.env[:len(e.env)-1]
	}
	return v
}

// turns are the values that the variable of a loop takes, if they are known.
func (e *evaluator) turns(l *loop) (*js.Var, []value) {
	if l.of != nil {
		d, ok := l.of.Init.(*js.VarDecl)
		if !ok || len(d.List) != 1 {
			return nil, nil
		}
		name, ok := d.List[0].Binding.(*js.Var)
		if !ok {
			return nil, nil
		}
		els, ok := elements(e.of(l.of.Value))
		if !ok || len(els) > maxTurns {
			return nil, nil
		}
		return name, els
	}
	if l.step == nil {
		return nil, nil
	}
	return e.counted(l.step)
}

// counted are the turns of for (let i = A; i < B; i++) and for (let i = A; i >= B; i--).
func (e *evaluator) counted(s *js.ForStmt) (*js.Var, []value) {
	d, ok := s.Init.(*js.VarDecl)
	cond, isCond := s.Cond.(*js.BinaryExpr)
	post, isPost := s.Post.(*js.UnaryExpr)
	if !ok || !isCond || !isPost || len(d.List) == 0 {
		return nil, nil
	}
	name, ok := d.List[0].Binding.(*js.Var)
	from, to := e.of(d.List[0].Default), e.of(cond.Y)
	if !ok || from.sort != number || to.sort != number {
		return nil, nil
	}
	step := 1.0
	if post.Op == js.PreDecrToken || post.Op == js.PostDecrToken {
		step = -1
	}
	var out []value
	for i := from.number; compare(cond.Op, i, to.number); i += step {
		if out = append(out, numberOf(i)); len(out) > maxTurns {
			return nil, nil
		}
	}
	return name, out
}

func compare(op js.TokenType, a, b float64) bool {
	switch op {
	case js.LtToken:
		return a < b
	case js.LtEqToken:
		return a <= b
	case js.GtToken:
		return a > b
	case js.GtEqToken:
		return a >= b
	}
	return false
}
