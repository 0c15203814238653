package checker

import "fmt"

func ruleSizeLines() Rule {
	r := Rule{
		ID:     "SF-SIZE-001",
		Kind:   "size-lines",
		Title:  "Too many changed lines",
		Why:    "A person reads every patch before it is merged. What is too long to read is not read.",
		Policy: "limits.changed_lines",
		File:   "rule_size_lines",
	}
	r.Check = func(c *Change) []Finding {
		changed := 0
		for _, f := range c.Files {
			changed += len(f.Added) + f.Removed
		}
		if most := c.Policy.Limits.ChangedLines; changed > most {
			return []Finding{r.at("", 0, 0, fmt.Sprintf("%d lines added and removed; want at most %d", changed, most))}
		}
		return nil
	}
	return r
}
