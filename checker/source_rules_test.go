package checker

import (
	"strings"
	"testing"

	"selffix/checker/source"
)

const hole = source.Hole

func TestRemote(t *testing.T) {
	allowed := []string{"ok.example"}
	for text, want := range map[string]bool{
		"https://a.example":                            true,
		"see HTTPS://A.EXAMPLE/x":                      true,
		"https://" + hole:                              true,
		"https://" + hole + ".ok.example":              true,
		hole + "//a.example":                           true,
		hole + "//" + hole:                             false,
		"//a.example":                                  true,
		" \t//a.example":                               true,
		"/\\a.example":                                 true,
		"/\n/a.example":                                true,
		"ht\ttps://a.example":                          true,
		"http:a.example":                               true,
		"https:/a.example":                             true,
		"/a.png 1x, //a.example/b.png 2x":              true,
		"url(//a.example)":                             true,
		"https://ok.example":                           false,
		"https://OK.example:443/x?y#z":                 false,
		"https://ok.example@a.example":                 true,
		"https://ok.example:x@a.example":               true,
		"https://ok.example.a.example":                 true,
		"https://ok.example, https://a.ex":             true,
		"https:":                                       false,
		"http: a colon":                                false,
		"/a//b":                                        false,
		"1 // 2":                                       false,
		"and//or":                                      false,
		"mailto:a@b.example":                           false,
		"#top":                                         false,
		"http://www.w3.org/2000/svg":                   false,
		"http://www.w3.org/2000/svg" + hole:            true,
		"file:///etc/passwd":                           true,
		"blob:x":                                       false,
		"":                                             false,
		"///a.example":                                 true,
		"/\\/a.example":                                true,
		hole + "///a.example":                          true,
		"https:////a.example":                          true,
		"/a.png 1x, http:a.example/b.png 2x":           true,
		"0;url=http:a.example/x":                       true,
		"x|//a.example/y":                              true,
		"x\n//a.example":                               true,
		`{"u":"\/\/a.example"}`:                        true,
		`{"u":"\u002f\u002fa.example"}`:                true,
		`{"u":"https\u003a\u002f\u002fa.ex"}`:          true,
		`u\72l('\2f\2f a.example')`:                    true,
		"https://ok.example'@a.example":                true,
		"https://ok.example a@a.example":               true,
		"https://ok.example(@a.example":                true,
		"//ok.example:80'@a.example":                   true,
		"https://" + hole + "@ok.example":              true,
		`<a href="https://ok.example">x@y.example</a>`: true,
		"error in file:line":                           false,
		"either http:verb or ws:port":                  false,
		"https://ok.example is ours":                   false,
		"12:30 - https is a scheme, nothing //":        false,
	} {
		if got := remote(text, allowed); got != want {
			t.Errorf("remote(%q) = %v, want %v", text, got, want)
		}
	}
}

func TestRunnable(t *testing.T) {
	for text, want := range map[string]bool{
		"javascript:x": true, " \x01JavaScript:x": true, "java\nscript:x": true, "vbscript:x": true, "blob:x": true, "data:text/html,x": true,
		"DATA:,x": true, "data:" + hole: true, "data: 12": false, "data:": false, "javascript": false, "a javascript:x": true,
		`<a href="javascript: x()">`: true, `{"u":"java\tscript:x"}`: true, "/a;javascript:x": true, `{"u":"javascript\u003ax"}`: true,
		"Learn JavaScript: the good parts": false, "typescript:x": false, "data:changed": false,
	} {
		if got := runnable(text); got != want {
			t.Errorf("runnable(%q) = %v, want %v", text, got, want)
		}
	}
}

func TestMayBeForbidden(t *testing.T) {
	for shape, want := range map[string]bool{
		hole: true, hole + hole: true, "constr" + hole: true, hole + "uctor": true, "con" + hole + "tor": true, "c" + hole: false, "btn-" + hole: false,
		hole + "-a": false, "0" + hole: false, "__" + hole + "__": true, "construct" + hole + "s": false, hole + "Error": false,
	} {
		if got := mayBeForbidden(shape); got != want {
			t.Errorf("mayBeForbidden(%q) = %v, want %v", shape, got, want)
		}
	}
}

