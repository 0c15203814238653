package report

import (
	"io"
	"net/url"
	"strings"

	"selffix/checker"
	"selffix/internal/visible"
)

// The part of SARIF 2.1.0 that code scanning reads.
type (
	sarifLog struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct {
		Tool        sarifTool         `json:"tool"`
		Invocations []sarifInvocation `json:"invocations"`
		ColumnKind  string            `json:"columnKind"`
		Results     []sarifResult     `json:"results"`
	}
	sarifTool struct {
		Driver sarifDriver `json:"driver"`
	}
	sarifDriver struct {
		Name  string      `json:"name"`
		Rules []sarifRule `json:"rules"`
	}
	sarifRule struct {
		ID     string       `json:"id"`
		Name   string       `json:"name"`
		Short  sarifText    `json:"shortDescription"`
		Full   sarifText    `json:"fullDescription"`
		Config sarifDefault `json:"defaultConfiguration"`
	}
	sarifDefault struct {
		Level string `json:"level"`
	}
	sarifInvocation struct {
		Successful bool `json:"executionSuccessful"`
	}
	sarifResult struct {
		RuleID    string          `json:"ruleId"`
		RuleIndex *int            `json:"ruleIndex,omitempty"`
		Level     string          `json:"level"`
		Message   sarifText       `json:"message"`
		Locations []sarifLocation `json:"locations,omitempty"`
		Bag       sarifBag        `json:"properties"`
	}
	sarifText struct {
		Text string `json:"text"`
	}
	sarifLocation struct {
		Physical sarifPhysical `json:"physicalLocation"`
	}
	sarifPhysical struct {
		Artifact sarifArtifact `json:"artifactLocation"`
		Region   *sarifRegion  `json:"region,omitempty"`
	}
	sarifArtifact struct {
		URI string `json:"uri"`
	}
	sarifRegion struct {
		StartLine   int `json:"startLine"`
		StartColumn int `json:"startColumn,omitempty"`
	}
	sarifBag struct {
		Kind      string `json:"kind"`
		PolicyKey string `json:"policyKey,omitempty"`
	}
)

// writeSARIF writes one run whose rules are all rules of the checker, so that a viewer can explain each result.
func writeSARIF(w io.Writer, rules []checker.Rule, r checker.Report) error {
	run := sarifRun{
		Tool:        sarifTool{Driver: sarifDriver{Name: "self-fix", Rules: []sarifRule{}}},
		Invocations: []sarifInvocation{{Successful: r.Verdict != checker.Undecided && r.Verdict != ""}},
		ColumnKind:  "unicodeCodePoints",
		Results:     []sarifResult{},
	}
	at := make(map[checker.RuleID]int, len(rules))
	for i, rule := range rules {
		at[rule.ID] = i
		run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, sarifRule{
			ID: string(rule.ID), Name: rule.Kind, Short: sarifText{rule.Title}, Full: sarifText{rule.Why}, Config: sarifDefault{"error"},
		})
	}
	for _, f := range r.Findings {
		res := sarifResult{
			RuleID: string(f.Rule), Level: "error", Message: sarifText{visible.String(f.Message)},
			Locations: sarifPlace(f), Bag: sarifBag{Kind: f.Kind, PolicyKey: f.PolicyKey},
		}
		if i, ok := at[f.Rule]; ok {
			res.RuleIndex = &i
		}
		run.Results = append(run.Results, res)
	}
	return visible.WriteJSON(w, sarifLog{
		Schema: "https://json.schemastore.org/sarif-2.1.0.json", Version: "2.1.0", Runs: []sarifRun{run},
	})
}

func sarifPlace(f checker.Finding) []sarifLocation {
	if f.File == "" || strings.HasPrefix(f.File, "/") || f.File == "dev/null" {
		return nil // the absent side of a faulty header, as one reader or another has it, is no path of the tree
	}
	p := sarifPhysical{Artifact: sarifArtifact{URI: (&url.URL{Path: f.File}).String()}}
	if f.Line > 0 {
		p.Region = &sarifRegion{StartLine: f.Line, StartColumn: f.Column}
	}
	return []sarifLocation{{Physical: p}}
}
