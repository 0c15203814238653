package publish

import (
	"strings"
	"testing"
)

// What one job writes, the next one reads: every field survives the file between them.
func TestResultRoundTrip(t *testing.T) {
	id := func(c string) string { return strings.Repeat(c, 40) }
	want := Result{Schema: ResultSchema, RepositoryID: 1, PullRequest: 2, RunID: 3, TestedCommit: id("a"), TestedTree: id("b"), ResultTree: id("c"), Commit: id("d"),
		CommittedAt: 1700000000, PolicySHA256: strings.Repeat("e", 64), PatchSHA256: strings.Repeat("f", 64), PackSHA256: strings.Repeat("0", 64), PackBytes: 9, Changed: []string{"a.ts"}}
	text, err := WriteResult(want)
	if err != nil {
		t.Fatal(err)
	}
	got, err := ReadResult(text)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	again, err := WriteResult(got)
	if err != nil || string(again) != string(text) {
		t.Errorf("got %+v, error %v", got, err)
	}
}
