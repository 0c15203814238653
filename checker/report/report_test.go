package report

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif"

	"selffix/checker"
)

var update = flag.Bool("update", false, "write the golden files anew")

var rules = []checker.Rule{
	{ID: "SF-UNICODE-001", Kind: "unicode-bidi", Title: "text direction", Why: "it makes text read in another order than it runs (CVE-2021-42574)"},
	{ID: "SF-SIZE-001", Kind: "size-lines", Title: "changed lines", Why: "a person must be able to read the change"},
}

// hostile holds each trick that a rendering has to survive in a file name: log commands, terminal escapes, markup, URI syntax.
const hostile = "a/\x1b[2J::error::x\r\n%0A,title=b:</script>\u202e ?#.ts"

var reports = map[string]checker.Report{
	"accept": {Verdict: checker.Accept, Changed: []checker.ChangedFile{{Path: "packages/core/src/a.ts"}}},
	"refuse": {Verdict: checker.Refuse, Findings: []checker.Finding{
		{Rule: "SF-UNICODE-001", Kind: "unicode-bidi", File: "packages/core/src/a.ts", Line: 4, Column: 9, Message: "U+202E in an added line"},
		{Rule: "SF-SIZE-001", Kind: "size-lines", Message: "202 changed lines, at most 200 are allowed", PolicyKey: "limits.changed_lines"},
	}},
	"hostile": {Verdict: checker.Refuse, Findings: []checker.Finding{
		{Rule: "SF-NEW-999", Kind: "unknown", File: hostile, Line: 1, Message: "name \x1b]52;c;eA==\x07\n::add-mask::x"},
		{Rule: "SF-UNICODE-001", Kind: "unicode-bidi", File: "c:/x.ts", Message: "100% \u200b"},
	}},
	"undecided": {},
}

func TestGolden(t *testing.T) {
	for name, r := range reports {
		for _, f := range []Format{Text, JSON, SARIF, GitHub} {
			t.Run(name+"/"+string(f), func(t *testing.T) {
				var got bytes.Buffer
				if err := Write(&got, f, rules, r); err != nil {
					t.Fatal(err)
				}
				file := filepath.Join("testdata", name+"."+string(f))
				if *update {
					if err := os.WriteFile(file, got.Bytes(), 0o644); err != nil {
						t.Fatal(err)
					}
				}
				want, err := os.ReadFile(file)
				if err != nil {
					t.Fatal(err)
				}
				if d := cmp.Diff(string(want), got.String()); d != "" {
					t.Errorf("differs from %s (-want +got):\n%s", file, d)
				}
			})
		}
	}
}

func TestSARIFHoldsToItsSchema(t *testing.T) {
	for name, r := range reports {
		var out bytes.Buffer
		if err := Write(&out, SARIF, rules, r); err != nil {
			t.Fatal(err)
		}
		parsed, err := sarif.FromBytes(out.Bytes())
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for _, run := range parsed.Runs { // the library writes these fields even where they were absent, and then empty
			run.Language, run.Tool.Driver.Language, run.NewlineSequences = "en", "en", []string{"\n"}
		}
		if err := parsed.Validate(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestJSONShape(t *testing.T) {
	var out bytes.Buffer
	if err := Write(&out, JSON, rules, checker.Report{Verdict: checker.Accept, ResultTree: "t"}); err != nil {
		t.Fatal(err)
	}
	var got map[string]json.RawMessage
	if err := json.Unmarshal(out.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	if len(got) != 2 || string(got["findings"]) != "[]" || string(got["verdict"]) != `"accept"` {
		t.Errorf("got %s, want exactly a verdict and an empty list of findings", out.String())
	}
}

// A line of a log that begins with :: is a command to the runner. Only the renderer's own may stand there.
func TestGitHubHasNoForeignCommand(t *testing.T) {
	var out bytes.Buffer
	if err := Write(&out, GitHub, rules, reports["hostile"]); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
	if len(lines) != len(reports["hostile"].Findings)+1 {
		t.Errorf("%d lines, want one a finding and the verdict:\n%s", len(lines), out.String())
	}
	for _, l := range lines {
		if !strings.HasPrefix(l, "::error ") && !strings.HasPrefix(l, "::notice") {
			t.Errorf("line %q is no command of ours", l)
		}
		if strings.ContainsAny(l, "\r\x1b\x07") {
			t.Errorf("line %q holds a control character", l)
		}
	}
}

func TestTextHasNoControls(t *testing.T) {
	var out bytes.Buffer
	if err := Write(&out, Text, rules, reports["hostile"]); err != nil {
		t.Fatal(err)
	}
	if strings.ContainsAny(out.String(), "\r\x1b\x07\u202e\u200b") {
		t.Errorf("control or direction characters reach the terminal: %q", out.String())
	}
}

func TestUnknownFormat(t *testing.T) {
	if err := Write(&bytes.Buffer{}, "yaml", rules, checker.Report{}); !errors.Is(err, ErrFormat) {
		t.Errorf("got %v, want ErrFormat", err)
	}
}
