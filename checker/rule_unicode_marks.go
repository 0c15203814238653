package checker

import (
	"fmt"

	"selffix/checker/codepoint"
)

// maxMarks is how many combining marks may follow each other: no living script needs more on one letter.
const maxMarks = 3

func ruleUnicodeMarks() Rule {
	return lineRule(Rule{
		ID:    "SF-UNICODE-005",
		Kind:  "unicode-invisible",
		Title: "Pile of combining marks",
		Why: "Combining marks are drawn over the character before them. More than three in a row cover the lines around, and so hide code. " +
			"Letters with the marks that languages use pass.",
		File: "rule_unicode_marks",
	}, func(_ *Change, line string) (int, string) {
		run := 0
		for i, r := range line {
			if !codepoint.Mark(r) {
				run = 0
				continue
			}
			if run++; run > maxMarks {
				return i, fmt.Sprintf("%s is combining mark number %d in a row; want at most %d", codepoint.Name(r), run, maxMarks)
			}
		}
		return 0, ""
	})
}
