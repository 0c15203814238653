package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"selffix/checker"
	"selffix/checker/report"
)

func newExplain(e env) *cobra.Command {
	var format string
	c := &cobra.Command{
		Use:   "explain [SF-AREA-NNN]",
		Short: "say what a rule refuses and why, with examples; without an id, list the rules",
		Example: `  self-fix explain
  self-fix explain SF-PATH-001`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			switch {
			case format == "markdown" && len(args) == 0:
				return report.WriteMarkdown(e.Stdout, checker.Rules())
			case format != "text":
				return fmt.Errorf("--format: want text, or markdown without an id, got %q", format)
			case len(args) == 0:
				return report.WriteList(e.Stdout, checker.Rules())
			}
			return explain(e, args[0])
		},
	}
	c.Flags().StringVar(&format, "format", "text", "text, or markdown for the page of all rules")
	return c
}

func explain(e env, id string) error {
	for _, r := range checker.Rules() {
		if strings.EqualFold(string(r.ID), id) {
			return report.WriteRule(e.Stdout, r)
		}
	}
	return fmt.Errorf("no rule is called %q: `self-fix explain` lists them", id)
}
