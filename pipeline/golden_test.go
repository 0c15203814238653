package pipeline

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// golden compares got with a file of testdata. UPDATE_GOLDEN=1 writes it, for a change that is meant
// and that review then sees.
func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if os.Getenv("UPDATE_GOLDEN") == "1" {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), got); d != "" {
		t.Errorf("%s (-want +got):\n%s", file, d)
	}
}

func TestPlansGolden(t *testing.T) {
	text, err := json.MarshalIndent(Plans(), "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "plans.golden.json", string(text)+"\n")
}

// A worker is told only a step's name, so a name means one thing in every plan.
func TestAStepNameMeansTheSameInEveryPlan(t *testing.T) {
	seen := make(map[StepName]Step)
	for _, p := range Plans() {
		for _, s := range p.Steps {
			for i := range s.In {
				s.In[i].Ref = "" // where an input comes from may differ, where it lies may not
			}
			if first, ok := seen[s.Name]; ok && !reflect.DeepEqual(first, s) {
				t.Errorf("%s of plan %s differs:\n%s", s.Name, p.Name, cmp.Diff(first, s))
			}
			seen[s.Name] = s
		}
	}
}
