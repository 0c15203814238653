package lazyregexp

import (
	"reflect"
	"regexp"
	"testing"
)

// Every method answers what regexp's answers.
func TestMethodsAreRegexps(t *testing.T) {
	const expr, text = `([a-z])(\d?)`, "a1 b- C2 c3"
	lazy, want := reflect.ValueOf(New(expr)), reflect.ValueOf(regexp.MustCompile(expr))
	upper := func(s string) string { return "<" + s + ">" }
	byType := map[string]any{"string": text, "[]uint8": []byte(text), "int": -1, "func(string) string": upper}
	for i := range lazy.NumMethod() {
		name := lazy.Type().Method(i).Name
		if name == "AtMost" || name == "Most" {
			continue // these are ours
		}
		m := want.MethodByName(name)
		if !m.IsValid() {
			t.Errorf("regexp has no method %s", name)
			continue
		}
		var args []reflect.Value
		for j := range m.Type().NumIn() {
			args = append(args, reflect.ValueOf(byType[m.Type().In(j).String()]))
		}
		got, expected := lazy.Method(i).Call(args)[0].Interface(), m.Call(args)[0].Interface()
		if !reflect.DeepEqual(got, expected) {
			t.Errorf("%s: got %v, want %v", name, got, expected)
		}
	}
}

func TestBadExpressionPanicsOnUse(t *testing.T) {
	r := New("(")
	defer func() {
		if recover() == nil {
			t.Error("an expression that does not compile was used")
		}
	}()
	r.MatchString("")
}

func TestAtMost(t *testing.T) {
	r := New(`^[a-z]+$`).AtMost(3)
	for s, want := range map[string]bool{"abc": true, "abcd": false, "ABC": false, "": false} {
		if r.MatchString(s) != want {
			t.Errorf("MatchString(%q) is not %t", s, want)
		}
	}
}
