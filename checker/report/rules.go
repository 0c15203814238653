package report

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"selffix/checker"
	"selffix/internal/visible"
)

// WriteRule explains one rule to a person: what it refuses, why, what tunes it, and its examples.
func WriteRule(w io.Writer, r checker.Rule) error {
	accepts, refuses, err := checker.Examples(r)
	if err != nil {
		return err
	}
	b := bufio.NewWriter(w)
	fmt.Fprintf(b, "%s  %s\n%s\n\n%s\n\npolicy: %s\n", r.ID, r.Kind, r.Title, r.Why, policyKey(r))
	for _, e := range accepts {
		fmt.Fprintf(b, "\naccepted: %s\n%s", e.Name, indent(e.Patch))
	}
	for _, e := range refuses {
		fmt.Fprintf(b, "\nrefused: %s\n%s", e.Name, indent(e.Patch))
	}
	return b.Flush()
}

// WriteList names every rule, a line each.
func WriteList(w io.Writer, rules []checker.Rule) error {
	b := bufio.NewWriter(w)
	for _, r := range rules {
		fmt.Fprintf(b, "%-17s %-22s %s\n", r.ID, r.Kind, r.Title)
	}
	return b.Flush()
}

// WriteMarkdown writes docs/rules.md: a table of all rules, then each with its reason and examples.
func WriteMarkdown(w io.Writer, rules []checker.Rule) error {
	b := bufio.NewWriter(w)
	fmt.Fprint(b, "# Rules of the patch checker\n\n"+
		"Made by `self-fix explain --format markdown` from the rules and the examples beside them; a test holds it to them.\n"+
		"A patch is accepted when no rule refuses it. Every finding is reported, with the rule's id.\n\n"+
		"| rule | kind | refuses | policy key |\n| --- | --- | --- | --- |\n")
	for _, r := range rules {
		fmt.Fprintf(b, "| [%s](#%s) | %s | %s | %s |\n", r.ID, strings.ToLower(string(r.ID)), r.Kind, cell(r.Title), policyKey(r))
	}
	for _, r := range rules {
		if err := markdownRule(b, r); err != nil {
			return err
		}
	}
	return b.Flush()
}

func markdownRule(b *bufio.Writer, r checker.Rule) error {
	accepts, refuses, err := checker.Examples(r)
	if err != nil {
		return err
	}
	fmt.Fprintf(b, "\n## %s\n\n**%s** (`%s`). %s\n", r.ID, r.Title, r.Kind, r.Why)
	if len(r.Redundant) > 0 {
		fmt.Fprintf(b, "\nIts examples are refused as well by %s.\n", ids(r.Redundant))
	}
	if len(accepts) > 0 {
		fmt.Fprintf(b, "\nAccepted (%s):\n\n~~~diff\n%s~~~\n", accepts[0].Name, shown(accepts[0].Patch))
	}
	if len(refuses) > 0 {
		fmt.Fprintf(b, "\nRefused (%s):\n\n~~~diff\n%s~~~\n", refuses[0].Name, shown(refuses[0].Patch))
	}
	return nil
}

func policyKey(r checker.Rule) string {
	if r.Policy == "" {
		return "none: part of the floor"
	}
	return r.Policy
}

func cell(s string) string { return strings.ReplaceAll(s, "|", "\\|") }

func ids(list []checker.RuleID) string {
	var s []string
	for _, id := range list {
		s = append(s, string(id))
	}
	return strings.Join(s, ", ")
}

// maxShown bounds how much of an example is shown: some are long because length is what they are about.
const maxShown = 24

// shown is a patch with every character that does not print as a code point, cut to a readable length.
func shown(patch string) string {
	lines := strings.SplitAfter(patch, "\n")
	if lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	var b strings.Builder
	for i, l := range lines {
		if i == maxShown {
			fmt.Fprintf(&b, "… %d more lines\n", len(lines)-maxShown)
			break
		}
		b.WriteString(visibleLine(strings.TrimSuffix(l, "\n")) + "\n")
	}
	return b.String()
}

// visibleLine leaves tabs as they are: indentation is part of how code reads.
func visibleLine(l string) string {
	parts := strings.Split(l, "\t")
	for i := range parts {
		parts[i] = visible.Cut(parts[i], 200)
	}
	return strings.Join(parts, "\t")
}

func indent(patch string) string {
	return "    " + strings.TrimSuffix(strings.ReplaceAll(shown(patch), "\n", "\n    "), "    ")
}
