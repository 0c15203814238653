package pipeline

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// docs/steps.md is the plan as people read it. UPDATE_GOLDEN=1 writes it anew.
func TestStepsPageIsThePlan(t *testing.T) {
	var b bytes.Buffer
	if err := WriteMarkdown(&b, Plans()); err != nil {
		t.Fatal(err)
	}
	const file = "../docs/steps.md"
	if os.Getenv("UPDATE_GOLDEN") == "1" {
		if err := os.WriteFile(file, b.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), b.String()); d != "" {
		t.Errorf("%s (-want +got):\n%s", file, d)
	}
}

func TestTableNamesEachSecretOfEachStep(t *testing.T) {
	var b bytes.Buffer
	if err := WriteTable(&b, Rows(Plans())); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(b.String(), "\n")
	for _, p := range Plans() {
		for _, s := range p.Steps {
			for _, g := range s.Secrets {
				if !anyLine(lines, string(s.Name), string(g.Secret)) {
					t.Errorf("no line names %s and %s", s.Name, g.Secret)
				}
			}
		}
	}
}

func anyLine(lines []string, parts ...string) bool {
	for _, l := range lines {
		all := true
		for _, p := range parts {
			all = all && strings.Contains(l, p)
		}
		if all {
			return true
		}
	}
	return false
}