func TestModuleKind(t *testing.T) {
	c := &Change{Policy: seedPolicy(t)}
	f := &File{Path: "packages/web/src/components/x.tsx", New: true, Result: []byte("export {};\n")}
	c.Files = []*File{f}
	c.sources()
	for spec, want := range map[string]string{
		"react": "", "next/link": "", "react/jsx-runtime": "module-deny", "zod": "module-deny", "next/headers": "module-deny", "server-only": "module-deny",
		"./card": "", "../lib/format": "", "@/lib/groups": "", "./x.module.css": "", "../../../core/src/money": "",
		"fs": "module-node", "fs/promises": "module-node", "node:fs": "module-node", "https://a.example/x.js": "module-node", "data:text/javascript,1": "module-node",
		"@/lib/env": "module-env", "../lib/env.ts": "module-env", "@/lib/env?raw": "module-env", "@/lib/ENV": "module-env", "@/lib/env/": "module-env",
		"@/lib/env/server": "module-env", "@/lib/%65nv": "module-deny", "@/lib\\env": "module-deny", "@/lib/envelope": "",
		"@/db": "module-db", "@/DB/client": "module-db", "../db/schema": "module-db", "../lib/../db/schema": "module-db", "@/database": "",
		"/etc/passwd": "module-deny", "../../../../package.json": "module-deny", "../../../../../x": "module-deny", "@/../.env.local": "module-deny",
		"@/lib/.hidden": "module-deny", "../../node_modules/x": "module-deny", "!!raw-loader!./x": "module-deny", "#internal": "module-deny", "": "module-deny",
	} {
		if got := c.moduleKind(f, spec); got != want {
			t.Errorf("moduleKind(%q) = %q, want %q", spec, got, want)
		}
	}
}

// TestSizeBeforeParsing wants a file over the limit never to be parsed, before or after.
func TestSizeBeforeParsing(t *testing.T) {
	p := seedPolicy(t)
	long := []byte(strings.Repeat(" ", p.Limits.FileBytes) + "x")
	for _, name := range []string{"packages/web/src/a.ts", "packages/web/src/a.css"} {
		for _, f := range []*File{{Path: name, Result: long}, {Path: name, Base: long, Result: []byte("x")}, {Path: name, Deleted: true}} {
			c := &Change{Policy: p, Files: []*File{f}}
			for _, r := range append(sourceRules(), styleRules()...) {
				r.Check(c)
			}
			if f.source != nil || f.style != nil {
				t.Errorf("%s of %d bytes was parsed", name, len(f.Result))
			}
		}
	}
}

// TestFindingPlace wants findings on the line that the patch added, also for facts that have no place of their own.
func TestFindingPlace(t *testing.T) {
	base := "import { a } from \"./a\";\n\nexport const b = a;\n"
	result := "import { a } from \"./a\";\nimport fs from \"fs\";\n\nexport const b = a;\nexport async function f() {\n  const x = 1;\n  eval(\"1\");\n  return [x, fs, document.cookie];\n}\n"
	f := &File{Path: "packages/web/src/lib/a.ts", Base: []byte(base), Result: []byte(result), Added: linesAdded(base, result)}
	c := &Change{Policy: seedPolicy(t), Files: []*File{f}}
	got := map[string]int{}
	for _, r := range sourceRules() {
		for _, found := range r.Check(c) {
			got[found.Kind] = found.Line
		}
	}
	for kind, line := range map[string]int{"module-node": 2, "code-eval": 7, "web-storage": 8} {
		if got[kind] != line {
			t.Errorf("%s in line %d, want %d", kind, got[kind], line)
		}
	}
	if len(got) != 3 {
		t.Errorf("kinds %v, want three", got)
	}
}
