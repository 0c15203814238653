package demo

import (
	"encoding/json"
	"errors"
	"fmt"

	"selffix/internal/strictjson"
)

// ErrReport marks a report that cannot be read.
var ErrReport = errors.New("invalid report of a demo")

// The outcomes of a play.
const (
	Pushed    = "pushed"
	Refused   = "refused"
	Undecided = "undecided"
)

// Report is report.json.
type Report struct {
	Plays []Play `json:"plays"`
}

// Play is how one play ended. No list is ever null.
type Play struct {
	Name         string   `json:"name"`          // "repair" or "hijacked"
	Outcome      string   `json:"outcome"`       // Pushed, Refused or Undecided
	TestedCommit string   `json:"tested_commit"` //
	PushedCommit string   `json:"pushed_commit"` // "" if nothing was pushed
	Bot          []string `json:"bot"`           // the bot's final verdict on the tested, then on the pushed commit
	Review       []string `json:"review"`        // states of the review status on the pushed commit, adjacent repeats dropped
	StoppedBy    []string `json:"stopped_by"`    // layer and what it stopped, such as "checker SF-ENV-001"
	Steps        []Step   `json:"steps"`         // in the order in which they began
}

// Step is one row: a step of a plan, or a stand-in at work.
type Step struct {
	Name      string   `json:"name"`
	Seconds   float64  `json:"seconds"` // a service's: as long as it ran, beside other steps
	Secrets   []string `json:"secrets"`
	ExposedTo []string `json:"exposed_to"`
	Outcome   string   `json:"outcome"`
}

// Write returns the report as JSON.
func (r Report) Write() ([]byte, error) {
	text, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("write the report: %w", err)
	}
	return append(text, '\n'), nil
}

// ReadReport reads one strictly: unknown, duplicate and missing keys are refused.
func ReadReport(data []byte) (Report, error) {
	var r Report
	if err := strictjson.Unmarshal(data, &r); err != nil {
		return Report{}, fmt.Errorf("%w: %w", ErrReport, err)
	}
	for _, p := range r.Plays {
		if p.Outcome != Pushed && p.Outcome != Refused && p.Outcome != Undecided {
			return Report{}, fmt.Errorf("%w: outcome %.40q", ErrReport, p.Outcome)
		}
		if p.Outcome == Pushed && p.PushedCommit == "" || p.Outcome == Refused && (p.PushedCommit != "" || len(p.StoppedBy) == 0) {
			return Report{}, fmt.Errorf("%w: the play %.40q is %s, and says otherwise too", ErrReport, p.Name, p.Outcome)
		}
	}
	return r, nil
}

// Page is all that a demo leaves.
type Page struct {
	Report  Report
	Details []Detail // one for each play of the report
}

// Detail is what a page shows of a play beside its report.
type Detail struct {
	Doc      string
	Blocked  []Blocked
	Findings []Finding
	Changed  []string // files of the pushed patch
}

// Blocked is one thing that a layer stopped, for people.
type Blocked struct {
	Layer string // "tools", "settings", "fence", "checker"
	What  string // the call, or the rule with its place; untrusted
}

// Finding is one line of the checker's report, as far as a page shows it.
type Finding struct {
	Rule    string `json:"rule"`
	File    string `json:"file"`
	Line    int    `json:"line"`
	Message string `json:"message"`
}

// Add takes an act into the page.
func (p *Page) Add(a Act) {
	p.Report.Plays = append(p.Report.Plays, a.Play)
	p.Details = append(p.Details, a.Detail)
}
