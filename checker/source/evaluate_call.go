package source

import (
	"encoding/base64"
	"encoding/json"
	"net/url"
	"slices"
	"strconv"
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
			return value{}
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
	s, known := args[0].known()
	switch string(f.Name()) {
	case "String":
		return textOf(args[0].strings()...)
	case "Number", "parseInt", "parseFloat":
		if n, err := strconv.ParseFloat(s, 64); known && err == nil {
			return numberOf(n)
		}
		return value{sort: numeric}
	case "decodeURIComponent", "decodeURI", "unescape":
		if out, err := url.PathUnescape(s); known && err == nil {
			return textOf(out)
		}
	case "atob":
		if out, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(s, "=")); known && err == nil {
			return textOf(string(out))
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
	for i, p := range f.fn.params {
		if v, ok := p.(*js.Var); ok && i < len(args) {
			env[root(v)] = args[i]
		}
	}
	e.env = append(e.env, env)
	defer func() { e.env = e.env[:len(e.env)-1] }()
	return e.of(f.fn.result)
}

// method is the value of x.name(args).
func (e *evaluator) method(f *js.DotExpr, name string, args []value) value {
	if v, ok := strip(f.X).(*js.Var); ok {
		switch owner := string(v.Name()); {
		case owner == "Math" || owner == "Date" || owner == "Number":
			return value{sort: numeric}
		case owner == "String" && (name == "fromCharCode" || name == "fromCodePoint"):
			return letters(args)
		case owner == "Array" && (name == "of" || name == "from"):
			return e.arrayFrom(name, args)
		case owner == "JSON" && name == "parse" && len(args) > 0:
			var out string
			if s, ok := args[0].known(); ok && json.Unmarshal([]byte(s), &out) == nil {
				return textOf(out)
			}
			return value{}
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
		out = concat(out, textOf(string(rune(a.number))))
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
	l, ok := elements(args[0])
	if !ok {
		return value{}
	}
	if len(args) > 1 {
		return e.mapped(l, args[1])
	}
	return listOf(l)
}

// objectList is Object.keys and Object.values of an object that stands in the file.
func objectList(name string, of value) value {
	var keys []string
	for k := range of.fields {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	var l []value
	for _, k := range keys {
		switch name {
		case "keys":
			l = append(l, textOf(k))
		case "values":
			l = append(l, of.fields[k])
		default:
			return value{}
		}
	}
	return listOf(l)
}

func (e *evaluator) mapped(l []value, f value) value {
	out := make([]value, len(l))
	for i, v := range l {
		if out[i] = e.apply(f, []value{v, numberOf(float64(i))}); f.sort != callable {
			out[i] = textOf(Hole)
		}
	}
	return listOf(out)
}

// methodOn is the value of a method of a text, a list or something unknown.
func (e *evaluator) methodOn(of value, name string, args []value) value {
	switch of.sort {
	case list:
		return e.listMethod(of.list, name, args)
	case text, number:
		if s, ok := of.known(); ok {
			return textMethod(of, s, name, args)
		}
	case object:
		return e.apply(of.fields[name], args)
	}
	switch name {
	case "concat":
		if of.sort == unknown {
			return value{}
		}
		for _, a := range args {
			of = concat(of, a)
		}
		return of
	case "indexOf", "lastIndexOf", "findIndex", "charCodeAt", "codePointAt", "getTime", "getDay", "getDate", "getMonth",
		"getFullYear", "getHours", "getMinutes", "getSeconds", "search":
		return value{sort: numeric}
	}
	return value{}
}

func (e *evaluator) construct(x *js.NewExpr) value {
	if v, ok := strip(x.X).(*js.Var); ok && x.Args != nil && len(x.Args.List) == 1 {
		switch string(v.Name()) {
		case "String", "URL", "Array", "Set":
			return e.of(x.Args.List[0].Value)
		}
	}
	return value{}
}
