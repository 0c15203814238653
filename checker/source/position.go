package source

import (
	"bytes"
	"encoding/json"
	"sort"
	"strings"
	"sync"
)

// span maps a place of normalised code to a line of the file, and a column in UTF-16.
type span struct{ offset, line, column int }

// lines returns the function from an offset in code to the line of the file, by the source map. The map is
// read when a line is first asked for: most files have no finding.
func lines(code, sourceMap []byte) func(int) int {
	read := sync.OnceValue(func() []span { return spans(code, sourceMap) })
	return func(offset int) int {
		s := read()
		i := sort.Search(len(s), func(i int) bool { return s[i].offset > offset })
		if i == 0 {
			return 0
		}
		return s[i-1].line
	}
}

// spans decodes the mappings of a source map (ECMA-426: base64 VLQ, five fields a segment, lines split by ";").
func spans(code, sourceMap []byte) []span {
	var m struct {
		Mappings string `json:"mappings"`
	}
	if json.Unmarshal(sourceMap, &m) != nil {
		return nil
	}
	var out []span
	start, line, from := 0, 0, 0
	for row := range strings.SplitSeq(m.Mappings, ";") {
		column := 0
		for segment := range strings.SplitSeq(row, ",") {
			f := vlq(segment)
			if len(f) < 4 {
				continue
			}
			column += f[0]
			line += f[2]
			from += f[3]
			out = append(out, span{start + column, line + 1, from})
		}
		n := bytes.IndexByte(code[start:], '\n')
		if n < 0 {
			break
		}
		start += n + 1
	}
	return out
}

const base64Digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"

func vlq(s string) []int {
	var out []int
	n, shift := 0, 0
	for i := range len(s) {
		d := strings.IndexByte(base64Digits, s[i])
		if d < 0 {
			return nil
		}
		n |= d & 31 << shift
		shift += 5
		if d&32 != 0 && shift < 30 {
			continue
		}
		if n&1 != 0 {
			out = append(out, -(n >> 1))
		} else {
			out = append(out, n>>1)
		}
		n, shift = 0, 0
	}
	return out
}
