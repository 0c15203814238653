package pipeline

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func id(c string) string     { return strings.Repeat(c, 40) }
func digest(c string) string { return strings.Repeat(c, 64) }

func sample() Candidate {
	return Candidate{
		Schema: CandidateSchema, RepositoryID: 7, PullRequest: 3, RunID: 9,
		TestedCommit: id("a"), TestedTree: id("b"), ScrubbedTree: id("c"), PolicySHA256: digest("d"), PatchSHA256: digest("e"), PatchBytes: 12,
		ResultTree: id("f"), Before: Inventory{digest("1"), 3, 40}, After: Inventory{digest("2"), 3, 41},
		Changed: []Entry{{"packages/core/src/a.ts", id("1"), id("2")}, {"packages/core/src/b.ts", "", id("3")}},
		Check:   Check{Verdict: "accept", Rules: []string{}}, ClaimedTurns: 4, ClaimedCostUSD: 0.25, ClaimedSelfTest: "passed", ClaimedEvidence: "",
	}
}

func TestCandidateRoundTrip(t *testing.T) {
	text, err := WriteCandidate(sample())
	if err != nil {
		t.Fatal(err)
	}
	got, err := ReadCandidate(text)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(sample(), got); d != "" {
		t.Errorf("-want +got:\n%s", d)
	}
	golden(t, "candidate.golden.json", string(text))
}

func TestReadCandidateRefuses(t *testing.T) {
	text, err := WriteCandidate(sample())
	if err != nil {
		t.Fatal(err)
	}
	tests := map[string][2]string{
		"unknown key":        {`"sandbox": false,`, `"sandbox": false, "branch": "main",`},
		"unknown inner key":  {`"files": 3,`, `"files": 3, "names": [],`},
		"missing key":        {`"sandbox": false,`, ``},
		"missing inner key":  {`"files": 3,`, ``},
		"duplicate key":      {`"sandbox": false,`, `"sandbox": false, "sandbox": true,`},
		"case of a key":      {`"sandbox"`, `"Sandbox"`},
		"null":               {`"sandbox": false`, `"sandbox": null`},
		"trailing data":      {"\n}\n", "\n}{}\n"},
		"another schema":     {CandidateSchema, "self-fix/candidate/v2"},
		"short commit":       {id("a"), "abc"},
		"upper-case id":      {id("a"), id("A")},
		"tree of no change":  {id("f"), id("b")},
		"negative number":    {`"pull_request": 3`, `"pull_request": -3`},
		"no patch":           {`"patch_bytes": 12`, `"patch_bytes": 0`},
		"refused patch":      {`"accept"`, `"refuse"`},
		"findings":           {`"rules": []`, `"rules": ["SF-PATH-001"]`},
		"entry without path": {`"packages/core/src/a.ts"`, `""`},
		"unsorted entries":   {`"packages/core/src/a.ts"`, `"packages/core/src/c.ts"`},
		"same path twice":    {`"packages/core/src/a.ts"`, `"packages/core/src/b.ts"`},
		"entry of no change": {`"after": "` + id("2"), `"after": "` + id("1")},
		"control character":  {`"passed"`, `"pas\u001bsed"`},
		"negative cost":      {`0.25`, `-0.25`},
		"empty":              {string(text), ``},
	}
	for name, change := range tests {
		t.Run(name, func(t *testing.T) {
			altered := strings.Replace(string(text), change[0], change[1], 1)
			if altered == string(text) {
				t.Fatal("the case changes nothing")
			}
			if _, err := ReadCandidate([]byte(altered)); !errors.Is(err, ErrCandidate) {
				t.Errorf("error %v, want ErrCandidate", err)
			}
		})
	}
	if _, err := ReadCandidate(append(text, make([]byte, MaxCandidateBytes)...)); !errors.Is(err, ErrCandidate) {
		t.Errorf("too large: %v", err)
	}
}

func TestWriteCandidateRefusesWhatIsNotRead(t *testing.T) {
	c := sample()
	c.TestedCommit = "HEAD"
	if _, err := WriteCandidate(c); !errors.Is(err, ErrCandidate) {
		t.Errorf("error %v, want ErrCandidate", err)
	}
}
