package source

import "regexp"

var numberAnnotation = regexp.MustCompile(`\b([A-Za-z_$][A-Za-z0-9_$]*)\s*\??:\s*number\s*(?:[^\s\[|\w]|$)`)

// numbersIn are the names that a file annotates as numbers, which no normal form keeps.
func numbersIn(text string) map[string]bool {
	names := map[string]bool{}
	for _, m := range numberAnnotation.FindAllStringSubmatch(text, -1) {
		names[m[1]] = true
	}
	return names
}
