package checker

import (
	"strings"
	"testing"
)

// TestCharacterFindings holds findings to their place: the first code point of a class on each line, counted in code
// points, and every class that a line holds.
func TestCharacterFindings(t *testing.T) {
	tests := []struct {
		line string
		want []Finding // Rule, Column and the start of Message
	}{
		{"plain text\twith a tab", nil},
		{"割り勘　メモ 😀 é", nil},
		{"割り勘\u202e", []Finding{{Rule: "SF-UNICODE-001", Column: 4, Message: "U+202E is a text direction character"}}},
		{"a\u200bb\u200cc\u200d", []Finding{{Rule: "SF-UNICODE-002", Column: 2, Message: "U+200B is invisible, and 2 more follow"}}},
		{"\u2028", []Finding{
			{Rule: "SF-UNICODE-002", Column: 1, Message: "U+2028 is invisible"},
			{Rule: "SF-UNICODE-003", Column: 1, Message: "U+2028 is a control character"},
		}},
		{"x\x00", []Finding{{Rule: "SF-UNICODE-003", Column: 2, Message: "U+0000 is a control character"}}},
		{"\u202a\ue000", []Finding{
			{Rule: "SF-UNICODE-001", Column: 1, Message: "U+202A"},
			{Rule: "SF-UNICODE-004", Column: 2, Message: "U+E000 is a character without an agreed meaning"},
		}},
		{"e\u0301\u0302\u0303", nil},
		{"e\u0301\u0302\u0303\u0304", []Finding{{Rule: "SF-UNICODE-005", Column: 5, Message: "U+0304 is combining mark number 4 in a row"}}},
		{"e\u0301\u0302e\u0303\u0304", nil},
		{"\U000e0041", []Finding{{Rule: "SF-UNICODE-002", Column: 1, Message: "U+E0041"}}},
	}
	for _, tt := range tests {
		f := &File{Path: "packages/core/src/a.ts", Added: []Line{{7, tt.line}}}
		var got []Finding
		for _, r := range characterRules() {
			got = append(got, r.Check(&Change{Files: []*File{f}})...)
		}
		if len(got) != len(tt.want) {
			t.Errorf("%+q: got %+v", tt.line, got)
			continue
		}
		for i, w := range tt.want {
			if g := got[i]; g.Rule != w.Rule || g.Line != 7 || g.Column != w.Column || !strings.HasPrefix(g.Message, w.Message) || g.File != f.Path {
				t.Errorf("%+q: got %+v, want %+v", tt.line, g, w)
			}
		}
	}
}

// TestCharactersInPath finds them in paths too, where they have no line.
func TestCharactersInPath(t *testing.T) {
	c := &Change{Files: []*File{{Path: "packages/core/src/a\u202eb\u200c.ts"}}}
	found := 0
	for _, r := range characterRules() {
		for _, f := range r.Check(c) {
			found++
			if f.Line != 0 || f.Column != 0 || !strings.HasPrefix(f.Message, "in the path: U+20") {
				t.Errorf("got %+v", f)
			}
		}
	}
	if found != 2 {
		t.Errorf("%d findings, want 2", found)
	}
}

// TestSizeRules stands at each limit of the seed's policy and one above it.
func TestSizeRules(t *testing.T) {
	p := seedPolicy(t)
	line := func(n int) []Line { return []Line{{1, strings.Repeat("x", n)}} }
	lines := func(n int) []Line { return make([]Line, n) }
	for _, tt := range []struct {
		name   string
		change Change
		want   RuleID
	}{
		{"lines", Change{Files: []*File{{Added: lines(100)}, {Removed: 100}}}, ""},
		{"lines", Change{Files: []*File{{Added: lines(100)}, {Removed: 101}}}, "SF-SIZE-001"},
		{"bytes", Change{Patch: make([]byte, 200000)}, ""},
		{"bytes", Change{Patch: make([]byte, 200001)}, "SF-SIZE-002"},
		{"line", Change{Files: []*File{{Added: line(1000)}}}, ""},
		{"line", Change{Files: []*File{{Added: line(1001)}}}, "SF-SIZE-003"},
		{"blanks", Change{Files: []*File{{Added: []Line{{1, "a" + strings.Repeat(" ", 80) + "b"}}}}}, ""},
		{"blanks", Change{Files: []*File{{Added: []Line{{1, "a" + strings.Repeat(" \t\u3000", 27) + "b"}}}}}, "SF-SIZE-004"},
		{"result", Change{Files: []*File{{Result: make([]byte, 131072)}}}, ""},
		{"result", Change{Files: []*File{{Result: make([]byte, 131073)}}}, "SF-SIZE-005"},
		{"base", Change{Files: []*File{{Base: make([]byte, 131073)}}}, "SF-SIZE-005"},
	} {
		tt.change.Policy = p
		var got []Finding
		for _, r := range sizeRules() {
			got = append(got, r.Check(&tt.change)...)
		}
		if tt.want == "" && len(got) > 0 || tt.want != "" && (len(got) != 1 || got[0].Rule != tt.want || got[0].PolicyKey == "") {
			t.Errorf("%s: got %+v, want %q", tt.name, got, tt.want)
		}
	}
}

// TestZeroPolicyRefuses holds the rules to fail closed: without a policy nothing may change.
func TestZeroPolicyRefuses(t *testing.T) {
	c := &Change{Patch: []byte("x"), Files: []*File{{Path: "src/a.ts", Result: []byte("x\n"), Added: []Line{{1, "x y"}}}}}
	for _, id := range []RuleID{"SF-PATH-003", "SF-SIZE-001", "SF-SIZE-002", "SF-SIZE-003", "SF-SIZE-004", "SF-SIZE-005"} {
		for _, r := range Rules() {
			if r.ID == id && len(r.Check(c)) == 0 {
				t.Errorf("%s finds nothing under the zero policy", id)
			}
		}
	}
}
