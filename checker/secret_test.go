package checker

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
)

// secretFindings is what the secret rules find.
func secretFindings(t testing.TB, c *Change) []Finding {
	t.Helper()
	var out []Finding
	for _, r := range secretRules() {
		out = append(out, r.Check(c)...)
	}
	return out
}

func addedLines(t testing.TB, texts ...string) *Change {
	t.Helper()
	f := &File{Path: "packages/core/src/example.ts"}
	for i, text := range texts {
		f.Added = append(f.Added, Line{Number: i + 1, Text: text})
	}
	return &Change{Policy: seedPolicy(t), Files: []*File{f}}
}

func testLines(t *testing.T, path string) []string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSuffix(string(data), "\n"), "\n")
}

// TestSecretsPass judges lines of ordinary code that look a little like secrets.
func TestSecretsPass(t *testing.T) {
	lines := testLines(t, "testdata/secrets/good.txt")
	if len(lines) < 60 {
		t.Errorf("%d lines, want at least 60", len(lines))
	}
	for _, line := range lines {
		if found := secretFindings(t, addedLines(t, line)); len(found) > 0 {
			t.Errorf("%s\n\t%+v", line, found)
		}
	}
}

// TestSecretsAreFound judges made-up secrets. Each stands in two pieces in the file, with <> between them, so that
// no scanner takes it for a real one.
func TestSecretsAreFound(t *testing.T) {
	lines := testLines(t, "testdata/secrets/bad.txt")
	if len(lines) < 60 {
		t.Errorf("%d lines, want at least 60", len(lines))
	}
	for _, row := range lines {
		kind, line, _ := strings.Cut(row, "\t")
		line = strings.ReplaceAll(line, "<>", "")
		found := secretFindings(t, addedLines(t, line))
		if !slices.ContainsFunc(found, func(f Finding) bool { return f.Kind == kind }) {
			t.Errorf("want %s for %s, got %+v", kind, row, found)
		}
		for _, f := range found {
			quotesNothing(t, f, line)
		}
	}
}

// quotesNothing holds a finding to the promise that no secret reaches a log through it.
func quotesNothing(t *testing.T, f Finding, line string) {
	t.Helper()
	for i := 0; i+12 <= len(line); i++ {
		if strings.Contains(f.Message, line[i:i+12]) {
			t.Errorf("the message %q repeats %q of the line", f.Message, line[i:i+12])
			return
		}
	}
}

// TestSecretOverLines puts the pieces of a string on neighbouring lines. The finding is where the secret begins.
func TestSecretOverLines(t *testing.T) {
	c := addedLines(t, "const é = 1;", `const k = "é" + "gh" +`, `  "p_abcdefghijklmnop" +`, `  "qrstuvwxyz0123456789";`)
	found := secretFindings(t, c)
	if len(found) == 0 || found[0].Line != 2 || found[0].Column != 18 {
		t.Errorf("got %+v, want line 2, column 18", found)
	}
	c.Files[0].Added[2].Number = 7 // not a neighbour any more: nothing is put together
	c.Files[0].Added[3].Number = 9
	if found := secretFindings(t, c); len(found) > 0 {
		t.Errorf("lines apart: got %+v", found)
	}
}

// TestSecretsThatCodeMakes writes texts that no line holds.
func TestSecretsThatCodeMakes(t *testing.T) {
	for _, tt := range []struct{ text, kind string }{
		{`export const k = ["gh", "p_abcdefghijklm", "nopqrstuvwxyz0123456789"].join("");`, "secret-shape"},
		{`export const k = String.fromCharCode(65, 75) + "IAIOSFODNN7EXAMPLE";`, "secret-shape"},
		{`export const k = ["TESTSPRITE", "API", "KEY"].join("_");`, "secret-name"},
		{`export const k = ["0f1e2d3c4b5a69", "788796a5b4c3d2e1f0"].join("");`, "secret-entropy"},
		{`export const k = ["postgres://app:", "hunter2@db.example.com"].join("");`, "secret-shape"},
		{`export const k = ["one", "two"].join("_");`, ""},
		{"export const k = (u: string, p: string) => `https://${u}:${p}@example.com`;", ""},
	} {
		c := addedLines(t, tt.text)
		c.Files[0].New, c.Files[0].Result = true, []byte(tt.text+"\n")
		found := secretFindings(t, c)
		if tt.kind == "" && len(found) > 0 || tt.kind != "" && (len(found) == 0 || found[0].Kind != tt.kind || found[0].Line != 1) {
			t.Errorf("%s: got %+v, want %q on line 1", tt.text, found, tt.kind)
		}
		c.Files[0].New, c.Files[0].Base = false, c.Files[0].Result
		c.Files[0].Added, c.Files[0].source = nil, nil
		if found := secretFindings(t, c); len(found) > 0 {
			t.Errorf("%s: the base has it already, got %+v", tt.text, found)
		}
	}
}

func TestSecretInPath(t *testing.T) {
	for path, kind := range map[string]string{
		"packages/core/src/gh" + "p_abcdefghijklmnopqrstuvwxyz0123456789.ts": "secret-shape",
		"packages/core/src/testsprite_api_key.ts":                            "secret-name",
		"packages/core/src/0f1e2d3c4b5a69788796" + "a5b4c3d2e1f0.ts":         "secret-entropy",
	} {
		found := secretFindings(t, &Change{Policy: seedPolicy(t), Files: []*File{{Path: path}}})
		if len(found) != 1 || found[0].Kind != kind || found[0].Line != 0 {
			t.Errorf("%s: got %+v, want %s", path, found, kind)
		}
	}
}

// TestRandomRuns measures the entropy rule on keys drawn from the usual alphabets. The source of randomness has a
// fixed seed, so the figures are the same on every run.
func TestRandomRuns(t *testing.T) {
	const (
		base64   = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
		base64u  = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
		base62   = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
		base36   = "abcdefghijklmnopqrstuvwxyz0123456789"
		hexadec  = "0123456789abcdef"
		perTable = 2000
	)
	r := rand.New(rand.NewPCG(1, 2))
	rule := ruleSecretEntropy()
	for _, tt := range []struct {
		name, alphabet string
		length         int
		least          float64 // share that must be found
	}{
		{"hex 32", hexadec, 32, 1}, {"hex 64", hexadec, 64, 1},
		{"base62 32", base62, 32, 0.98}, {"base62 48", base62, 48, 0.98},
		{"base64 44", base64, 44, 0.97}, {"base64url 43", base64u, 43, 0.92}, {"base64url 86", base64u, 86, 0.99},
		{"base36 40", base36, 40, 0.95},
	} {
		found := 0
		for range perTable {
			b := make([]byte, tt.length)
			for i := range b {
				b[i] = tt.alphabet[r.IntN(len(tt.alphabet))]
			}
			c := &Change{Files: []*File{{Added: []Line{{1, fmt.Sprintf("const k = %q;", b)}}}}}
			if len(rule.Check(c)) > 0 {
				found++
			}
		}
		share := float64(found) / perTable
		t.Logf("%s: %.3f", tt.name, share)
		if share < tt.least {
			t.Errorf("%s: found %.3f, want at least %.2f", tt.name, share, tt.least)
		}
	}
}

// TestShapesCompile compiles every expression, which the rule does only for texts that hold its mark.
func TestShapesCompile(t *testing.T) {
	for _, s := range secretShapes {
		s.find(strings.Join(s.marks, " "))
		if len(s.marks) == 0 || slices.Contains(s.marks, "") {
			t.Errorf("%s: %q has no mark", s.name, s.pattern)
		}
	}
}
