package main

import (
	"errors"
	"fmt"
	"io"
	"strconv"

	"github.com/spf13/cobra"

	"selffix/internal/visible"
	"selffix/pipeline/policy"
)

func newPolicy(e env) *cobra.Command {
	c := &cobra.Command{
		Use:   "policy",
		Short: "check and explain a policy, or print the schema for editors",
		Args:  cobra.NoArgs,
		RunE:  func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(newPolicyCheck(e), newPolicySchema(e))
	return c
}

func newPolicySchema(e env) *cobra.Command {
	return &cobra.Command{
		Use:   "schema",
		Short: "print the JSON Schema of a policy, for editors",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			schema, err := policy.Schema()
			if err != nil {
				return err
			}
			_, err = e.Stdout.Write(schema)
			return err
		},
	}
}

func newPolicyCheck(e env) *cobra.Command {
	var format string
	c := &cobra.Command{
		Use:   "check FILE",
		Short: "say what a policy allows, or name every fault in it with its line",
		Long: `check reads FILE (- for standard input) as every job reads the policy. Of a valid policy it prints every key: what it
decides and what the floor, which is code, adds. Of another one it prints every fault as FILE:LINE:COLUMN.

Exit codes: 0 valid, enabled or not; 2 not valid, or not readable.`,
		Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			if format != "text" && format != "json" {
				return fmt.Errorf("--format: want text or json, got %q", format)
			}
			return checkPolicy(e, args[0], format)
		},
	}
	c.Flags().StringVar(&format, "format", "text", "text or json")
	return c
}

// policyReport is the answer of "policy check --format json".
type policyReport struct {
	Valid    bool          `json:"valid"`
	Enabled  bool          `json:"enabled"`
	Sandbox  bool          `json:"sandbox"`
	Digest   string        `json:"digest"`
	Warnings []string      `json:"warnings"`
	Faults   []policyFault `json:"faults"`
}

type policyFault struct {
	Line    int    `json:"line"`
	Column  int    `json:"column"`
	Key     string `json:"key"`
	Reason  string `json:"reason"`
	Message string `json:"message"`
}

func checkPolicy(e env, file, format string) error {
	p, err := loadPolicy(e, file)
	var faults policy.Faults
	if err != nil && !errors.As(err, &faults) {
		return err
	}
	if format == "json" {
		if err := printPolicyJSON(e.Stdout, p, faults); err != nil {
			return err
		}
	} else {
		printPolicyText(e.Stdout, file, p, faults)
	}
	if len(faults) > 0 {
		return fmt.Errorf("policy %s is not valid: %d to mend, the first on line %d", strconv.Quote(file), len(faults), faults[0].Line)
	}
	return nil
}

// loadPolicy reads a policy from a file, or from standard input for "-".
func loadPolicy(e env, file string) (policy.Policy, error) {
	if file != "-" {
		return policy.Load(file)
	}
	data, err := io.ReadAll(io.LimitReader(e.Stdin, policy.MaxBytes+1))
	if err != nil {
		return policy.Policy{}, fmt.Errorf("read policy: %w", err)
	}
	return policy.Parse(data)
}

func printPolicyText(w io.Writer, file string, p policy.Policy, faults policy.Faults) {
	if quoted := strconv.QuoteToGraphic(file); quoted != `"`+file+`"` {
		file = quoted // a name that would act on a terminal
	}
	for _, f := range faults {
		where := fmt.Sprintf("%s:%d:%d", file, f.Line, max(f.Column, 1))
		if f.Key != "" {
			where += ": " + f.Key
		}
		fmt.Fprintf(w, "%s: %v: %s\n", where, f.Reason, f.Message)
	}
	if len(faults) > 0 {
		return
	}
	state := "enabled"
	if !p.Enabled {
		state = "disabled: self-fix does nothing until it says enabled: true"
	}
	fmt.Fprintf(w, "%s is valid and %s.\nsha256 %s\nCost: %s.\n", file, state, p.Digest, policy.Bound(p))
	for _, warning := range policy.Warnings(p) {
		fmt.Fprintf(w, "warning: %s\n", warning)
	}
	fmt.Fprint(w, "\n"+policy.Explain(p))
}

func printPolicyJSON(w io.Writer, p policy.Policy, faults policy.Faults) error {
	report := policyReport{
		Valid: len(faults) == 0, Enabled: p.Enabled, Sandbox: p.Sandbox, Digest: p.Digest,
		Warnings: []string{}, Faults: []policyFault{},
	}
	if report.Valid {
		report.Warnings = append(report.Warnings, policy.Warnings(p)...)
	}
	for _, f := range faults {
		report.Faults = append(report.Faults, policyFault{f.Line, f.Column, f.Key, f.Reason.Error(), f.Message})
	}
	return visible.WriteJSON(w, report)
}
