package main

import (
	"encoding/json"
	"fmt"

	"github.com/spf13/cobra"

	"selffix/pipeline"
)

func newSecretsMap(e env) *cobra.Command {
	var format string
	c := &cobra.Command{
		Use:   "secrets-map",
		Short: "print which step holds which secret, meets what and reaches what",
		Long: `secrets-map prints the loop as a table: each step with the secrets that it is granted, the hostile material that
it is exposed to, its fence, its network and its effect. It is made from the plans that run; they are validated first.`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			plans := pipeline.Plans()
			for _, p := range plans {
				if err := p.Validate(); err != nil {
					return err
				}
			}
			rows := append(pipeline.Rows(plans), pipeline.RunnerRow())
			switch format {
			case "text":
				return pipeline.WriteTable(e.Stdout, rows)
			case "markdown":
				return pipeline.WriteMarkdown(e.Stdout, plans)
			case "json":
				enc := json.NewEncoder(e.Stdout)
				enc.SetIndent("", "  ")
				return enc.Encode(map[string]any{"steps": rows})
			}
			return fmt.Errorf("--format %.40q: want text, json or markdown", format)
		},
	}
	c.Flags().StringVar(&format, "format", "text", "text, json or markdown")
	return c
}
