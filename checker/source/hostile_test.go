package source

import (
	"errors"
	"runtime"
	"strings"
	"testing"
	"time"
)

// TestHostile reads files of 120,000 bytes that are made to make the parsers recurse, or to do work for each pair of things.
// Each is read or refused; none may take the deadline twice, none may panic, and memory stays far below what the parsers would take (the
// first ones alone took more than 2 GiB).
func TestHostile(t *testing.T) {
	const size = 120_000
	for name, p := range map[string][3]string{
		"parentheses":      {"(", "1", ")"},
		"open only":        {"(", "1", ""},
		"lists":            {"[", "", "]"},
		"not":              {"!", "a", ""},
		"minus":            {"- ", "1", ""},
		"blocks":           {"{", "", "}"},
		"conditions":       {"a?b:", "c", ""},
		"arrows":           {"x=>", "1", ""},
		"ifs":              {"if(a)", ";", ""},
		"ifs over lines":   {"if(a)\n", ";", ""},
		"else ifs":         {"if(a);else ", ";", ""},
		"else if blocks":   {"if(a){}else ", ";", ""},
		"loops":            {"for(;;)", ";", ""},
		"labels":           {"a:", ";", ""},
		"new":              {"new ", "a", ""},
		"typeof":           {"typeof ", "a", ""},
		"powers":           {"a**", "1", ""},
		"assignments":      {"a=", "1", ""},
		"members":          {"a.", "b", ""},
		"calls":            {"f(", "", ")"},
		"call chain":       {"a()", "", ""},
		"sums":             {"a+", "1", ""},
		"texts":            {"'a'+", "1", ""},
		"templates":        {"`${", "1", "}`"},
		"elements":         {"<a>", "", "</a>"},
		"type arguments":   {"let x: A<", "B", ">"},
		"type conditions":  {"type A = B extends C ? D : ", "E", ";"},
		"functions":        {"function f(){", "", "}"},
		"classes":          {"class A{a=", "1", "}"},
		"objects":          {"({a:", "1", "})"},
		"patterns":         {"[a,", "b", "]"},
		"many names":       {"var a1", "", ""},
		"constants":        {"const a='x';\nlet ", "b", ";"},
		"regexes in lines": {"/a/,\n", "1", ""},
		"blocks in lines":  {"{let a;}\n", "", ""},
		"calls in a list":  {"f(a[b],\n", "", ""},
		"hidden in text":   {"<a>'</a>;(", "1", ")"},
		"regexes":          {"/a/,", "1", ""},
		"quotes":           {"'", "", ""},
		"comments":         {"/*", "", ""},
		"backslashes":      {"\\", "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			n := size / (len(p[0]) + len(p[2]))
			text := strings.Repeat(p[0], n) + p[1] + strings.Repeat(p[2], n)
			done := make(chan error, 1)
			go func() {
				_, err := Parse([]byte(text), TSX)
				done <- err
			}()
			select {
			case err := <-done:
				if err != nil && !errors.Is(err, ErrParse) {
					t.Errorf("error %v, want one of ErrParse", err)
				}
				t.Log(err)
			case <-time.After(2 * Deadline):
				t.Fatal("no answer")
			}
		})
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	if m.Sys > 700<<20 {
		t.Errorf("the process took %d MiB", m.Sys>>20)
	}
	t.Logf("the process took %d MiB", m.Sys>>20)
}
