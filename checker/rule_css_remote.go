package checker

import (
	"strings"

	"selffix/checker/style"
	"selffix/internal/lazyregexp"
)

func ruleCSSRemote() Rule {
	return styleRule(Rule{
		ID:    "SF-CSS-001",
		Kind:  "css-remote",
		Title: "Style sheet that loads from elsewhere",
		Why: "input[value^=\"a\"] { background: url(https://…/a) } sends typed text letter by letter to another host, @font-face with unicode-range does it for shown text, and @import loads " +
			"any rule later. An address must be an image or font of this site. A relative one is copied into the site by the bundler, whatever file it names, so its ending counts. " +
			"Other hosts, data: and addresses in texts are refused.",
		File: "rule_css_remote",
	}, func(_ *Change, fact style.Fact) string {
		switch fact.Kind {
		case style.AtRule:
			if fact.Name == "import" {
				return "@import is not allowed"
			}
		case style.Address:
			if !localAsset(fact.Name) {
				return "an address must name an image or font of this site: /name.png, ./name.woff2 or #id"
			}
		case style.Text:
			if remoteStyleText.MatchString(fact.Name) || remote(fact.Name, nil) || runnable(fact.Name) {
				return "a text holds an address of another site"
			}
		case style.Slashes:
			return "// starts an address of another site, or a comment that CSS does not know"
		case style.Function:
			switch fact.Name {
			case "src", "attr url", "attr type", "attr src", "attr image-set", "url-prefix":
				return "the function makes an address from a value"
			}
		}
		return ""
	})
}

var (
	remoteStyleText = lazyregexp.New(`(?i)^\s*//|[a-z][a-z0-9+.-]*://|^\s*(data|javascript|vbscript|blob):|url\s*\(`)
	assetPath       = lazyregexp.New(`(?i)^(?:/|\./|(?:\.\./)+)?(?:[a-z0-9_@~-][a-z0-9_@~.-]*/)*[a-z0-9_@~-][a-z0-9_@~.-]*\.(?:png|jpe?g|gif|webp|avif|svg|ico|woff2?|ttf|otf)(?:#[a-z0-9_-]+)?$`)
	fragment        = lazyregexp.New(`^#[A-Za-z][A-Za-z0-9_-]*$`)
)

// localAsset reports whether an address names an image or font that belongs to the site.
func localAsset(address string) bool {
	return fragment.MatchString(address) || assetPath.MatchString(address) && !strings.Contains(address, "//")
}
