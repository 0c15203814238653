package source

import "strings"

// numbersIn are the names that a file annotates as numbers ("name: number", "name?: number"), which no normal form keeps.
func numbersIn(text string) map[string]bool {
	names := map[string]bool{}
	for at := 0; ; {
		i := strings.Index(text[at:], "number")
		if i < 0 {
			return names
		}
		from, end := at+i, at+i+len("number")
		at = end
		if rest := strings.TrimLeft(text[end:min(len(text), end+8)], " \t\r\n"); rest != "" && (wordByte(rest[0]) || rest[0] == '[' || rest[0] == '|') {
			continue // number[], number | string, numbers
		}
		before, ok := strings.CutSuffix(strings.TrimRight(text[max(0, from-80):from], " \t\r\n"), ":")
		if !ok {
			continue
		}
		before = strings.TrimRight(strings.TrimSuffix(before, "?"), " \t")
		start := len(before)
		for start > 0 && wordByte(before[start-1]) {
			start--
		}
		if start < len(before) {
			names[before[start:]] = true
		}
	}
}
