package checker

import (
	"strings"

	"selffix/checker/source"
	"selffix/internal/lazyregexp"
)

func ruleWebHTML() Rule {
	r := Rule{
		ID:    "SF-WEB-001",
		Kind:  "web-html",
		Title: "Markup from text, or an element that loads",
		Why: "dangerouslySetInnerHTML, innerHTML, srcDoc, document.write and their kind turn text into markup that runs; javascript: and data: addresses run as they are. script, iframe, " +
			"object, embed, base, link and style elements load or restyle the whole page, whether they are written as JSX or made by createElement; an on… attribute is code in a text.",
		File: "rule_web_html",
	}
	return factRule(r, func(_ *Change, _ *File, fact source.Fact) string {
		switch fact.Kind {
		case source.Element:
			if fact.Name == source.Hole || loadingElements[strings.ToLower(fact.Name)] {
				return "the element loads or runs something, or its name is not known"
			}
		case source.Attribute:
			low := strings.ToLower(fact.Name)
			if strings.Contains(low, source.Hole) || strings.HasPrefix(low, "on") || low == "srcdoc" || low == "style" {
				return "the attribute holds code or markup, or its name is not known"
			}
		case source.Name:
			if fact.Name == "react-dom preinit" || fact.Name == "react-dom preinitModule" {
				return "the function puts a script or a style sheet into the page"
			}
		case source.Given:
			if tag, _, _ := strings.Cut(fact.Name, " "); loadingElements[tag] {
				return "the element that loads or runs something is given something else"
			}
		case source.Child:
			if runnable(fact.Name) && strings.TrimSpace(fact.Name[strings.IndexByte(fact.Name, ':')+1:]) != "" {
				return "a component gets an address that runs or holds its own content"
			}
		case source.Probe: // javascript: alone asks for the scheme, as data:image/ does
			if runsWhole.MatchString(cleanAddress(fact.Name)) {
				return "a text is an address that runs or holds its own content"
			}
		case source.String, source.Define, source.Index:
			if low := strings.ToLower(fact.Name); fact.Kind == source.String && (low == "iframe" || low == "script" && fact.Name != "Script") {
				return "the text is the name of an element that loads or runs something"
			}
			if quotedTag.MatchString(fact.Name) {
				return "a text holds the name of an element that loads or runs something, as data"
			}
			if runnable(fact.Name) {
				return "a text is an address that runs or holds its own content"
			}
			if loadingMarkup.MatchString(fact.Name) {
				return "a text is markup that loads or runs something"
			}
		}
		if factKind(fact) == r.Kind {
			return "the code turns text into markup"
		}
		return ""
	})
}

var loadingElements = setOf("script iframe frame frameset object embed applet base link portal webview fencedframe style")

var loadingMarkup = lazyregexp.New(`(?i)<\s*/?\s*(?:script|iframe|frame|object|embed|base|link|meta|style|form)\b|<[a-z][^>]*[\s/"']on[a-z]+\s*=`)

var quotedTag = lazyregexp.New(`["'](?i:iframe|script|embed)["']`)

// runsWhole is an address that runs, together with what it runs.
var runsWhole = lazyregexp.New(`(?is)^(?:(?:javascript|vbscript|livescript):.*\S|data:[^,]*,.+)`)
