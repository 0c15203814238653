package source

import (
	"reflect"
	"sort"
	"strings"
	"sync"
	"unicode/utf8"
)

// annotated returns the function that tells whether a parameter, by its name where it is declared in code, is annotated as a
// number in the text of the file.
func annotated(text string, code, sourceMap []byte) func(name []byte) bool {
	read := sync.OnceValues(func() ([]span, []string) { return spans(code, sourceMap), strings.SplitAfter(text, "\n") })
	return func(name []byte) bool {
		at := int(reflect.ValueOf(name).Pointer() - reflect.ValueOf(code).Pointer())
		places, lines := read()
		i := sort.Search(len(places), func(i int) bool { return places[i].offset >= at })
		if i == len(places) || places[i].offset != at || places[i].line > len(lines) {
			return false
		}
		rest, ok := strings.CutPrefix(fromColumn(lines[places[i].line-1], places[i].column), string(name))
		return ok && len(numbersIn(string(name)+rest[:min(len(rest), annotationWindow)])) > 0 && startsNumber(rest)
	}
}

// annotationWindow is how much of a line is looked at after a name: blanks, a mark, the word and what follows it.
const annotationWindow = 64

// startsNumber reports whether an annotation as a number comes first in s.
func startsNumber(s string) bool {
	s = strings.TrimPrefix(strings.TrimLeft(s, " \t"), "?")
	s, ok := strings.CutPrefix(strings.TrimLeft(s, " \t"), ":")
	return ok && strings.HasPrefix(strings.TrimLeft(s, " \t"), "number")
}

// fromColumn is a line from a column on, which counts in UTF-16.
func fromColumn(line string, column int) string {
	for column > 0 && line != "" {
		r, n := utf8.DecodeRuneInString(line)
		if r > 0xffff {
			column--
		}
		line = line[n:]
		column--
	}
	return line
}

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
