package checker

import "selffix/checker/style"

func ruleCSSScript() Rule {
	return styleRule(Rule{
		ID:    "SF-CSS-003",
		Kind:  "css-script",
		Title: "Style sheet that runs code",
		Why:   "expression(), behavior, -moz-binding and progid: filters run scripts in the browsers that know them, and paint() a worklet.",
		File:  "rule_css_script",
	}, func(_ *Change, fact style.Fact) string {
		switch fact.Kind {
		case style.Function:
			switch fact.Name {
			case "expression", "paint", "-moz-element", "javascript":
				return "the function runs code"
			}
		case style.Property, style.Pseudo:
			switch fact.Name {
			case "behavior", "-ms-behavior", "-moz-binding", "progid":
				return "the property runs code"
			}
		}
		return ""
	})
}
