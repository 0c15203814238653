package report

import (
	"bufio"
	"fmt"
	"io"

	"selffix/checker"
	"selffix/internal/visible"
)

// writeText is for people: the verdict first, then each finding with its place, what was met and why that is refused.
func writeText(w io.Writer, rules []checker.Rule, r checker.Report) error {
	b := bufio.NewWriter(w)
	switch {
	case r.Verdict == checker.Accept:
		fmt.Fprintf(b, "accept: no rule refuses this patch (%s)\n", count(len(r.Changed), "file"))
	case r.Verdict == checker.Refuse:
		fmt.Fprintf(b, "refuse: %s\n", count(len(r.Findings), "finding"))
	default:
		fmt.Fprintln(b, "undecided: the patch could not be judged, so it must not be used")
	}
	byID := index(rules)
	for _, f := range r.Findings {
		fmt.Fprintf(b, "\n%s  %s %s\n  %s\n", place(f), f.Rule, f.Kind, visible.String(f.Message))
		if why := byID[f.Rule].Why; why != "" {
			fmt.Fprintf(b, "  why: %s\n", why)
		}
		if f.PolicyKey != "" {
			fmt.Fprintf(b, "  policy: %s\n", f.PolicyKey)
		}
	}
	if len(r.Findings) > 0 {
		fmt.Fprintf(b, "\n`self-fix explain %s` shows what the rule accepts and refuses.\n", r.Findings[0].Rule)
	}
	return b.Flush()
}

// place is "file:line:column", as far as the finding has one.
func place(f checker.Finding) string {
	if f.File == "" {
		return "patch"
	}
	p := visible.String(f.File)
	if f.Line == 0 {
		return p
	}
	if f.Column == 0 {
		return fmt.Sprintf("%s:%d", p, f.Line)
	}
	return fmt.Sprintf("%s:%d:%d", p, f.Line, f.Column)
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
