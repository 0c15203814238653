package github

import (
	"fmt"
	"strings"
	"testing"
)

func TestQueueChain(t *testing.T) {
	head, one, two := shaA, shaB, strings.Repeat("c3", 20)
	refs := func(pairs ...string) answer {
		var items []string
		for i := 0; i < len(pairs); i += 2 {
			items = append(items, fmt.Sprintf(`{"ref":"refs/heads/gh-readonly-queue/main/%s","object":{"sha":"%s"}}`, pairs[i], pairs[i+1]))
		}
		return ok("[" + strings.Join(items, ",") + "]")
	}
	ref := ok(`{"ref":"refs/heads/main","object":{"type":"commit","sha":"` + head + `"}}`)
	for name, tt := range map[string]struct {
		base  string
		queue answer
		want  string
	}{
		"alone":                {head, answer{status: 500}, "[9]"},
		"second of the queue":  {one, refs("pr-7-"+head, one), "[9 7]"},
		"third of the queue":   {two, refs("pr-8-"+one, two, "pr-7-"+head, one), "[9 8 7]"},
		"entry missing":        {two, refs("pr-8-"+one, two), "error"},
		"never reaches main":   {one, refs("pr-7-"+two, one, "pr-8-"+one, two), "error"},
		"branch of other form": {one, refs("x", one), "error"},
		"queue unreadable":     {one, answer{status: 500}, "error"},
	} {
		s := paths(map[string]answer{
			"/repos/o/r/git/ref/heads/main":                                           ref,
			"/repos/o/r/git/matching-refs/heads/gh-readonly-queue/main/?per_page=100": tt.queue,
		})
		c := testClient(t, s)
		r := Reviewer{Policy: c.policyForTest(t), Read: c}
		numbers, err := r.chain(t.Context(), 9, tt.base)
		got := fmt.Sprint(numbers)
		if err != nil {
			got = "error"
		}
		if got != tt.want {
			t.Errorf("%s: %s (%v), want %s; asked %v", name, got, err, tt.want, s.asked)
		}
	}
}
