package checker

import "bytes"

func ruleTreeLineEndings() Rule {
	r := Rule{
		ID:    "SF-TREE-004",
		Kind:  "tree-line-endings",
		Title: "Line endings changed or mixed",
		Why: "A change of line endings rewrites lines that look the same in review and hides a real change among them. Added lines end as the lines " +
			"of the file do, and no line changes only in its ending. A last line may gain or lose its line ending.",
		File: "rule_tree_line_endings",
	}
	r.Check = func(c *Change) []Finding {
		var found []Finding
		for _, f := range c.Files {
			if f.Result == nil {
				continue
			}
			if message := lineEndingFault(f.Base, f.Result); message != "" {
				found = append(found, r.at(f.Path, 0, 0, message))
			}
		}
		return found
	}
	return r
}

// lineEndingFault judges the line endings of a change. "" is none.
func lineEndingFault(base, result []byte) string {
	before, after := endingsOf(base), endingsOf(result)
	switch {
	case before.lf+before.crlf == 0 && after.lf > 0 && after.crlf > 0:
		return "a new file with LF and CRLF mixed"
	case before.lf+before.crlf == 0:
		return ""
	case before.crlf == 0 && after.crlf > 0:
		return "CRLF in a file whose lines end in LF"
	case before.lf == 0 && after.lf > 0:
		return "LF in a file whose lines end in CRLF"
	case before.crlf > 0 && before.lf > 0 && flips(base, result):
		return "a line changes only in its line ending"
	}
	return ""
}

// endings counts how lines end.
type endings struct{ lf, crlf int }

func endingsOf(data []byte) endings {
	crlf := bytes.Count(data, []byte("\r\n"))
	return endings{lf: bytes.Count(data, []byte("\n")) - crlf, crlf: crlf}
}

// flips reports whether the result has more lines of one text with CRLF and fewer with LF than the base, or the other way round.
func flips(base, result []byte) bool {
	moved := map[string]endings{}
	count := func(data []byte, by int) {
		for l := range bytes.Lines(data) {
			e := moved[lineText(l)]
			if bytes.HasSuffix(l, []byte("\r\n")) {
				e.crlf += by
			} else if bytes.HasSuffix(l, []byte("\n")) {
				e.lf += by
			}
			moved[lineText(l)] = e
		}
	}
	count(result, 1)
	count(base, -1)
	for _, e := range moved {
		if e.lf > 0 && e.crlf < 0 || e.lf < 0 && e.crlf > 0 {
			return true
		}
	}
	return false
}
