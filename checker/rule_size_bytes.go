package checker

import "fmt"

func ruleSizeBytes() Rule {
	r := Rule{
		ID:        "SF-SIZE-002",
		Kind:      "size-bytes",
		Title:     "Patch too large",
		Why:       "A bound on bytes holds where few lines are very long, and bounds what the checker itself has to read.",
		Policy:    "limits.patch_bytes",
		Redundant: []RuleID{"SF-SIZE-005"}, // a file that fills such a patch alone is too large as well
		File:      "rule_size_bytes",
	}
	r.Check = func(c *Change) []Finding {
		if most := c.Policy.Limits.PatchBytes; len(c.Patch) > most {
			return []Finding{r.at("", 0, 0, fmt.Sprintf("the patch has %d bytes; want at most %d", len(c.Patch), most))}
		}
		return nil
	}
	return r
}
