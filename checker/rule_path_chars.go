package checker

import (
	"fmt"
	"strings"

	"selffix/checker/codepoint"
	"selffix/internal/lazyregexp"
	"selffix/pipeline/policy"
)

// maxPath is the length of a path in bytes, maxName of one part of it, that every file system takes.
const (
	maxPath = 1000
	maxName = 200
)

func rulePathChars() Rule {
	return pathRule(Rule{
		ID:    "SF-PATH-001",
		Kind:  "path-chars",
		Title: "Path in a form that systems read differently",
		Why: "Only A-Z a-z 0-9 . _ - ( ) [ ] @ + = , and the space may stand in names. That ends Unicode normal forms, invisible " +
			"characters, backslashes, drive letters, git~1 (CVE-2014-9390), quoting and control characters in one stroke. Empty parts, " +
			". and .., blanks around a part and dots at its end are read differently by different systems (CVE-2025-48384), and con.ts or aux/ open a device on Windows.",
		File: "rule_path_chars",
	}, func(_ *Change, f *File) string {
		if len(f.Path) > maxPath {
			return fmt.Sprintf("the path has %d bytes; want at most %d", len(f.Path), maxPath)
		}
		for part := range strings.SplitSeq(f.Path, "/") {
			if message := partForm(part); message != "" {
				return message
			}
		}
		return ""
	})
}

// deviceName matches what Windows opens as a device in every folder: a repository that holds one cannot be checked out there.
var deviceName = lazyregexp.New(`(?i)^(?:con|prn|aux|nul|com[0-9]|lpt[0-9]) *(?:\.|$)`)

// partForm says what is wrong with one part of a path, "" for nothing.
func partForm(part string) string {
	for i, r := range part {
		if r >= 0x80 || !strings.ContainsRune(policy.PathCharacters, r) {
			return fmt.Sprintf("%s at byte %d of a part; want only A-Z a-z 0-9 . _ - ( ) [ ] @ + = , and the space", codepoint.Name(r), i)
		}
	}
	switch {
	case part == "":
		return "an empty part; want one slash between two names and none around them"
	case part == "." || part == "..":
		return "a part that is . or ..; want the path itself"
	case len(part) > maxName:
		return fmt.Sprintf("a part of %d bytes; want at most %d", len(part), maxName)
	case deviceName.MatchString(part):
		return "a part that is the name of a device on Windows, whatever ending it has; want another name"
	case strings.HasSuffix(part, ".") || strings.Trim(part, " ") != part:
		return "a dot at the end of a part, or a blank around it, which some systems drop; want none"
	}
	return ""
}
