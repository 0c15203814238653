package source

import (
	"encoding/base64"
	"slices"
	"strings"

	"github.com/tdewolff/parse/v2/js"
)

// call is the value of a call of a function that puts texts together, or of a function of the file.
func (e *evaluator) call(x *js.CallExpr) value {
	var args []value
	for _, a := range x.Args.List {
		v := e.of(a.Value)
		if !a.Rest {
			args = append(args, v)
			continue
		}
		l, ok := elements(v)
		if !ok {
			return e.spread(x)
		}
		args = append(args, l...)
	}
	switch f := strip(x.X).(type) {
	case *js.Var:
		return e.plainCall(f, args)
	case *js.DotExpr:
		return e.method(f, dotName(f), args)
	case *js.IndexExpr:
		if name, ok := e.of(f.Y).known(); ok {
			return e.methodOn(e.of(f.X), name, args)
		}
	default:
		return e.apply(e.of(x.X), args)
	}
	return value{}
}

func (e *evaluator) plainCall(f *js.Var, args []value) value {
	if v := e.variable(f); v.sort == callable {
		return e.apply(v, args)
	}
	if len(args) == 0 {
		return value{}
	}
	if root(f).Decl != js.NoDecl {
		return value{}
	}
	s, known := args[0].known()
	switch string(f.Name()) {
	case "String":
		return textOf(args[0].strings()...)
	case "Number", "parseFloat":
		return parsed(s, known)
	case "parseInt":
		return parsedInt(s, known, args[1:])
	case "decodeURIComponent", "decodeURI", "unescape":
		if known {
			return unescaped(s, string(f.Name()))
		}
	case "atob":
		if out, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(s, "=")); known && err == nil {
			return textOf(latin1(out))
		}
		return built()
	}
	return value{}
}

// spread is the value of a call whose arguments are not counted.
func (e *evaluator) spread(x *js.CallExpr) value {
	f, ok := strip(x.X).(*js.DotExpr)
	if !ok {
		return value{}
	}
	switch name := dotName(f); name {
	case "fromCharCode", "fromCodePoint":
		return built()
	case "concat":
		if of := e.of(f.X); of.sort == text {
			return built()
		}
	}
	return value{}
}

// apply is the value of f(args).
func (e *evaluator) apply(f value, args []value) value {
	if f.sort != callable || len(e.env) > 8 {
		return value{}
	}
	env := map[*js.Var]value{}
	e.env = append(e.env, env)
	defer func() { e.env = e.env[:len(e.env)-1] }()
	for i, p := range f.fn.params {
		var v value
		if i < len(args) {
			v = args[i]
		} else if p.Default != nil {
			v = e.of(p.Default)
		}
		e.take(env, p.Binding, v)
	}
	return e.of(f.fn.result)
}

// take gives v to the names of a pattern.
func (e *evaluator) take(env map[*js.Var]value, to js.IBinding, v value) {
	element := func(el js.BindingElement, v value) {
		if v.sort == unknown && el.Default != nil {
			v = either(e.of(el.Default), v)
		}
		e.take(env, el.Binding, v)
	}
	switch to := to.(type) {
	case *js.Var:
		if to != nil {
			env[root(to)] = v
		}
	case *js.BindingArray:
		for i, el := range to.List {
			element(el, v.field(numberOf(float64(i))))
		}
	case *js.BindingObject:
		for _, item := range to.List {
			name, ok := itemName(item)
			if !ok {
				element(item.Value, value{})
				continue
			}
			element(item.Value, v.field(textOf(name)))
		}
	}
}

// method is the value of x.name(args).
func (e *evaluator) method(f *js.DotExpr, name string, args []value) value {
	if v, ok := strip(f.X).(*js.Var); ok && root(v).Decl == js.NoDecl {
		switch owner := string(v.Name()); {
		case owner == "Number" && name == "parseInt":
			s, known := first(args)
			return parsedInt(s, known, args[min(1, len(args)):])
		case owner == "Number" && name == "parseFloat":
			return parsed(first(args))
		case owner == "Math" || owner == "Date" || owner == "Number":
			return value{sort: numeric}
		case owner == "String" && (name == "fromCharCode" || name == "fromCodePoint"):
			return letters(args)
		case owner == "Array" && (name == "of" || name == "from"):
			return e.arrayFrom(name, args)
		case owner == "JSON" && name == "parse" && len(args) > 0:
			if s, ok := args[0].known(); ok && len(args) == 1 {
				return fromJSON(s)
			}
			return value{}
		case owner == "Object" && (name == "freeze" || name == "seal") && len(args) == 1:
			return args[0]
		case owner == "Object" && len(args) == 1 && args[0].sort == object:
			return objectList(name, args[0])
		}
	}
	return e.methodOn(e.of(f.X), name, args)
}

// letters is String.fromCharCode(args).
func letters(args []value) value {
	out := textOf("")
	for _, a := range args {
		if a.sort != number {
			out = concat(out, textOf(Hole))
			continue
		}
		out = concat(out, textOf(string(rune(uint32(int64(a.number))))))
	}
	return out
}

func (e *evaluator) arrayFrom(name string, args []value) value {
	if name == "of" {
		return listOf(args)
	}
	if len(args) == 0 {
		return value{}
	}
	of := args[0]
	if l, ok := elements(of); ok {
		of = listOf(l)
	}
	if of.sort != list && of.sort != bag {
		return value{}
	}
	if len(args) > 1 {
		return value{sort: of.sort, list: e.mapped(of, args[1])}
	}
	return of
}

// objectList is Object.keys, values and entries of an object that stands in the file.
func objectList(name string, of value) value {
	var l []value
	for _, k := range of.keys {
		switch name {
		case "keys":
			l = append(l, textOf(k))
		case "values":
			l = append(l, of.fields[k])
		case "entries":
			l = append(l, listOf([]value{textOf(k), of.fields[k]}))
		default:
			return value{}
		}
	}
	if name == "keys" || name == "values" || name == "entries" {
		if of.open {
			return bagOf(append(l, value{}))
		}
		return listOf(l)
	}
	return value{}
}

// methodOn is the value of a method of a text, a list or something unknown.
func (e *evaluator) methodOn(of value, name string, args []value) value {
	switch of.sort {
	case list, bag:
		return e.listMethod(of, name, args)
	case text:
		return textMethods(of, name, args)
	case number, numeric:
		return numberMethod(of, name, args)
	case object:
		return e.apply(of.fields[name], args)
	}
	return unknownMethod(name, args)
}

func (e *evaluator) construct(x *js.NewExpr) value {
	if v, ok := strip(x.X).(*js.Var); ok && x.Args != nil && len(x.Args.List) == 1 {
		switch string(v.Name()) {
		case "String", "URL":
			return e.of(x.Args.List[0].Value)
		case "Set":
			return e.set(e.of(x.Args.List[0].Value))
		case "Array":
			if v := e.of(x.Args.List[0].Value); v.sort == text {
				return listOf([]value{v})
			}
		}
	}
	return value{}
}

// set are the elements of a set.
func (e *evaluator) set(of value) value {
	l, ok := elements(of)
	if !ok {
		return bagOf(append(slices.Clone(of.list), one(of.list)))
	}
	var out []value
	seen := map[string]bool{}
	for _, v := range l {
		s, known := v.known()
		if !known {
			return bagOf(l)
		}
		if s += string(rune('0' + v.sort)); !seen[s] {
			seen[s] = true
			out = append(out, v)
		}
	}
	return listOf(out)
}
