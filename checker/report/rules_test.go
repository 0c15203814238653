package report

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"selffix/checker"
	"selffix/internal/testrepo"
)

// docs/rules.md is made from the rules. -update writes it anew.
func TestRulesPage(t *testing.T) {
	var got bytes.Buffer
	if err := WriteMarkdown(&got, checker.Rules()); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(testrepo.Root(t), "docs", "rules.md")
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
		t.Errorf("docs/rules.md is not what the rules say; go test ./checker/report -update writes it (-want +got):\n%s", d)
	}
}

func TestEveryRuleExplainsItself(t *testing.T) {
	for _, r := range checker.Rules() {
		var out bytes.Buffer
		if err := WriteRule(&out, r); err != nil {
			t.Errorf("%s: %v", r.ID, err)
			continue
		}
		text := out.String()
		for _, want := range []string{string(r.ID), r.Kind, r.Title, r.Why, "\naccepted: ", "\nrefused: "} {
			if !strings.Contains(text, want) {
				t.Errorf("%s: the explanation lacks %q", r.ID, want)
			}
		}
		if strings.IndexFunc(text, func(c rune) bool { return c < 0x20 && c != '\n' && c != '\t' }) >= 0 {
			t.Errorf("%s: the explanation holds a control character", r.ID)
		}
	}
}

func TestLongExamplesAreCut(t *testing.T) {
	got := shown(strings.Repeat("+x\n", 100))
	if n := strings.Count(got, "\n"); n != maxShown+1 || !strings.Contains(got, "… 76 more lines") {
		t.Errorf("%d lines are shown:\n%s", n, got)
	}
	if got := shown("+" + strings.Repeat("y", 500) + "\t\x1b\n"); strings.Contains(got, "\x1b") || len(got) > 250 {
		t.Errorf("a long line with an escape is shown as %q", got)
	}
}
