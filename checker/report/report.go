// Package report renders a [checker.Report]: for people, as JSON, as SARIF 2.1.0 and as annotations of GitHub Actions.
//
// No format quotes a line of the patch. File names are untrusted: on a terminal they are shown with every
// control and direction character as a code point, in SARIF they are percent-encoded, and in annotations
// they are escaped by the library that writes the command.
package report

import (
	"errors"
	"fmt"
	"io"

	"selffix/checker"
)

// Format names a rendering.
type Format string

// The formats of `self-fix check --format`.
const (
	Text   Format = "text"
	JSON   Format = "json"
	SARIF  Format = "sarif"
	GitHub Format = "github"
)

// ErrFormat says that a format's name is none of the four.
var ErrFormat = errors.New("unknown format")

// Write renders r to w. The rules give titles and reasons; a finding of a rule that is not among them is
// rendered without.
func Write(w io.Writer, f Format, rules []checker.Rule, r checker.Report) error {
	if r.Findings == nil {
		r.Findings = []checker.Finding{}
	}
	switch f {
	case Text:
		return writeText(w, rules, r)
	case JSON:
		return writeJSON(w, r)
	case SARIF:
		return writeSARIF(w, rules, r)
	case GitHub:
		return writeGitHub(w, rules, r)
	}
	return fmt.Errorf("%w %q: want text, json, sarif or github", ErrFormat, f)
}

func index(rules []checker.Rule) map[checker.RuleID]checker.Rule {
	m := make(map[checker.RuleID]checker.Rule, len(rules))
	for _, r := range rules {
		m[r.ID] = r
	}
	return m
}
