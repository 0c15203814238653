package checker

import "selffix/checker/source"

func ruleCodeTimer() Rule {
	return factRule(Rule{
		ID:    "SF-CODE-004",
		Kind:  "code-eval",
		Title: "Timer that may get text",
		Why: "setTimeout(\"…\") runs its text as code. A timer's first argument must be a function written in place, a name that is not given a text, or a method of this; the " +
			"timer itself must be called where it stands, never passed on under another name.",
		File: "rule_code_timer",
	}, func(_ *Change, _ *File, fact source.Fact) string {
		if fact.Kind == source.Timer {
			return "a timer gets something else than a function, or is passed on; write the function in place: setTimeout(() => …, …)"
		}
		return ""
	})
}
