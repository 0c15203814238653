package checker

import (
	"strconv"

	"selffix/internal/lazyregexp"
)

func ruleEnvEscape() Rule {
	return withLines(Rule{
		ID:    "SF-ENV-002",
		Kind:  "env-escape",
		Title: "Letter written as an escape",
		Why: "JavaScript takes \\u0070rocess for process, in names as in texts. A letter, digit, _ or $ needs no escape, so one that has it hides a word from the reader; " +
			"ranges of a regular expression such as \\u0041-\\u005a are let through.",
		File: "rule_env_escape",
	}, func(_ *Change, line string) (int, string) {
		for _, m := range letterEscape.FindAllStringSubmatchIndex(line, -1) {
			at := m[2:4]
			if at[0] < 0 {
				at = m[4:6]
			}
			digits := line[at[0]:at[1]]
			n, err := strconv.ParseUint(digits, 16, 32)
			if err != nil || n > 0x7f || !identifierByte(byte(n)) {
				continue
			}
			if escapeRange.MatchString(line[m[0]:]) || escapeRangeEnd.MatchString(line[:m[1]]) {
				continue
			}
			return m[0], "a letter, digit, _ or $ is written as an escape"
		}
		return 0, ""
	})
}

var (
	letterEscape   = lazyregexp.New(`\\u(?:([0-9A-Fa-f]{4})|\{([0-9A-Fa-f]{1,16})\})`)
	escapeRange    = lazyregexp.New(`^\\u[0-9A-Fa-f]{4}-\\u[0-9A-Fa-f]{4}`)
	escapeRangeEnd = lazyregexp.New(`\\u[0-9A-Fa-f]{4}-\\u[0-9A-Fa-f]{4}$`)
)
