package main

import (
	"strings"

	"selffix/pipeline"
)

// SecretsMap prints the loop as a table: which step holds which secret, meets what and reaches what.
//
// It is made from the plans that run, which are proven first.
//
// +cache="never"
func (m *SelfFix) SecretsMap() (string, error) {
	plans := pipeline.Plans()
	for _, p := range plans {
		if err := p.Validate(); err != nil {
			return "", err
		}
	}
	var table strings.Builder
	if err := pipeline.WriteTable(&table, append(pipeline.Rows(plans), pipeline.RunnerRow())); err != nil {
		return "", err
	}
	return table.String(), nil
}
