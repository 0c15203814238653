package checker

import (
	"strings"
	"testing"

	"selffix/checker/source"
)

// TestAhead holds what was read ahead to the very bytes that it was read from: the grammar's result is no promise about git's.
func TestAhead(t *testing.T) {
	const path, harmless, harmful = "a.ts", "export const a = 1;\n", "export const a = process.env;\n"
	limit := len(harmful)
	names := func(facts *source.Facts, err error) bool {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return facts.Has(func(f source.Fact) bool { return f.Name == "process" || strings.HasPrefix(f.Name, "process.") })
	}
	var a ahead
	a.start(reading{ok: true, effects: map[string]effect{
		path:       {data: []byte(harmless)},
		"a.md":     {data: []byte(harmless)},
		"gone.ts":  {deleted: true},
		"large.ts": {data: []byte(strings.Repeat(harmless, 2))},
	}}, limit)
	a.wait()
	if len(a.files) != 1 || a.files[path] == nil {
		t.Errorf("%d files are read ahead, want the one of source within the limit", len(a.files))
	}
	first, err := a.read(&File{Path: path, Result: []byte(harmless)}, source.TypeScript)
	if names(first, err) {
		t.Error("facts appear that the text does not have")
	}
	if again, _ := a.read(&File{Path: path, Result: []byte(harmless)}, source.TypeScript); again != first {
		t.Error("the same bytes are read twice")
	}
	if !names(a.read(&File{Path: path, Result: []byte(harmful)}, source.TypeScript)) {
		t.Error("other bytes are given the facts of what was read ahead")
	}
	if !names(a.read(&File{Path: "b.ts", Result: []byte(harmful)}, source.TypeScript)) {
		t.Error("a file that was not read ahead is not read")
	}
	if !names((*ahead)(nil).read(&File{Path: path, Result: []byte(harmful)}, source.TypeScript)) {
		t.Error("without anything ahead, a file is not read")
	}
}
