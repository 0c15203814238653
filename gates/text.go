package gates

import (
	"fmt"
	"strings"
)

// Text is the verdict for a person: the answer on the first line, then the reason, then the facts. It holds
// nothing that a stranger wrote: static words, numbers, ids and hashes only.
func (v Verdict) Text() string {
	var b strings.Builder
	d := v.Decision
	if d == "" {
		d = Undecided
	}
	fmt.Fprintf(&b, "%s (%s): %s\n", d, v.Rule, v.Reason)
	if t := v.Target; t != nil {
		fmt.Fprintf(&b, "  pull request %d, commit %s\n", t.PullRequest, t.TestedCommit)
	}
	if r := v.Review; r != nil {
		fmt.Fprintf(&b, "  pull request %s, commit %s, status posted: %s\n", numbers(r.PullRequests), r.Commit, r.Status)
	}
	width := 0
	for _, f := range v.Facts {
		width = max(width, len(f.Name))
	}
	for _, f := range v.Facts {
		fmt.Fprintf(&b, "  %-*s  %s", width, f.Name, f.Value)
		if f.Route != "" {
			fmt.Fprintf(&b, "  [%s]", f.Route)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func numbers(ns []int) string {
	s := make([]string, len(ns))
	for i, n := range ns {
		s[i] = fmt.Sprint(n)
	}
	return strings.Join(s, ", ")
}
