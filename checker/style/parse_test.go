package style

import (
	"slices"
	"strings"
	"testing"
)

var kindNames = map[Kind]string{
	AtRule: "at", Function: "function", Property: "property", Pseudo: "pseudo", Address: "address", Text: "text", Escape: "escape", Slashes: "slashes", Comment: "comment", Broken: "broken",
}

func TestFacts(t *testing.T) {
	for _, c := range []struct {
		text string
		want []string
		not  []string
	}{
		{"@MEDIA print { }", []string{"at media"}, nil},
		{"@plu\\67in 'x';", []string{"at plugin", "escape "}, nil},
		{"a { b: url(x.png) }", []string{"address x.png"}, []string{"escape", "broken"}},
		{"a { b: URL( 'x.png' ) }", []string{"address x.png"}, nil},
		{"a { b: url(\"/\\2f host\") }", []string{"address //host", "escape "}, nil},
		{"a { b: u\\72l(x) }", []string{"function url", "escape "}, nil},
		{"a { b: image-set('x.png' 1x, url(y.png)) }", []string{"address x.png", "address y.png", "function image-set"}, nil},
		{"a { b: image-set('\\2f x' 1x) }", []string{"escape ", "address /x"}, nil},
		{"a { b: src('x') }", []string{"address x"}, nil},
		{"a { content: '\\2014 x' }", []string{"text —x"}, []string{"escape"}},
		{"a { b: c(1) 'd' }", []string{"text d"}, []string{"address"}},
		{"a { b: attr(x type(<url>)) }", []string{"function attr type", "function attr url"}, nil},
		{"a { b: attr(x) }", []string{"function attr"}, []string{"function attr "}},
		{"a { --x: https://y }", []string{"slashes //"}, nil},
		{"a { b: 1 / / 2 }", nil, []string{"slashes"}},
		{"a { composes: b from 'c' }", []string{"property composes", "text c"}, nil},
		{":import('x') { a: b } :export { c: d }", []string{"function import", "pseudo export"}, nil},
		{"/* x */", []string{"comment  x "}, []string{"broken"}},
		{"/* x", []string{"broken "}, nil},
		{"/*/", []string{"broken "}, nil},
		{"a { b: 'x\n }", []string{"broken "}, nil},
		{"a { b: 'x", []string{"broken "}, nil},
		{"a { b: url(x y) }", []string{"broken "}, nil},
		{"a { b: url(x", []string{"broken "}, nil},
		{"<!-- -->", []string{"broken "}, nil},
		{"a { b: c", []string{"broken "}, nil},
		{"a { b: c } }", []string{"broken "}, nil},
		{"a { b: c } d", []string{"broken "}, nil},
		{"@import 'x'", []string{"broken "}, nil},
		{"@media print { a { b: c } } /* d */\n", nil, []string{"broken"}},
		{"a { --b: { c: d }; }", nil, []string{"broken"}},
		{":import('./x.ts') { a: b }", []string{"address ./x.ts"}, nil},
		{"a { c\\6fmposes: b }", []string{"property composes", "escape "}, nil},
		{"a { b: image-set( } c { content: 'x' }", []string{"text x"}, []string{"address"}},
	} {
		var got []string
		for _, u := range Parse([]byte(c.text)).uses {
			got = append(got, kindNames[u.Kind]+" "+u.Name)
		}
		for _, w := range c.want {
			if !slices.Contains(got, w) {
				t.Errorf("%q: no fact %q in %q", c.text, w, got)
			}
		}
		for _, n := range c.not {
			if slices.ContainsFunc(got, func(g string) bool { return strings.HasPrefix(g, n) }) {
				t.Errorf("%q: a fact %q in %q", c.text, n, got)
			}
		}
	}
}

func TestNew(t *testing.T) {
	one, two := Parse([]byte("@a;\n")), Parse([]byte("@a;\n\n@a;\n"))
	for name, c := range map[string]struct {
		base, result *Facts
		added        int
		want         []int
	}{
		"none new":          {one, one, 1, nil},
		"one more":          {one, two, 3, []int{3}},
		"one more, before":  {one, two, 1, []int{1}},
		"all new":           {nil, two, 1, []int{1, 3}},
		"fewer":             {two, one, 1, nil},
		"no file afterward": {two, nil, 1, nil},
	} {
		var lines []int
		for _, u := range New(c.base, c.result, func(f Fact) bool { return f.Kind == AtRule }, func(l int) bool { return l == c.added }) {
			lines = append(lines, u.Line)
		}
		if !slices.Equal(lines, c.want) {
			t.Errorf("%s: lines %v, want %v", name, lines, c.want)
		}
	}
}

func TestDecode(t *testing.T) {
	for in, want := range map[string]string{
		`\41 b`: "Ab", `\000041b`: "Ab", `\,`: ",", "a\\\nb": "ab", "a\\\r\nb": "ab", `\0`: "\uFFFD", `\110000`: "\uFFFD", `a\`: `a\`, `\41`: "A", "\\41\r\nb": "Ab",
	} {
		if got := Decode(in); got != want {
			t.Errorf("Decode(%q) = %q, want %q", in, got, want)
		}
	}
}

// TestValue: two facts that load a file are the same if they load the same one.
func TestValue(t *testing.T) {
	for text, want := range map[string]string{
		"@plugin 'a';": "'a'", "@plugin\n  'a'  b { }": "'a' b", "@import 'a'": "'a'", "@media": "", "a { composes: b  from 'c' }": "b from 'c'", "a { b: c }": "",
		"@x 'a' @y 'b';": "'a'",
	} {
		for _, u := range Parse([]byte(text)).uses {
			if u.Kind != AtRule && u.Kind != Property {
				continue
			}
			if u.Value != want {
				t.Errorf("%q: the value of %q is %q, want %q", text, u.Name, u.Value, want)
			}
			break
		}
	}
}

// FuzzParse wants every text to be read, without a panic and with its lines counted.
func FuzzParse(f *testing.F) {
	for _, s := range []string{"a{b:c}", "@import url(x);", "'a\\\nb'", "/*", "url(\\", "a{b:url('x'"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for _, u := range Parse([]byte(s)).uses {
			if u.Line < 1 || u.Line > strings.Count(s, "\n")+1 {
				t.Errorf("line %d of %q", u.Line, s)
			}
		}
	})
}
