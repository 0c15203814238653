package checker

import "fmt"

func ruleSizeLine() Rule {
	return lineRule(Rule{
		ID:     "SF-SIZE-003",
		Kind:   "size-line",
		Title:  "Added line too long",
		Why:    "Reviewers do not scroll to the right: the end of a very long line is where code is hidden.",
		Policy: "limits.line_length",
		File:   "rule_size_line",
	}, func(c *Change, line string) (int, string) {
		most := c.Policy.Limits.LineLength
		if len(line) <= most {
			return 0, ""
		}
		return 0, fmt.Sprintf("the line has %d bytes; want at most %d", len(line), most)
	})
}
