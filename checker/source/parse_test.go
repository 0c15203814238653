package source

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// kindNames are the kinds as the tables below write them.
var kindNames = map[Kind]string{
	Global: "global", Bare: "bare", Member: "member", Read: "read", Index: "index", Define: "define", Write: "write", Key: "key", String: "string",
	Probe: "probe", Text: "text", Import: "import", Name: "name", DynamicImport: "dynamic", Meta: "meta", Directive: "directive",
	Export: "export", This: "this", Syntax: "syntax", Element: "element", Attribute: "attribute", Timer: "timer", Foreign: "foreign",
}

// facts are the facts of a text as "kind name@line", in both forms, sorted, each once.
func facts(t *testing.T, text string) []string {
	t.Helper()
	f, err := Parse([]byte(text), TSX)
	if err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	var out []string
	for _, u := range New(nil, f, func(Fact) bool { return true }, func(int) bool { return true }) {
		out = append(out, fmt.Sprintf("%s %s@%d", kindNames[u.Kind], strings.ReplaceAll(u.Name, Hole, "_"), u.Line))
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// TestFacts wants facts to be there, and others not to be.
func TestFacts(t *testing.T) {
	for _, c := range []struct {
		text string
		want []string
		not  []string // beginnings
	}{
		{"pro\\u0063ess.env;", []string{"global process@1", "read env@1"}, nil},
		{"const f = ({ on } = { on: 1 }) => on;\nself.x;", []string{"global self@2"}, nil},
		{"export const f = ([a, b] = [1, 2], { s: { w } } = { s: { w: 1 } }) =>\n  <p>{a + b + w + self.x}</p>;", []string{"global self@2"}, nil},
		{"let process = 1;\nprocess;", nil, []string{"global"}},
		{"{ function self() {} }\nself.x;", []string{"global self@2"}, nil},
		{"function f(self, a = self) {}", nil, []string{"global self"}},
		{"import { self } from './a';\nself.x;", []string{"import ./a@1", "name ./a self@1"}, []string{"global"}},
		{"if (typeof self === 'object') {}", []string{"probe object@1"}, []string{"global"}},
		{"window.innerWidth;", []string{"member window.innerWidth@1", "read innerWidth@1"}, []string{"bare"}},
		{"const w = window;", []string{"bare window@1"}, nil},
		{"const { a, b: { c } } = window;", []string{"member window.a@1", "member window.b@1", "read c@1"}, []string{"bare"}},
		{"const { ...all } = window;", []string{"bare window@1"}, nil},
		{"window['a' + 'b'];", []string{"member window.ab@1"}, []string{"bare"}},
		{"window[k];", []string{"bare window[]@1"}, nil},
		{"'a' in window;", nil, []string{"bare"}},
		{"location = x;\nwindow.location = y;", []string{"bare location=@1", "bare location=@2"}, nil},
		{"f['constr' + 'uctor'];", []string{"index constructor@1"}, nil},
		{"const k = ['a', 'b'].join('');\nf[k];", []string{"index ab@2", "string ab@1"}, []string{"key"}},
		{"let k = '';\nfor (const c of [97, 98]) k += String.fromCharCode(c);\nf[k];", []string{"index ab@3"}, nil},
		{"const c = [97, 98];\nlet k = '';\nfor (let i = 0; i < c.length; i++) k += String.fromCharCode(c[i]);\nf[k];", []string{"index ab@4"}, nil},
		{"const g = (a, b) => a + b;\nf[g('x', 'y')];", []string{"index xy@2"}, nil},
		{"const [a, b] = ['x', 'y'];\nf[`${a}${b}`];", []string{"index xy@2"}, nil},
		{"f['b,a'.split(',').reverse().map((s) => s.toUpperCase()).join('-')];", []string{"index A-B@1"}, nil},
		{"f[/ab/.source + 'c'];", []string{"index abc@1"}, nil},
		{"enum E { A = 'x', B = 'y' }\nf[E.A + E.B];", []string{"index xy@2"}, nil},
		{"f[`a-${x}`];", []string{"key a-_@1"}, nil},
		{"f[x + y];", []string{"key __@1"}, nil},
		{"f[x()];", []string{"key _@1"}, nil},
		{"f[x]; f[x.y]; f[g(x)]; f[x.length - 1]; f[1]; f[-x]; f[c ? x : y];", nil, []string{"key", "index"}},
		{"function f(a: any, i: number, j: number) { return a[i + j]; }", nil, []string{"index"}},
		{"xs.map((x, i) => x[i + k]);", []string{"key 0__@1"}, nil},
		{"const { [a + b]: c } = d;", []string{"key __@1"}, nil},
		{"({ a: x } = y);", []string{"read a@1"}, nil},
		{"x.startsWith('https://');", []string{"probe https://@1"}, []string{"string"}},
		{"fetch(`https://${h}/a`);", []string{"string https://_/a@1"}, nil},
		{"const a = 'https:', b = '//x';\nfetch(a + b);", []string{"string https://x@2"}, nil},
		{"function f() {\n  'use\\x20server';\n}", []string{"directive use server@2"}, nil},
		{"('use server');", []string{"directive use server@0"}, nil},
		{"import a, { b as c } from 'm';\nimport * as d from 'n';\nexport { e as f } from 'o';\nexport * from 'p';",
			[]string{"import m@1", "name m default@1", "name m b@1", "import n@2", "name n *@2", "import o@3", "name o e@3", "export f@3", "import p@4", "export *@4"}, nil},
		{"import type { A } from 'm';\nimport { type B } from 'n';", []string{"import n@2"}, []string{"import m", "name"}},
		{"export const { a, b: [c] } = x;\nexport default function d() {}", []string{"export a@1", "export c@1", "export default@1"}, []string{"export d@"}},
		{"import(\n  './a');", []string{"dynamic ./a@1"}, nil},
		{"import\n.meta.url;", []string{"meta import.meta@1"}, nil},
		{"function f() { return this; }\nclass A { m() { return () => this; } }", []string{"this this@1"}, []string{"this this@2"}},
		{"setTimeout(() => 1, 2);\nsetTimeout(f, 2);\nclass A { m() { setTimeout(this.m); } }", nil, []string{"timer"}},
		{"setTimeout('x');\nconst s = `y`;\nsetTimeout(s);\nconst t = setTimeout;\nwindow.setInterval(o.x);",
			[]string{"timer setTimeout@1", "timer setTimeout@3", "timer setTimeout@4", "timer setInterval@5"}, nil},
		{"const { setTimeout: later } = window;", []string{"timer setTimeout@1"}, nil},
		{"window.navigator.x;", []string{"member navigator.x@1"}, nil},
		{"x.host = y;", []string{"write host@1"}, nil},
		{"<a href={`x${y}`} {...z}>Text &amp; {'more'}</a>;", []string{"element a@1", "define href@1", "string x_@1", "text Text & @1", "text more@1"}, nil},
		{"<a title='&#106;s'>x</a>;", []string{"string js@1"}, nil},
		{"const T = 'scr' + 'ipt';\n<T src='x' />;", []string{"element script@2"}, nil},
		{"document.createElement(x);\ndocument.createElement('p');", []string{"element _@1", "element p@2"}, nil},
		{"h('script', { src: 1 });", []string{"element script@1"}, nil},
		{"el.setAttribute('on' + 'click', x);", []string{"attribute onclick@1"}, nil},
		{"const é = 1;\nx.ü;\ny = { 'ö': 1 };", []string{"foreign é@1", "foreign ü@2", "define ö@3"}, []string{"foreign ö"}},
		{"function f() { new.target; }", []string{"syntax new.target@1"}, nil},
		{"class A { constructor() {} prototype() {} }", []string{"define prototype@1"}, []string{"define constructor"}},
		{"class A { #y; f(x) { return x.#y; } }", nil, []string{"read"}},
	} {
		got := facts(t, c.text)
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

// TestNew wants an old use to excuse no new one, and new ones to be found on added lines first.
func TestNew(t *testing.T) {
	parse := func(text string) *Facts {
		f, err := Parse([]byte(text), TypeScript)
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	eval := func(f Fact) bool { return f.Kind == Global && f.Name == "eval" }
	one, two := parse("eval;\n"), parse("eval;\n1;\neval;\n")
	for name, c := range map[string]struct {
		base, result *Facts
		added        int
		want         []int
	}{
		"none new":         {one, one, 1, nil},
		"one more":         {one, two, 3, []int{3}},
		"one more, before": {one, two, 1, []int{1}},
		"all new":          {nil, two, 1, []int{1, 3}},
		"fewer":            {two, one, 1, nil},
		"nothing left":     {two, nil, 1, nil},
	} {
		var lines []int
		for _, u := range New(c.base, c.result, eval, func(l int) bool { return l == c.added }) {
			lines = append(lines, u.Line)
		}
		if !slices.Equal(lines, c.want) {
			t.Errorf("%s: lines %v, want %v", name, lines, c.want)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	for name, text := range map[string]string{
		"broken":      "const a = (1;",
		"reader name": "const $jsx__ = 1;",
		"deep":        strings.Repeat("(", 300) + "1" + strings.Repeat(")", 300),
		"long line":   "const a = \"" + strings.Repeat("a", 20_000) + "\";",
		"attributes":  "import a from './a.json' with { type: 'json' };",
		"deferred":    "import defer * as a from './a';",
	} {
		if _, err := Parse([]byte(text), TypeScript); !errors.Is(err, ErrParse) {
			t.Errorf("%s: error %v, want ErrParse", name, err)
		}
	}
	if _, err := Parse(nil, 0); !errors.Is(err, ErrParse) {
		t.Errorf("no dialect: error %v, want ErrParse", err)
	}
}

func TestDecode(t *testing.T) {
	for in, want := range map[string]string{
		`a\x62\u0063\u{64}`: "abcd", `\n\t\\\'\"`: "\n\t\\'\"", "a\\\nb": "ab", `\u{1F600}`: "😀", `\uD83D\uDE00`: "😀", `\101\0`: "A\x00", `\q`: "q", `\u{zz}`: "u", `\x4`: "x4",
	} {
		if got := decode(in); got != want {
			t.Errorf("decode(%q) = %q, want %q", in, got, want)
		}
	}
}

// FuzzParse wants every text to be read or refused. Panics of the parsers are caught: one of the walker's own shows as "gave up".
func FuzzParse(f *testing.F) {
	for _, s := range []string{"a", "const { a = 1, ...b } = c;", "<a b={c}>{d}</a>", "`${a}`", "class A { static { this.x } }", "for (const a of b) c += a;", "f(...[1, 'a'].map((x) => x + 1));"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		_, err := Parse([]byte(s), TSX)
		if err != nil && !errors.Is(err, ErrParse) {
			t.Error(err)
		}
		if err != nil && strings.Contains(err.Error(), "gave up") {
			t.Error("a panic while reading")
		}
	})
}
