package checker

import (
	"slices"
	"strings"

	"selffix/checker/source"
	"selffix/internal/lazyregexp"
)

func ruleEnvName() Rule {
	r := Rule{
		ID:    "SF-ENV-001",
		Kind:  "env-name",
		Title: "Name that leads to the environment",
		Why: "process, globalThis, global., Buffer, the module with the server's environment and the client of the database lead to secrets. The words are matched as whole " +
			"identifiers anywhere in an added line, comments and text included, and in the parsed code, where escapes are undone. A name that the file does not " +
			"declare must be on a list of names that lead nowhere: a list of what is forbidden would miss the next way in.",
		Policy: "code.words",
		File:   "rule_env_name",
	}
	r = factRule(r, func(c *Change, _ *File, fact source.Fact) string {
		switch {
		case factKind(fact) == "env-name" && fact.Kind == source.Global:
			return "the code uses a name that it does not declare and that is not on the list of harmless ones"
		case factKind(fact) == "env-name", named(fact) && slices.Contains(c.Policy.Code.Words, fact.Name):
			return "the code names something that leads to the environment"
		}
		return ""
	})
	r = withLinesOf(r, isSheet, func(c *Change, line string) (int, string) {
		line = strings.ReplaceAll(line, "-", "_") // .process-step is one name
		if m := globalInSheet.FindStringIndex(line); m != nil {
			return m[0], "the line reaches into the global object"
		}
		return environmentWord(c, line)
	})
	return withLines(r, func(c *Change, line string) (int, string) {
		if i, message := environmentWord(c, line); message != "" {
			return i, message
		}
		if i := globalObject(line); i >= 0 {
			return i, "the line reaches into the global object"
		}
		return 0, ""
	})
}

var environmentWords = []string{"process", "globalThis", "serverEnv", "DATABASE_URL", "connectionString", "$client"}

func environmentWord(c *Change, line string) (int, string) {
	for _, word := range slices.Concat(environmentWords, c.Policy.Code.Words) {
		if i := wordAt(line, word); i >= 0 {
			return i, "the line holds a word that leads to the environment"
		}
	}
	return 0, ""
}

// globalInSheet is stricter than in code: ":global .name" is a selector.
var globalInSheet = lazyregexp.New(`\bglobal[.\[]`)

// named reports whether a fact's name is that of a property or a text.
func named(f source.Fact) bool {
	return f.Kind == source.Read || f.Kind == source.Index || f.Kind == source.String
}

// globalObject is where a line reaches into "global", or -1. A dot and a blank after it end a sentence.
func globalObject(line string) int {
	i := wordAt(line, "global")
	if i < 0 {
		return -1
	}
	rest := strings.TrimLeft(line[i+len("global"):], " \t")
	switch {
	case strings.HasPrefix(rest, "["), strings.HasPrefix(rest, "?."):
		return i
	case strings.HasPrefix(rest, ".") && len(rest) > 1 && rest[1] != ' ':
		return i
	}
	return -1
}
