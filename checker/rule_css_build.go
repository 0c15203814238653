package checker

import "selffix/checker/style"

func ruleCSSBuild() Rule {
	return styleRule(Rule{
		ID:    "SF-CSS-004",
		Kind:  "css-build",
		Title: "Style sheet that the build acts on",
		Why: "Tailwind loads and runs the module that @plugin or @config names while it builds; CSS modules load files by composes, @value, :import and :export. At-rules are on " +
			"a list: those of CSS that load nothing, and Tailwind's own that name no file. One that was there may not name another file.",
		File: "rule_css_build",
	}, func(_ *Change, fact style.Fact) string {
		switch fact.Kind {
		case style.AtRule:
			if fact.Name != "import" && !atRules[fact.Name] {
				return "the at-rule is not on the list of those that load nothing"
			}
		case style.Property:
			if fact.Name == "composes" || fact.Name == "compose-with" {
				return "composes loads a file while the site is built"
			}
		case style.Function, style.Pseudo:
			if fact.Name == "import" || fact.Name == "export" {
				return ":import and :export load a file while the site is built"
			}
			if fact.Name == "source" && fact.Kind == style.Function {
				return "source() names files that Tailwind reads"
			}
		case style.Comment:
			if actingComment.MatchString(fact.Name) {
				return "the comment is an instruction to a tool"
			}
		}
		return ""
	})
}

// atRules are the at-rules that load nothing by themselves.
var atRules = setOf(`
media supports layer keyframes -webkit-keyframes -moz-keyframes container property starting-style scope page font-face counter-style
font-feature-values font-palette-values view-transition position-try
top-left top-center top-right bottom-left bottom-center bottom-right stylistic styleset swash ornaments annotation character-variant
tailwind apply theme utility variant custom-variant screen responsive variants slot
`)
