package checker

import "fmt"

func ruleSizeBlanks() Rule {
	return lineRule(Rule{
		ID:     "SF-SIZE-004",
		Kind:   "size-line",
		Title:  "Long run of blanks",
		Why:    "Blanks push code off the screen: what follows them is not seen, even in a line of legal length.",
		Policy: "limits.blank_run",
		File:   "rule_size_blanks",
	}, func(c *Change, line string) (int, string) {
		run, start, longest := 0, 0, 0
		for i, r := range line {
			if r != ' ' && r != '\t' && r != '\u3000' {
				run = 0
				continue
			}
			if run++; run > longest {
				longest, start = run, i
			}
		}
		if most := c.Policy.Limits.BlankRun; longest > most {
			return start, fmt.Sprintf("a run of %d blanks ends here; want at most %d", longest, most)
		}
		return 0, ""
	})
}
