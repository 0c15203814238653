package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"selffix/checker"
	"selffix/checker/report"
	"selffix/gates"
	"selffix/internal/doctor"
	"selffix/pipeline"
	"selffix/pipeline/publish"
	"selffix/pipeline/verify"
	"selffix/pipeline/worker"
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
				if err := report.WriteList(e.Stdout, checker.Rules()); err != nil {
					return err
				}
				return listDocs(e)
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
	for _, d := range ruleDocs() {
		if strings.EqualFold(d.ID, id) {
			_, err := fmt.Fprintf(e.Stdout, "%s\n\nholds when: %s\n\n%s\n", d.ID, d.Title, d.Why)
			return err
		}
	}
	for _, o := range worker.Ends() {
		if strings.EqualFold(o.Rule, id) {
			_, err := fmt.Fprintf(e.Stdout, "%s\n\n%s: %s\n", o.Rule, ended(o), o.Reason)
			return err
		}
	}
	return fmt.Errorf("no rule is called %q: `self-fix explain` lists them", id)
}

// ruleDocs are the rules of the trusted half (gates, review gate and publisher), of verify, and those for an installation. They
// judge no patch, so they have no examples of one.
func ruleDocs() []gates.RuleDoc {
	return slices.Concat(gates.Rules(), publish.Rules(), verify.Rules(), doctor.Rules())
}

// ended says what became of a step that an error ended.
func ended(o pipeline.Outcome) string {
	if o.Decision == pipeline.Stop {
		return "the step was ended, and with it the repair"
	}
	return "the step could not decide, so nothing is done"
}

func listDocs(e env) error {
	for _, d := range ruleDocs() {
		if _, err := fmt.Fprintf(e.Stdout, "%-17s %-22s %s\n", d.ID, "", d.Title); err != nil {
			return err
		}
	}
	for _, o := range worker.Ends() {
		if _, err := fmt.Fprintf(e.Stdout, "%-17s %-22s %s\n", o.Rule, "", o.Reason); err != nil {
			return err
		}
	}
	return nil
}
