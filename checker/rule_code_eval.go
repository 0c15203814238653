package checker

import "strings"

func ruleCodeEval() Rule {
	return withWords(namedRule(Rule{
		ID:    "SF-CODE-003",
		Kind:  "code-eval",
		Title: "Code made from text, or run elsewhere",
		Why: "eval under any name or in any position (run = eval, [1].map(eval)), WebAssembly, workers, worklets and service workers run code that this checker does not see. " +
			"A call of eval is refused in comments and text too.",
		File: "rule_code_eval",
	}, "the code names a way to run other code"), func(_ *Change, line string) (int, string) {
		return callOf(line, "eval")
	})
}

// callOf finds the call of a name in a line, comments and text included. A blank before the parenthesis is prose, "import (from
// a file)"; in code it is found by the parser.
func callOf(line, name string) (int, string) {
	for from := 0; from < len(line); {
		i := wordAt(line[from:], name)
		if i < 0 {
			break
		}
		i += from
		if strings.HasPrefix(line[i+len(name):], "(") {
			return i, "the line holds a call of " + name
		}
		from = i + 1
	}
	return 0, ""
}
